package secrets

import "strings"

// escapeLen is the length of the terminal control sequence at the start of s,
// 0 when there is none. Sequences are those of ECMA-48 and xterm: CSI, the
// strings OSC, DCS, APC, PM and SOS, and two-byte escapes; C1 controls count
// in their two-byte UTF-8 form.
//
// A string that is not ended gives only its introducer: a cut or forged one
// must not hide what follows. For the same reason ESC ( takes a third byte
// only when it names a character set.
func escapeLen(s string) int {
	if len(s) < 2 {
		return 0
	}
	var kind byte
	switch {
	case s[0] == 0x1b:
		kind = s[1]
	case s[0] == 0xC2 && 0x80 <= s[1] && s[1] < 0xA0:
		kind = s[1] - 0x40
	default:
		return 0
	}
	switch {
	case kind == '[':
		return csiLen(s)
	case kind == ']' || kind == 'P' || kind == '_' || kind == '^' || kind == 'X':
		return stringLen(s)
	case strings.IndexByte("()*+-./", kind) >= 0:
		if len(s) > 2 && strings.IndexByte("0123456789ABCEHKQRYZ<=>%&`", s[2]) >= 0 {
			return 3
		}
		return 1
	case kind == '#' || kind == '%' || kind == ' ':
		if len(s) > 2 && (isDigit(s[2]) || s[2] == '@' || s[2] == 'G' || s[2] == 'F') {
			return 3
		}
		return 1
	case 0x30 <= kind && kind < 0x7f || s[0] == 0xC2:
		return 2
	}
	return 1
}

// csiLen measures parameters, intermediates and the final byte. A sequence
// broken off by another character ends before it.
func csiLen(s string) int {
	i := 2
	for i < len(s) && 0x30 <= s[i] && s[i] <= 0x3f {
		i++
	}
	for i < len(s) && 0x20 <= s[i] && s[i] <= 0x2f {
		i++
	}
	if i < len(s) && 0x40 <= s[i] && s[i] <= 0x7e {
		i++
	}
	return i
}

// stringLen measures a string up to BEL or ST. Any other escape breaks it off,
// which also keeps the search linear over many of them.
func stringLen(s string) int {
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == 0x07:
			return i + 1
		case 0x80 <= c && c < 0xA0 && s[i-1] == 0xC2:
			if c == 0x9c {
				return i + 1
			}
			return 2
		case c == 0x1b:
			if i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
			return 2
		}
	}
	return 2
}

// StripEscapes removes terminal control sequences and every control character
// but newline, tab and carriage return.
func StripEscapes(s string) string {
	i := nextControl(s, 0)
	if i == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	from := 0
	for i < len(s) {
		b.WriteString(s[from:i])
		switch n := escapeLen(s[i:]); {
		case n > 0:
			i += n
		default:
			i++
		}
		from = i
		i = nextControl(s, i)
	}
	b.WriteString(s[from:])
	return b.String()
}

// nextControl finds the next control character from i on, as a byte or as a
// C1 control in UTF-8. It returns len(s) when there is none.
func nextControl(s string, i int) int {
	for ; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 0x20 && c < 0x7f || c == '\n' || c == '\t' || c == '\r':
		case c < 0x20 || c == 0x7f:
			return i
		case c == 0xC2 && i+1 < len(s) && s[i+1] < 0xA0 && s[i+1] >= 0x80:
			return i
		}
	}
	return i
}
