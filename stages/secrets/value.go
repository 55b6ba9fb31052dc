package secrets

import "strings"

// A value is what stands after a separator.
type value struct {
	start, end int
	text       string
	quoted     bool
	open       bool // no end was found within maxValue
	rest       string
}

// maxValue is how far the end of a value is looked for before it is taken as
// it is. What is longer is no identifier and no sentence.
const maxValue = 4 << 10

// value reads the value that begins at v.s[i].
func (v *view) value(i int, k *key) (value, bool) {
	s := v.s
	if i >= len(s) || s[i] == '\n' || s[i] == '\r' {
		return value{}, false
	}
	i = skipPrefix(s, i)
	if strings.HasPrefix(s[i:], "&quot;") || strings.HasPrefix(s[i:], "&#34;") {
		i += strings.IndexByte(s[i:], ';') + 1
	}
	val := value{start: i}
	level, quote := openQuote(s, i)
	switch {
	case quote != 0:
		val.quoted = true
		val.start = i + level + 1
		val.end, val.open = quoteEnd(s, val.start, quote, level)
		if !val.open && level == 0 {
			val.end = joined(s, val.end)
		}
	case i < len(s) && s[i] == '{' && (strings.HasSuffix(strings.ToLower(k.name), "pwd") || k.pass):
		val.end, val.open = bareEnd(s, i, k)
		n := strings.IndexByte(s[i:min(len(s), i+256)], '}')
		if n > 0 && !strings.ContainsAny(s[i:i+n], "\n\"") && (i+n+1 == len(s) || s[i+n+1] == ';' || s[i+n+1] == '\n') {
			val.start, val.end, val.open, val.quoted = i+1, i+n, false, true
		}
	default:
		val.end, val.open = bareEnd(s, i, k)
	}
	val.text = s[val.start:val.end]
	val.rest = s[val.end:min(len(s), val.end+16)]
	return val, val.end > val.start
}

// skipPrefix skips what languages put before the quote of a string: b"", f”,
// @"", $”.
func skipPrefix(s string, i int) int {
	if i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\'') && strings.IndexByte("bBrRfFuULl@$", s[i]) >= 0 {
		return i + 1
	}
	return i
}

// openQuote reports the quote at s[i] and how many backslashes stand before
// it: JSON inside JSON has one, one level deeper three.
func openQuote(s string, i int) (level int, quote byte) {
	for n := min(len(s), i+16); i < n; i++ {
		switch {
		case s[i] == '\\':
			level++
		case isQuote(s[i]):
			return level, s[i]
		default:
			return 0, 0
		}
	}
	return 0, 0
}

// quoteEnd finds the quote that closes a value opened with level backslashes.
// In a string of that level an inner quote has more of them; an unescaped one
// ends the string around it. A quote that is never closed ends with the line.
func quoteEnd(s string, i int, quote byte, level int) (end int, open bool) {
	slashes, line := 0, -1
	for n := min(len(s), i+maxValue); i < n; i++ {
		switch c := s[i]; {
		case c == '\\':
			slashes++
			continue
		case c == quote && closes(slashes, level):
			if line >= 0 && i-line > 0 && !strings.Contains(s[line:i], "=") {
				return i - min(slashes, level), false
			}
			if line >= 0 {
				return line, false
			}
			return i - min(slashes, level), false
		case c == '\n' && line < 0:
			line = i
		case c == 0x1b:
			return i, false
		}
		slashes = 0
	}
	if line >= 0 {
		return trimReturn(s, line), false
	}
	if i == len(s) {
		return i, false
	}
	return longEnd(s, i), true
}

func closes(slashes, level int) bool {
	if slashes < level {
		return true
	}
	return slashes%(2*(level+1)) == level
}

func trimReturn(s string, i int) int {
	if i > 0 && s[i-1] == '\r' {
		return i - 1
	}
	return i
}

// longEnd is the end of a value that is longer than maxValue: the next white
// space or quote.
func longEnd(s string, i int) int {
	for i < len(s) && !isSpace(s[i]) && s[i] != '"' && s[i] != '\'' {
		i++
	}
	return i
}

