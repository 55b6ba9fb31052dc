package trail

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// MaxLine is the most bytes one record takes in the file, its newline included.
const MaxLine = 64 << 10

const (
	timeLayout = "2006-01-02T15:04:05.000000Z"
	wholeLimit = 16 << 10 // longest string kept whole when the line allows it
	leastLimit = 64       // at this limit no record can pass MaxLine
)

// stamp is the part of a record that only the log knows.
type stamp struct {
	seq      uint64
	at       time.Time
	writer   string
	pid      int
	unlogged int64
	prev     string
}

// encoder appends one record by hand. encoding/json is five times slower, and it
// leaves DEL, C1 controls and bidi marks raw, which a terminal showing the log
// would obey.
type encoder struct {
	b     []byte
	limit int // bytes of a string before it is cut
}

// appendBody appends the record up to where its hash goes, cutting strings harder
// until the sealed line fits in MaxLine.
func appendBody(b []byte, s stamp, r *Record) []byte {
	start := len(b)
	for limit := wholeLimit; ; limit /= 4 {
		e := encoder{b[:start], limit}
		e.record(s, r)
		if limit == leastLimit || len(e.b)-start+sealLen <= MaxLine {
			return e.b
		}
	}
}

func (e *encoder) record(s stamp, r *Record) {
	e.raw(`{"v":1,"seq":`)
	e.b = strconv.AppendUint(e.b, s.seq, 10)
	e.raw(`,"ts":"`)
	e.b = s.at.UTC().AppendFormat(e.b, timeLayout)
	e.raw(`","writer":`)
	e.text(s.writer)
	e.raw(`,"pid":`)
	e.int(int64(s.pid))
	e.raw(`,"event_id":`)
	e.text(r.EventID)
	e.raw(`,"record_type":`)
	e.text(string(r.Kind))
	e.raw(`,"tool":`)
	e.text(r.Tool)
	e.raw(`,"command_raw":`)
	e.textOrNull(r.CommandRaw)
	e.raw(`,"argv":`)
	e.list(r.Argv)
	e.raw(`,"exec_argv":`)
	if r.ExecArgv == nil {
		e.raw("null")
	} else {
		e.list(r.ExecArgv)
	}
	e.raw(`,"cwd":`)
	e.text(r.Cwd)
	e.raw(`,"jail":`)
	e.text(r.Jail)
	e.raw(`,"exe":`)
	if r.Exe == "" {
		e.raw("null")
	} else {
		e.text(r.Exe)
	}
	e.raw(`,"policy_hash":`)
	e.text(r.PolicyHash)
	e.raw(`,"client":`)
	e.text(r.Client)
	if r.Result != nil {
		e.result(r.Result)
	}
	if s.unlogged > 0 {
		e.raw(`,"unlogged":`)
		e.int(s.unlogged)
	}
	e.raw(`,"prev_hash":"`)
	e.raw(s.prev)
	e.raw(`"`)
}

func (e *encoder) result(r *Result) {
	e.raw(`,"code":`)
	e.text(r.Code)
	e.raw(`,"exit_code":`)
	if r.ExitCode == nil {
		e.raw("null")
	} else {
		e.int(int64(*r.ExitCode))
	}
	e.raw(`,"duration_ms":`)
	e.int(r.Duration.Milliseconds())
	e.raw(`,"stdout_bytes":`)
	e.int(r.StdoutBytes)
	e.raw(`,"stderr_bytes":`)
	e.int(r.StderrBytes)
	e.raw(`,"truncated":`)
	e.b = strconv.AppendBool(e.b, r.Truncated)
	e.raw(`,"redactions":`)
	e.counts(r.Redactions)
	e.raw(`,"policy_reason":`)
	e.text(r.PolicyReason)
}

func (e *encoder) raw(s string) { e.b = append(e.b, s...) }

func (e *encoder) int(n int64) { e.b = strconv.AppendInt(e.b, n, 10) }

func (e *encoder) textOrNull(s *string) {
	if s == nil {
		e.raw("null")
		return
	}
	e.text(*s)
}

// text appends a JSON string. What is cut leaves its length and SHA-256 behind, so
// that the whole can still be compared with a copy kept elsewhere.
func (e *encoder) text(s string) {
	e.raw(`"`)
	if len(s) <= e.limit {
		e.escape(s)
	} else {
		e.escape(s[:runeStart(s, e.limit)])
		e.cut(strconv.Itoa(len(s))+" bytes", sha256.Sum256([]byte(s)))
	}
	e.raw(`"`)
}

func (e *encoder) cut(what string, sum [sha256.Size]byte) {
	e.raw("[cut: ")
	e.raw(what)
	e.raw(", sha256 ")
	e.b = hex.AppendEncode(e.b, sum[:])
	e.raw("]")
}

// list appends an array of strings. Its tail is replaced by one element that gives
// the number of arguments and the SHA-256 of all of them, each ended by a NUL.
func (e *encoder) list(args []string) {
	e.raw("[")
	most := e.limit / 4
	for i, arg := range args {
		if i > 0 {
			e.raw(",")
		}
		if i == most {
			h := sha256.New()
			for _, a := range args {
				h.Write([]byte(a))
				h.Write([]byte{0})
			}
			e.raw(`"`)
			e.cut(strconv.Itoa(len(args))+" arguments", [sha256.Size]byte(h.Sum(nil)))
			e.raw(`"`)
			break
		}
		e.text(arg)
	}
	e.raw("]")
}

// counts appends an object in the order of its keys, so that equal outcomes give
// equal bytes.
func (e *encoder) counts(m map[string]int) {
	e.raw("{")
	if len(m) > 0 {
		names := slices.Sorted(maps.Keys(m))
		for i, name := range names[:min(len(names), e.limit)] {
			if i > 0 {
				e.raw(",")
			}
			e.text(name)
			e.raw(":")
			e.int(int64(m[name]))
		}
	}
	e.raw("}")
}

// escape appends s with everything outside 0x20-0x7e as \uXXXX, invalid UTF-8 as
// \ufffd.
func (e *encoder) escape(s string) {
	for done := 0; ; {
		n := done
		for n < len(s) && s[n] >= ' ' && s[n] <= '~' && s[n] != '"' && s[n] != '\\' {
			n++
		}
		e.b = append(e.b, s[done:n]...)
		if n == len(s) {
			return
		}
		if c := s[n]; c == '"' || c == '\\' {
			e.b = append(e.b, '\\', c)
			done = n + 1
			continue
		}
		r, size := utf8.DecodeRuneInString(s[n:])
		e.unicode(r)
		done = n + size
	}
}

func (e *encoder) unicode(r rune) {
	if r > 0xffff {
		r -= 0x10000
		e.unicode(0xd800 + r>>10)
		e.unicode(0xdc00 + r&0x3ff)
		return
	}
	const digits = "0123456789abcdef"
	e.b = append(e.b, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}

// runeStart returns the last index at or before n where a rune of s starts.
func runeStart(s string, n int) int {
	for i := n; i > n-utf8.UTFMax && i > 0; i-- {
		if utf8.RuneStart(s[i]) {
			return i
		}
	}
	return n
}
