package secrets

import "strings"

// A separator is what stands between a key name and its value.
type separator uint8

const (
	noSeparator  separator = iota
	equals                 // KEY=v
	spacedEquals           // key = v, key := v, key => v
	colon                  // key: v
	element                // <key>v</key>
	blank                  // --key v, ENV KEY v, PASSWORD 'v'
	column                 // key    v, key | v
	pair                   // name: KEY, value: v
	verb                   // the key is v
)

// A key is a key name in a text and what is known about it.
type key struct {
	name    string
	start   int
	end     int // after the name, before quotes and separator
	s       strength
	rule    string
	sep     separator
	flag    bool // --name
	upper   bool // NAME
	pass    bool // it is a password rather than a token
	query   bool // it is a parameter of a URL, so & ends the value
	operand bool // the value follows only in some commands and files: see commandBefore
	first   bool // nothing but indentation stands before it on its line
}

// keyed looks at the key name that holds the keyword at v.s[at].
func (v *view) keyed(at int) {
	if at < v.until {
		return
	}
	k, ok := v.keyAt(at)
	if !ok {
		return
	}
	i := v.separator(&k)
	if k.sep == noSeparator {
		return
	}
	k.describe(v)
	if k.sep == colon {
		if from, to, ok := blockScalar(v.s, k.start, i); ok {
			v.take(from, to, k.rule)
			return
		}
	}
	val, ok := v.value(i, &k)
	if !ok || !accept(&k, &val) || k.operand && !commandBefore(v.s, k.start) {
		return
	}
	v.take(val.start, val.end, k.rule)
}

// take reports a keyed value; what lies inside it is not looked at again.
func (v *view) take(start, end int, rule string) {
	v.add(start, end, rule, byName)
	v.until = max(v.until, end)
}

// maxName bounds a key name. Looking further would be quadratic over a text of
// nothing but name characters.
const maxName = 64

// keyAt finds the whole key name around the keyword at v.s[at].
func (v *view) keyAt(at int) (key, bool) {
	s := v.s
	end := at
	for end < len(s) && end-at < maxName && (nameChars[s[end]] || s[end] == ' ' && end-at == 3 && equalFold(s[at:end], "api")) {
		end++
	}
	if end == v.named || end-at >= maxName || !mayFollow(s, end) {
		return key{}, false
	}
	v.named = end
	start := at
	for start > 0 && end-start < maxName && nameChars[s[start-1]] {
		start--
	}
	k := key{name: s[start:end], start: start, end: end}
	if strings.HasSuffix(s[:start], markerOpen) {
		return key{}, false
	}
	k.s, k.rule = judge(k.name)
	if k.s == no || k.s == weak {
		if word := wordBefore(s, start); word != "" {
			if s, rule := judge(word + "_" + k.name); s != no {
				k.s, k.rule = s, rule
			}
		}
	}
	if k.s == no {
		return key{}, false
	}
	k.flag = s[start] == '-'
	return k, true
}

// describe fills in what the value is judged by.
func (k *key) describe(v *view) {
	s := v.s
	k.upper = strings.ToUpper(k.name) == k.name
	k.pass = containsFold(k.name, "pass") || containsFold(k.name, "pwd") || containsFold(k.name, "psk")
	k.query = v.query || k.start > 0 && (s[k.start-1] == '?' || s[k.start-1] == '&' || s[k.start-1] == ';' && strings.HasSuffix(s[:k.start], "&amp;"))
	k.first = firstOnLine(s, k.start)
	if k.rule == "key_value" && (containsFold(k.name, "signature") || len(k.name) >= 3 && equalFold(k.name[len(k.name)-3:], "sig")) && !k.query {
		k.s = no // signatures are public; those of signed URLs are not
	}
}

// containsFold is strings.Contains for a lower-case ASCII word.
func containsFold(s, word string) bool {
	for i := 0; i+len(word) <= len(s); i++ {
		if equalFold(s[i:], word) {
			return true
		}
	}
	return false
}

// afterName are the bytes a separator, or what closes the name before it, may
// begin with.
var afterName = newClass("\"'`\\=:|<>,?+(% \t\n\r&]-")

// mayFollow is a first look at what stands after a name, to be done with most
// of them: of those before a blank, only some are followed by a value.
func mayFollow(s string, i int) bool {
	if i == len(s) || !afterName[s[i]] {
		return false
	}
	return s[i] != '(' || i+1 < len(s) && isQuote(s[i+1])
}

