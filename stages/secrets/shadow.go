package secrets

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// shadow is s without what a reader does not see: terminal escapes, zero-width
// characters, NULs, and letters struck over with a backspace. A token that is
// coloured in its middle is whole again in it. ok is false when there was
// nothing to leave out.
func shadow(s string) (text string, back mapping, ok bool) {
	i := nextInvisible(s, 0)
	if i == len(s) {
		return "", mapping{}, false
	}
	out := make([]byte, 0, len(s))
	from := 0
	for {
		if i > from {
			back.put(len(out), from, 1)
			out = append(out, s[from:i]...)
		}
		if i == len(s) {
			return string(out), back, true
		}
		n := invisibleLen(s[i:])
		switch {
		case n > 0:
			i += n
		case s[i] == 0 && separates(s, i):
			back.put(len(out), i, 1)
			out = append(out, separatorFor(s, i))
			i++
		case s[i] == '\b' && len(out) > 0 && out[len(out)-1] != '\n':
			out = out[:len(out)-1]
			i++
		default:
			i++
		}
		from = i
		i = nextInvisible(s, i)
	}
}

// nextInvisible finds the next byte that the shadow may leave out.
func nextInvisible(s string, i int) int {
	for i < len(s) && !invisible(s, i) {
		i++
	}
	return i
}

func invisible(s string, i int) bool {
	c := s[i]
	switch {
	case c >= 0x20 && c < 0x80 || c == '\n' || c == '\t' || c == '\r':
		return false
	}
	return c < 0x20 || c >= 0xC2 && invisibleLen(s[i:]) > 0
}

// mayHide reports whether s holds any byte that nextInvisible stops at, as
// fast as that can be told; most output is plain ASCII.
func mayHide(s string) bool {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		x := word64(s, i)
		low := (x - 0x2020202020202020) & ^x & 0x8080808080808080
		if x&0x8080808080808080 == 0 && low == 0 {
			continue
		}
		for at := i; at < i+8; at++ {
			if invisible(s, at) {
				return true
			}
		}
	}
	return nextInvisible(s, i) < len(s)
}

// invisibleLen is the length of the invisible thing at the start of s.
func invisibleLen(s string) int {
	switch s[0] {
	case 0x1b:
		return escapeLen(s)
	case 0xC2:
		if len(s) > 1 && s[1] == 0xAD { // soft hyphen
			return 2
		}
		return escapeLen(s)
	case 0xCC, 0xCD, 0xE1, 0xE2, 0xEF, 0xF3:
		r, n := utf8.DecodeRuneInString(s)
		if zeroWidth(r) {
			return n
		}
	}
	return 0
}

func zeroWidth(r rune) bool {
	switch {
	case 0x200B <= r && r <= 0x200F, 0x202A <= r && r <= 0x202E, 0x2060 <= r && r <= 0x206F:
		return true
	case r == 0x034F, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, r == 0x180E, r == 0xFEFF:
		return true
	case 0xFE00 <= r && r <= 0xFE0F, 0xE0000 <= r && r <= 0xE01EF:
		return true
	}
	return false
}

// separates tells a NUL that ends a string, as in /proc/PID/environ, in
// /proc/PID/cmdline and in the output of find -print0, from one that stands
// between the letters of a word.
func separates(s string, i int) bool {
	rest := s[i+1 : min(len(s), i+64)]
	if rest == "" || rest[0] == 0 {
		return false
	}
	if rest[0] == '-' || rest[0] == '/' || strings.HasPrefix(rest, "./") {
		before := s[max(0, i-256):i]
		before = before[strings.LastIndexAny(before, "\x00\n")+1:]
		return !strings.HasPrefix(rest[1:], "\x00") && (strings.HasPrefix(before, "-") || !strings.Contains(before, "="))
	}
	n := 0
	for n < len(rest) && (isAlnum(rest[n]) || rest[n] == '_') {
		n++
	}
	if n > 0 && n < len(rest) && rest[n] == '=' {
		return true
	}
	start := i
	for start > 0 && i-start < 40 && s[start-1] > ' ' {
		start--
	}
	return strings.HasPrefix(s[start:i], "-")
}

// separatorFor is what a NUL that separates becomes: a blank between the
// arguments of a command, a line end between variables and file names.
func separatorFor(s string, i int) byte {
	before := s[max(0, i-256):i]
	before = before[strings.LastIndexAny(before, "\x00\n")+1:]
	if strings.HasPrefix(before, "-") || i+1 < len(s) && s[i+1] == '-' {
		return ' '
	}
	return '\n'
}

// order is the byte order of a text in UTF-16; the zero value means that the
// text is not.
type order byte

const (
	littleEndian order = 'l'
	bigEndian    order = 'b'
)

// byteOrder reads the byte order mark of s.
func byteOrder(s string) order {
	switch {
	case strings.HasPrefix(s, "\xff\xfe"):
		return littleEndian
	case strings.HasPrefix(s, "\xfe\xff"):
		return bigEndian
	}
	return 0
}

// encode writes ASCII in the order.
func (o order) encode(s string) string {
	if o == 0 {
		return s
	}
	out := make([]byte, 0, 2*len(s))
	for i := 0; i < len(s); i++ {
		if o == littleEndian {
			out = append(out, s[i], 0)
		} else {
			out = append(out, 0, s[i])
		}
	}
	return string(out)
}

// decode turns UTF-16 into UTF-8; the byte order mark stays, as U+FEFF.
func (o order) decode(s string) (string, mapping) {
	unit := func(i int) rune {
		if o == littleEndian {
			return rune(s[i]) | rune(s[i+1])<<8
		}
		return rune(s[i])<<8 | rune(s[i+1])
	}
	var back mapping
	out := make([]byte, 0, len(s))
	for i := 0; i+2 <= len(s); i += 2 {
		r := unit(i)
		if utf16.IsSurrogate(r) && i+4 <= len(s) {
			if both := utf16.DecodeRune(r, unit(i+2)); both != utf8.RuneError {
				r = both
				back.put(len(out), i, 2)
				i += 2
			}
		}
		before := len(out)
		out = utf8.AppendRune(out, r)
		for k := before; k < len(out); k++ {
			if len(out)-before == 1 {
				back.put(k, i, 2)
			} else {
				back.steps = append(back.steps, step{k, i, 2})
			}
		}
	}
	return string(out), back
}
