package secrets

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// base64 decodes the run [start, end), and the lines after it when it is
// wrapped, and looks at what comes out. What holds a secret goes whole.
// It returns where the run, or the block of lines, ends.
func (v *view) base64(start, end int) int {
	s := v.s
	from, to := start, end
	for n := 0; n < 12 && from < to; n++ { // name= may be glued to the front
		if s[from] == '=' {
			from++
			break
		}
		from++
		if n == 11 || from == to {
			from = start
		}
	}
	if from > start && strings.IndexByte(s[start:from], '=') < 0 {
		from = start
	}
	if i := strings.IndexByte(s[from:to], '='); i >= 0 && i < to-from-2 {
		v.decoded(from, from+i, s[from:from+i])
		if rest := strings.LastIndexByte(strings.TrimRight(s[from:to], "="), '='); rest >= 0 {
			from += rest + 1
		}
	}
	if to-from < minRun {
		return end
	}
	shift, ok := alignment(s[from:to])
	if !ok {
		return end
	}
	last, joined := wrapped(s, from, to)
	v.decoded(from+shift, last, joined[shift:])
	return max(end, last)
}

// decoded looks at what text, which stands at [start, end), decodes to.
func (v *view) decoded(start, end int, text string) {
	plain, ok := decodeBase64(text)
	if !ok {
		return
	}
	if derKey(plain) {
		v.add(start, end, "private_key", byShape)
		return
	}
	if !printable(plain[:min(len(plain), 64)]) {
		return
	}
	inner := view{s: plain, sc: v.sc, depth: v.depth + 1}
	inner.back = mapping{fixed: true, from: start, to: end, parent: v.back.kept()}
	inner.look()
}

// alignment finds at which of its first four characters a run is base64 of
// text, or of a private key. Something may be glued to the front.
func alignment(run string) (shift int, ok bool) {
	for shift = 0; shift < 4 && len(run)-shift >= minRun-4; shift++ {
		if !mayDecode(run[shift : shift+8]) {
			continue
		}
		head, good := decodeBase64(run[shift : shift+16])
		if good && (printable(head) || derKey(head)) {
			return shift, true
		}
	}
	return 0, false
}

// sextet is the value of a character in either base64 alphabet.
var sextet = func() (t [256]byte) {
	for i, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		t[c] = byte(i)
	}
	t['-'], t['_'] = t['+'], t['/']
	return t
}()

// mayDecode looks at the first bytes that eight characters decode to: most
// base64 is of binary data, and shows it at once.
func mayDecode(s string) bool {
	b := [...]byte{
		sextet[s[0]]<<2 | sextet[s[1]]>>4, sextet[s[1]]<<4 | sextet[s[2]]>>2, sextet[s[2]]<<6 | sextet[s[3]],
		sextet[s[4]]<<2 | sextet[s[5]]>>4, sextet[s[5]]<<4 | sextet[s[6]]>>2,
	}
	if b[0] == 0x30 { // DER
		return true
	}
	last := byte(0)
	for _, c := range b {
		follows := c&0xC0 == 0x80 // must stand after another byte of its rune, and only there
		if follows && last < 0x80 || !follows && last >= 0xC0 || c >= 0xF5 || c < 0x20 && !isSpace(c) && c != 0 && c != 0x1b {
			return false
		}
		last = c
	}
	return true
}

// wrapped follows base64 over its line ends: lines of the same length and
// indentation, the last one shorter. It returns the end of the last line and
// the lines joined.
func wrapped(s string, start, end int) (last int, text string) {
	width := end - start
	if width < 40 || width > 128 || end >= len(s) || s[end] != '\n' && s[end] != '\r' && s[end] != '\\' {
		return end, s[start:end]
	}
	var b strings.Builder
	b.WriteString(s[start:end])
	last = end
	for last < len(s) && b.Len() < holdBlock {
		next := last
		for next < len(s) && next-last < 48 && (isSpace(s[next]) || s[next] == '\\' && next+1 < len(s) && strings.IndexByte("nr\\", s[next+1]) >= 0) {
			if s[next] == '\\' {
				next++
			}
			next++
		}
		to := skipClass(s, next, &runChars)
		if to == next || to-next > width || to < len(s) && strings.IndexByte("\n\r\\\"'", s[to]) < 0 {
			break
		}
		b.WriteString(s[next:to])
		last = to
		if to-next < width {
			break
		}
	}
	return last, b.String()
}

