package secrets

// class is a set of bytes, tested with one load.
type class [256]bool

func newClass(ranges string) (c class) {
	for i := 0; i < len(ranges); i++ {
		if i+2 < len(ranges) && ranges[i+1] == '-' {
			for b := int(ranges[i]); b <= int(ranges[i+2]); b++ {
				c[b] = true
			}
			i += 2
			continue
		}
		c[ranges[i]] = true
	}
	return c
}

// each calls f for every byte of the class.
func (c *class) each(f func(byte)) {
	for b, in := range c {
		if in {
			f(byte(b))
		}
	}
}

var (
	letterChars = newClass("a-zA-Z")
	alnumChars  = newClass("a-zA-Z0-9")
	nameChars   = newClass("a-zA-Z0-9_.-")
	tokenChars  = newClass("a-zA-Z0-9_.=~/:@+%$,{}*\\-")
	afterKey    = newClass("a-zA-Z0-9./_+%{}=~$\\@-") // may follow the keyword of a token
	runChars    = newClass("a-zA-Z0-9+/_=-")          // both base64 alphabets
	base64Chars = newClass("a-zA-Z0-9+/_-")
)

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isAlpha(c byte) bool { return isLower(c | 0x20) }
func isAlnum(c byte) bool { return isAlpha(c) || isDigit(c) }
func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }
func isBlank(c byte) bool { return c == ' ' || c == '\t' }
func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
func isHex(c byte) bool {
	return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func lower(c byte) byte {
	if isUpper(c) {
		return c | 0x20
	}
	return c
}

// skipBlanks returns the first index from i on that is no space or tab.
func skipBlanks(s string, i int) int {
	for i < len(s) && isBlank(s[i]) {
		i++
	}
	return i
}

// skipClass returns the first index from i on that is not in c.
func skipClass(s string, i int, c *class) int {
	for i < len(s) && c[s[i]] {
		i++
	}
	return i
}

// lineStart and lineEnd bound the line that holds s[i]. Both look no further
// than 4 KiB, so that a text of one long line costs linear time.
func lineStart(s string, i int) int {
	for n := max(0, i-4096); i > n; i-- {
		if s[i-1] == '\n' {
			return i
		}
	}
	return i
}

func lineEnd(s string, i int) int {
	for n := min(len(s), i+4096); i < n; i++ {
		if s[i] == '\n' {
			return i
		}
	}
	return i
}