// joined follows shell words that change their quotes: 'a'"b"c.
func joined(s string, end int) int {
	for end+1 < len(s) && end < len(s) && isQuote(s[end]) {
		next := s[end+1]
		switch {
		case next == '"' || next == '\'':
			to, open := quoteEnd(s, end+2, next, 0)
			if open || to <= end+2 || to >= len(s) || s[to] != next {
				return end
			}
			end = to
		case isAlnum(next):
			to := end + 1
			for to < len(s) && to-end < 256 && !isSpace(s[to]) && !isQuote(s[to]) && s[to] != ',' && s[to] != ')' && s[to] != '}' {
				to++
			}
			return to
		default:
			return end
		}
	}
	return end
}

// bareEnd finds the end of a value without quotes.
func bareEnd(s string, i int, k *key) (end int, open bool) {
	start := i
	for n := min(len(s), i+maxValue); i < n; i++ {
		switch c := s[i]; {
		case c <= ' ' || c == 0x7f:
			return trimClosers(s, start, i), false
		case c == '"' || c == '\'' || c == '`':
			return trimClosers(s, start, i), false
		case c == '[' && markerLen(s[i:]) > 0:
			i += markerLen(s[i:]) - 1
		case c == '\\' && escapesEnd(s[i:]):
			return trimClosers(s, start, i), false
		case c == '&' && (k.query || entity(s[i:]) || parameter(s[i+1:])):
			return trimClosers(s, start, i), false
		case c == '#' && k.query && i > start:
			return i, false
		case c == '<' && i+1 < len(s) && (s[i+1] == '/' || k.sep == element):
			return i, false
		case (c == ';' || c == ',') && endsField(s[i+1:], c, k):
			return i, false
		case c == 0xC2 && strings.HasPrefix(s[i:], "\u00a0"), c == 0xE2 && strings.HasPrefix(s[i:], "\u201d"), c == 0xE2 && strings.HasPrefix(s[i:], "\u201c"):
			return i, false
		}
	}
	if i == len(s) {
		return trimClosers(s, start, i), false
	}
	return longEnd(s, i), true
}

// escapesEnd reports whether the backslash at the start of s begins an escape
// for a character that ends a value: a quote, a line end, & < >.
func escapesEnd(s string) bool {
	i := 0
	for i < len(s) && i < 8 && s[i] == '\\' {
		i++
	}
	if i == len(s) {
		return false
	}
	switch s[i] {
	case '"', '\'', 'n', 'r', 't', '`':
		return true
	case 'u':
		t := s[i+1:]
		for _, code := range []string{"0026", "003c", "003C", "003e", "003E", "0022", "0027", "001b", "001B"} {
			if strings.HasPrefix(t, code) {
				return true
			}
		}
	}
	return false
}

// parameter reports name= at the start of s, as in a form body.
func parameter(s string) bool {
	i := 0
	for i < len(s) && i < 40 && nameChars[s[i]] {
		i++
	}
	return i > 1 && i < len(s) && s[i] == '='
}

// entity reports an HTML entity that ends a value.
func entity(s string) bool {
	for _, e := range []string{"&quot;", "&amp;", "&lt;", "&gt;", "&#34;", "&#39;", "&apos;"} {
		if strings.HasPrefix(s, e) {
			return true
		}
	}
	return false
}

// endsField reports whether ; or , ends the field rather than being part of
// the value: at the end of the line or a string, before a blank, or before the
// next name=.
func endsField(s string, c byte, k *key) bool {
	if s == "" || s[0] <= ' ' || isQuote(s[0]) || s[0] == ')' || s[0] == '}' || s[0] == ']' || s[0] == '\\' {
		return true
	}
	if k.query && c == ';' {
		return true
	}
	for i := 0; i < len(s) && i < 40; i++ {
		switch {
		case nameChars[s[i]] || s[i] == ' ':
		case s[i] == '=' || c == ',' && s[i] == ':':
			return i > 0
		default:
			return false
		}
	}
	return false
}

// trimClosers takes brackets that were opened before the value, and closing
// punctuation, off its end.
func trimClosers(s string, start, end int) int {
	for end > start {
		c := s[end-1]
		switch c {
		case ',', ';':
		case ')', ']', '}', '>':
			if c == ']' && insideMarker(s, end-1) {
				return end
			}
			opener := map[byte]string{')': "(", ']': "[", '}': "{", '>': "<"}[c]
			text := s[start:end]
			if len(text) > 512 || strings.Count(text, opener) >= strings.Count(text, string(c)) {
				return end
			}
		default:
			return end
		}
		end--
	}
	return end
}