// wordBefore returns a word that makes a plain "key", "token" or "secret"
// after it the name of a secret.
func wordBefore(s string, start int) string {
	if start == 0 || s[start-1] != ' ' {
		return ""
	}
	from := start - 1
	for from > 0 && start-from < 16 && isAlpha(s[from-1]) {
		from--
	}
	switch w := strings.ToLower(s[from : start-1]); w {
	case "api", "app", "application", "admin", "access", "secret", "private", "auth", "client", "master", "encryption", "account", "storage", "session", "refresh", "bearer", "license", "signing", "shared", "personal":
		return w
	}
	return ""
}

// firstOnLine reports whether only indentation and list or diff marks stand
// before s[i] on its line.
func firstOnLine(s string, i int) bool {
	for n := max(0, i-64); i > n; i-- {
		switch s[i-1] {
		case '\n':
			return true
		case ' ', '\t', '-', '+', '"', '\'', '|', '>', '*', '#':
		default:
			return false
		}
	}
	return i == 0
}

// separator sets k.sep and returns where the value may begin.
func (v *view) separator(k *key) int {
	s := v.s
	i, closed := closeQuote(s, k.end)
	if i < len(s) && s[i] == ']' && closed {
		i++
	}
	j := skipBlanks(s, i)
	rest := s[j:min(len(s), j+8)]
	switch {
	case rest == "":
		return j
	case strings.HasPrefix(rest, "=>"), strings.HasPrefix(rest, ":="), strings.HasPrefix(rest, "->"):
		k.sep = spacedEquals
		return skipBlanks(s, j+2)
	case strings.HasPrefix(rest, "=="), strings.HasPrefix(rest, "=~"), strings.HasPrefix(rest, "::"), strings.HasPrefix(rest, ":/"):
		if strings.HasPrefix(rest, "==") || rest[0] == '=' || strings.HasPrefix(rest, "::") || strings.HasPrefix(rest, "://") {
			return j
		}
	case strings.HasPrefix(rest, "?="), strings.HasPrefix(rest, "+="):
		k.sep = spacedEquals
		return skipBlanks(s, j+2)
	}
	switch {
	case rest[0] == '=':
		k.sep = equals
		if e := skipBlanks(s, j+1); j > i || e > j+1 {
			k.sep = spacedEquals
			return e
		}
		return j + 1
	case rest[0] == ':' && j+1 < len(s) && !isBlank(s[j+1]) && k.start > 0 && (s[k.start-1] == ':' || s[k.start-1] == '/' && strings.HasPrefix(s[max(0, k.start-2):], "//")):
		return j // a field of an ARN, or the user of a URL
	case rest[0] == ':':
		k.sep = colon
		return skipBlanks(s, j+1)
	case rest[0] == '>' && k.start > 0 && s[k.start-1] == '<':
		k.sep = element
		return skipSpace(s, j+1)
	case strings.HasPrefix(rest, "%3D"), strings.HasPrefix(rest, "%3d"):
		return j // the decoded view has it
	}
	if e, ok := pairValue(s, i); ok {
		k.sep = pair
		return e
	}
	switch {
	case rest[0] == ',' && closed && k.flag:
		k.sep = blank
		return skipSpace(s, j+1)
	case rest[0] == ',' && (closed || firstOnLine(s, k.start)):
		k.sep = column
		return skipBlanks(s, j+1)
	case rest[0] == '(' && len(rest) > 1 && isQuote(rest[1]):
		k.sep = equals
		return j + 1
	case rest[0] == '|' && j > i:
		k.sep = column
		return skipBlanks(s, j+1)
	case j == i || closed && !k.flag:
		return j
	case strings.HasPrefix(rest, "is ") || strings.HasPrefix(rest, "was "):
		k.sep = verb
		return skipBlanks(s, j+strings.IndexByte(rest, ' '))
	case k.flag, (s[j] == '\'' || s[j] == '"') && len(k.name) == 8 && equalFold(k.name, "password"):
		k.sep = blank
	case j >= i+2 || s[i] == '\t':
		k.sep = column
	default:
		if w := skipClass(s, j, &letterChars); w > j && (w == len(s) || isSpace(s[w]) || strings.IndexByte(".,;:)\"'", s[w]) >= 0) {
			return j // prose
		}
		k.sep, k.operand = blank, true
	}
	return j
}

