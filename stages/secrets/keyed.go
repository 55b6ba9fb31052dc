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
	if k.sep == element && !strings.HasPrefix(val.rest, "<") && !strings.HasPrefix(strings.TrimLeft(val.rest, " \n\r\t"), "</") {
		return
	}
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
