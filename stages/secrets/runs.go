package secrets

import (
	"regexp"
	"strings"
	"sync"
)

// minRun is the shortest run of base64 characters that is looked at: the
// base64 of 18 bytes.
const minRun = 24

// runs looks at every long run of base64 characters: it may be base64, or one
// of the few tokens that have no fixed beginning. A run of minRun characters
// holds a whole 8-byte word at a multiple of 16, so most text is skipped by
// looking at half of it.
func (v *view) runs() {
	s := v.s
	for i := 0; i+8 <= len(s); i += 16 {
		x := word64(s, i)
		const ones = 0x0101010101010101
		low := (x - 0x2b*ones) & ^x
		high := x + 0x05*ones | x
		if (low|high)&0x8080808080808080 != 0 {
			continue
		}
		if end := v.run(i); end > i {
			i = (end - 1) &^ 15
		}
	}
}

// run looks at the run around v.s[i] and returns its end.
func (v *view) run(i int) int {
	s := v.s
	end := skipClass(s, i, &runChars)
	if end < i+8 && end < len(s) {
		return i
	}
	start := i
	for start > 0 && i-start < minRun && runChars[s[start-1]] {
		start--
	}
	if end-start < minRun {
		return i
	}
	for start > 0 && runChars[s[start-1]] {
		start--
	}
	if start > 0 && s[start-1] == '\\' && strings.IndexByte("nrt", s[start]) >= 0 {
		start++
	}
	v.bareToken(start, end)
	if v.depth < maxDepth {
		return v.base64(start, end)
	}
	return end
}

// bare are the tokens of the table that have no keyword, by name.
var bare = sync.OnceValue(func() map[string]*regexp.Regexp {
	out := map[string]*regexp.Regexp{}
	for i := range table {
		if b := &table[i]; len(b.Keywords) == 0 {
			out[b.Name] = regexp.MustCompile(b.Pattern)
		}
	}
	return out
})

// tryBare tries one of them on v.s[from:to].
func (v *view) tryBare(name string, from, to int, ok func(string) bool) (end int) {
	m := bare()[name].FindStringIndex(v.s[from:to])
	if m == nil || ok != nil && !ok(v.s[from+m[0]:from+m[1]]) {
		return from
	}
	v.add(from+m[0], from+m[1], name, byShape)
	return from + m[1]
}

// bareToken tries the tokens without a keyword on the run [start, end).
func (v *view) bareToken(start, end int) {
	s := v.s
	n := end - start
	switch {
	case n < 40 && end+8 < len(s) && s[end] == '.' && s[end+7] == '.':
		v.tryBare("discord_token", max(start, end-32), min(len(s), end+80), allClasses)
	case n >= 34 && n < 45 && start > 8 && s[start-1] == ':' && isDigit(s[start-2]) && isDigit(s[start-8]):
		v.tryBare("telegram_token", max(0, start-11), end, nil)
	case n == 64 && start > 17 && s[start-1] == '.':
		v.tryBare("airtable_token", start-18, end, nil)
	}
	for from := start; from < end && n <= 512; {
		to := from
		for to < end && s[to] != '=' && s[to] != '/' {
			to++
		}
		if to-from >= 34 && to-from <= 64 {
			v.bareWord(from, to)
		}
		from = to + 1
	}
}

// bareWord tries them on a word between slashes and equals signs.
func (v *view) bareWord(from, end int) {
	token := v.s[from:end]
	if c := token[0]; c != 'r' && c != 'o' && c != 'c' && c != '0' && (from == 0 || v.s[from-1] != '*') {
		if i := strings.Index(token[:10], "SK"); i < 0 || !isHex(token[i+2]) || !isHex(token[i+3]) {
			return
		}
	}
	fits := func(n int) func(string) bool { // nothing but a few characters stands around it
		return func(t string) bool { return len(token)-len(t) <= n && hasDigit(t) }
	}
	switch {
	case strings.Contains(token, "SK"):
		v.tryBare("twilio_key", from, end, fits(8))
	case strings.HasPrefix(token, "r8_"):
		v.tryBare("replicate_key", from, end, fits(0))
	case strings.HasPrefix(token, "oy2"):
		v.tryBare("nuget_key", from, end, fits(0))
	case strings.HasPrefix(token, "cio") && len(token) == 35:
		v.tryBare("crates_token", from, end, allClasses)
	case len(token) == 40 && from > 0 && v.s[from-1] == '*' && strings.Trim(token, "0123456789ABCDEF") == "":
		v.add(from-1, end, "password_hash", byShape) // MySQL's native hash
	case len(token) == 42 && strings.HasPrefix(token, "00"):
		v.tryBare("okta_token", from, end, allClasses)
	}
}

// tildes looks for Microsoft Entra secrets, which have a Q~ in their middle.
func (v *view) tildes() {
	s := v.s
	for i := 0; i < len(s); i++ {
		n := strings.IndexByte(s[i:], '~')
		if n < 0 {
			return
		}
		i += n
		if i >= 5 && s[i-1] == 'Q' && isDigit(s[i-2]) {
			i = max(i, v.tryBare("azure_client_secret", i-5, min(len(s), i+36), allClasses)-1)
		}
	}
}