// decodeBase64 decodes either alphabet, with or without padding. An incomplete
// last group is dropped.
func decodeBase64(s string) (string, bool) {
	s = strings.TrimRight(s, "=")
	if strings.IndexByte(s, '=') >= 0 {
		return "", false
	}
	if len(s)%4 == 1 {
		s = s[:len(s)-1]
	}
	enc := base64.RawStdEncoding
	if strings.ContainsAny(s, "-_") {
		if strings.ContainsAny(s, "+/") {
			return "", false
		}
		enc = base64.RawURLEncoding
	}
	out, err := enc.DecodeString(s)
	return string(out), err == nil && len(out) > 0
}

// printable reports whether s could be text: UTF-8, possibly cut in a rune, or
// ASCII with NULs between (UTF-16), with no other control characters.
func printable(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 0x20 && c < 0x7f, c >= 0x09 && c <= 0x0d, c == 0x1b:
		case c == 0 && i > 0 && s[i-1] != 0:
		case c >= 0xC2:
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError {
				return len(s)-i < utf8.UTFMax && i > 0
			}
			i += n - 1
		default:
			return false
		}
	}
	return s != ""
}

// derKey reports whether DER begins like a private key: PKCS #1, PKCS #8, its
// encrypted form, or SEC 1. Certificates and public keys begin otherwise.
func derKey(s string) bool {
	if len(s) < 12 || s[0] != 0x30 {
		return false
	}
	i := 2
	if s[1]&0x80 != 0 {
		i += int(s[1] & 0x7f)
	}
	if i > 5 || i+7 > len(s) {
		return false
	}
	t := s[i:]
	switch {
	case strings.HasPrefix(t, "\x02\x01\x00\x02\x82"), strings.HasPrefix(t, "\x02\x01\x00\x02\x81"): // PKCS #1
	case strings.HasPrefix(t, "\x02\x01\x00\x30"), strings.HasPrefix(t, "\x02\x01\x01\x30"): // PKCS #8
	case strings.HasPrefix(t, "\x02\x01\x01\x04"): // SEC 1
	default:
		return false
	}
	return true
}

// percent looks at the words that hold percent-encoded characters, decoded.
// What comes out may be encoded once more.
func (v *view) percent() {
	if v.depth >= maxDepth {
		return
	}
	s := v.s
	for i := 0; i < len(s); {
		n := strings.IndexByte(s[i:], '%')
		if n < 0 {
			return
		}
		at := i + n
		if !escaped(s, at) {
			i = at + 1
			continue
		}
		start, end := at, at
		for start > i && wordByte(s[start-1]) {
			start--
		}
		for end < len(s) && wordByte(s[end]) {
			end++
		}
		v.unescape(start, end)
		i = end
	}
}

func wordByte(c byte) bool {
	return c > ' ' && c != '"' && c != '\'' && c != '<' && c != '>' && c != '`'
}

// escaped reports %XX at s[i].
func escaped(s string, i int) bool {
	return i >= 0 && i+2 < len(s) && s[i] == '%' && isHex(s[i+1]) && isHex(s[i+2])
}

func (v *view) unescape(start, end int) {
	s := v.s
	var back mapping
	out := make([]byte, 0, end-start)
	for i := start; i < end; {
		if escaped(s, i) && i+2 < end {
			back.steps = append(back.steps, step{len(out), i, 3})
			out = append(out, unhex(s[i+1])<<4|unhex(s[i+2]))
			i += 3
			continue
		}
		back.put(len(out), i, 1)
		out = append(out, s[i])
		i++
	}
	back.parent = v.back.kept()
	inner := view{s: string(out), sc: v.sc, back: back, depth: v.depth + 1, query: true}
	inner.look()
}

func unhex(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