// closeQuote skips the quote that closes a quoted name, with the backslashes
// before it, and &quot;.
func closeQuote(s string, i int) (int, bool) {
	j := i
	for j < len(s) && s[j] == '\\' {
		j++
	}
	if j < len(s) && isQuote(s[j]) {
		return j + 1, true
	}
	if strings.HasPrefix(s[i:], "&quot;") {
		return i + 6, true
	}
	return i, false
}

func skipSpace(s string, i int) int {
	for n := min(len(s), i+64); i < n && isSpace(s[i]); i++ {
	}
	return i
}

// commandBefore reports whether the name is an operand that its value follows
// after a blank: ENV X v, set X v, and the lines of .netrc.
func commandBefore(s string, start int) bool {
	from := max(lineStart(s, start), start-120)
	before := strings.TrimRight(s[from:start], " \t")
	if strings.HasSuffix(before, "\"") || strings.HasSuffix(before, "'") {
		return false
	}
	words := strings.Fields(before)
	if len(words) == 0 {
		return netrcBefore(s, from)
	}
	switch last := words[len(words)-1]; last {
	case "ENV", "ARG", "env", "setx", "setenv", "-x", "-gx", "-Ux", "-xg", "-Ux:", "\\set", "requirepass", "masterauth", "SetEnv", "PassEnv", "fastcgi_param", "proxy_set_header":
		return true
	case "set":
		return len(words) == 1 || len(words) == 2 && strings.ContainsAny(words[0], "$>%")
	}
	for i, w := range words {
		if (w == "login" || w == "machine" || w == "user" || w == "default") && i < len(words)-1 {
			return true
		}
		if w == "set" && i > 0 && (words[i-1] == "config" || words[i-1] == "configure") {
			return true
		}
	}
	return false
}

// netrcBefore looks for a .netrc entry on the lines before.
func netrcBefore(s string, start int) bool {
	before := s[max(0, start-200):start]
	return strings.Contains(before, "machine ") && strings.Contains(before, "login ")
}

// pairValue finds the value of a pair whose first half names the secret:
//
//   - name: KEY           {"name": "KEY", "value": "v"}
//     value: v            <add key="KEY" value="v"/>
func pairValue(s string, i int) (int, bool) {
	end := min(len(s), i+80)
	j := i
	newline := false
	for j < end && (isSpace(s[j]) || strings.IndexByte("\"'\\,;-+|", s[j]) >= 0) {
		newline = newline || s[j] == '\n'
		j++
	}
	if j < end && s[j] == '<' && j+1 < end && s[j+1] == '/' {
		if k := strings.IndexByte(s[j:end], '>'); k >= 0 {
			j = skipSpace(s, j+k+1)
		}
	}
	if j < end && s[j] == '<' {
		j++
	}
	from := j
	for j < end && nameChars[s[j]] {
		j++
	}
	word := strings.ToLower(s[from:j])
	if strings.Contains(word, ".") || !strings.HasSuffix(word, "value") && word != "string" && word != "val" && word != "content" {
		return 0, false
	}
	j, _ = closeQuote(s, j)
	if word == "string" && (j >= len(s) || s[j] != '>') {
		return 0, false
	}
	j = skipBlanks(s, j)
	if j >= end || strings.IndexByte(":=>", s[j]) < 0 {
		return 0, false
	}
	return skipBlanks(s, j+1), true
}

// blockScalar finds the lines of a YAML block scalar that begins at s[i].
func blockScalar(s string, start, i int) (from, to int, ok bool) {
	if i >= len(s) || s[i] != '|' && s[i] != '>' {
		return 0, 0, false
	}
	j := i + 1
	for j < len(s) && (s[j] == '-' || s[j] == '+' || isDigit(s[j]) || isBlank(s[j]) || s[j] == '\r') {
		j++
	}
	if j >= len(s) || s[j] != '\n' {
		return 0, 0, false
	}
	indent := start - lineStart(s, start)
	for at := j + 1; at < len(s); {
		end := lineEnd(s, at)
		text := skipBlanks(s[:end], at)
		if text < end && s[text] != '\r' {
			if text-at <= indent {
				break
			}
			if from == 0 {
				from = text
			}
			to = end
		}
		if end >= len(s) || s[end] != '\n' {
			break
		}
		at = end + 1
	}
	if from == 0 || markerLen(s[from:]) == to-from || strings.HasPrefix(s[from:], "-----BEGIN") {
		return 0, 0, false
	}
	return from, to, true
}
