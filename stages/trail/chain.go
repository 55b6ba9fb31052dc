package trail

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"strconv"
	"strings"
)

const (
	hashLen  = 2 * sha256.Size
	hashKey  = `,"hash":"`
	prevKey  = `,"prev_hash":"`
	sealEnd  = "\"}\n"
	sealLen  = len(hashKey) + hashLen + len(sealEnd)
	linkLen  = len(prevKey) + hashLen + len(`"`) // the link to the line before
	lineHead = `{"v":1,"seq":`
)

// genesis is the prev_hash of the first record of a trail.
var genesis = strings.Repeat("0", hashLen)

// Head names a place in the chain: the last record's number and hash. Kept
// elsewhere it is the anchor that shows a tail cut off later.
type Head struct {
	Seq  uint64
	Hash string
}

// String gives the form that [ParseHead] reads: SEQ:HASH.
func (h Head) String() string { return strconv.FormatUint(h.Seq, 10) + ":" + h.Hash }

// ParseHead reads SEQ:HASH.
func ParseHead(s string) (Head, error) {
	seq, sum, found := strings.Cut(s, ":")
	n, err := strconv.ParseUint(seq, 10, 64)
	if !found || err != nil || !isHash([]byte(sum)) {
		return Head{}, fmt.Errorf("head %q is not SEQ:HASH with 64 hex digits", s)
	}
	return Head{n, sum}, nil
}

// sealer ends lines with their hash. It is not safe for concurrent use.
type sealer struct {
	mac hash.Hash // nil without a key
	sum []byte
}

func newSealer(key []byte) *sealer {
	if len(key) == 0 {
		return &sealer{}
	}
	return &sealer{mac: hmac.New(sha256.New, key)}
}

// hash returns the hex digest of a line's bytes before `,"hash":"`; it is valid until
// the next call.
func (s *sealer) hash(body []byte) []byte {
	s.sum = s.sum[:0]
	if s.mac == nil {
		sum := sha256.Sum256(body)
		s.sum = hex.AppendEncode(s.sum, sum[:])
		return s.sum
	}
	s.mac.Reset()
	s.mac.Write(body)
	var sum [sha256.Size]byte
	s.sum = hex.AppendEncode(s.sum, s.mac.Sum(sum[:0]))
	return s.sum
}

// seal completes the line that starts at from, and returns it with its hash.
func (s *sealer) seal(b []byte, from int) ([]byte, string) {
	sum := string(s.hash(b[from:]))
	b = append(b, hashKey...)
	b = append(b, sum...)
	return append(b, sealEnd...), sum
}

// sound reports whether the line's hash is that of its bytes.
func (s *sealer) sound(line []byte) bool {
	if len(line) < sealLen {
		return false
	}
	at := len(line) - sealLen
	return hmac.Equal(s.hash(line[:at]), line[at+len(hashKey):][:hashLen])
}

// link is what ties a line into the chain.
type link struct {
	seq        uint64
	prev, hash string
}

var errShape = errors.New("is not a record of this log")

// parseLink reads the ends of a line, newline included. It says nothing about
// whether the hash is right.
func parseLink(line []byte) (link, error) {
	if len(line) > MaxLine || len(line) < len(lineHead)+linkLen+sealLen || !bytes.HasPrefix(line, []byte(lineHead)) || damaged(line) {
		return link{}, errShape
	}
	digits, _, found := bytes.Cut(line[len(lineHead):], []byte(","))
	if !found || len(digits) > 20 {
		return link{}, errShape
	}
	seq, err := strconv.ParseUint(string(digits), 10, 64)
	if err != nil || seq == 0 {
		return link{}, errShape
	}
	seal := line[len(line)-sealLen:]
	tie := line[len(line)-sealLen-linkLen : len(line)-sealLen]
	prev, own := tie[len(prevKey):][:hashLen], seal[len(hashKey):][:hashLen]
	if !bytes.HasPrefix(tie, []byte(prevKey)) || !bytes.HasPrefix(seal, []byte(hashKey)) ||
		!bytes.HasSuffix(seal, []byte(sealEnd)) || !isHash(prev) || !isHash(own) {
		return link{}, errShape
	}
	return link{seq, string(prev), string(own)}, nil
}

// damaged reports whether a line is something this package never writes: unended,
// or with a byte that is not printable ASCII.
func damaged(line []byte) bool {
	end := len(line) - 1
	if end < 0 || line[end] != '\n' {
		return true
	}
	for _, c := range line[:end] {
		if c < ' ' || c > '~' {
			return true
		}
	}
	return false
}

func isHash(b []byte) bool {
	if len(b) != hashLen {
		return false
	}
	for _, c := range b {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
