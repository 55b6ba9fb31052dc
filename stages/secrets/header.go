package secrets

import "strings"

// header takes the credentials of an Authorization header. The keyword stands
// at [at, end).
func (v *view) header(at, end int) {
	s := v.s
	if at < v.until {
		return
	}
	if end < len(s) && isAlpha(s[end]) {
		return
	}
	for end < len(s) && end-at < maxName && nameChars[s[end]] {
		end++
	}
	i, _ := closeQuote(s, end)
	if i < len(s) && s[i] == ']' {
		i++
	}
	i = skipBlanks(s, i)
	switch {
	case strings.HasPrefix(s[i:], "=>"), strings.HasPrefix(s[i:], ":="):
		i += 2
	case i < len(s) && (s[i] == ':' || s[i] == '='):
		i++
	case i < len(s) && s[i] == ',':
		i++
	default:
		return
	}
	i = skipBlanks(s, i)
	if i < len(s) && s[i] == '[' { // Go prints header values as lists
		i++
	}
	level, quote := openQuote(s, i)
	if quote != 0 {
		i = skipBlanks(s, i+level+1)
	} else if level > 0 {
		return
	}
	v.credentials(i, "auth_header")
}

// schemes are the ones whose name stays; true says that a list of parameters
// follows, all of which goes.
var schemes = map[string]bool{
	"bearer": false, "basic": false, "token": false, "apikey": false, "api-key": false, "key": false, "negotiate": false, "ntlm": false,
	"sharedkey": false, "sharedkeylite": false, "sso-key": false, "geniekey": false, "bot": false, "jwt": false, "splunk": false, "aws": false,
	"pat": false, "snowflake": false, "ssws": false, "klaviyo-api-key": false, "deepl-auth-key": false, "client-id": false,
	"digest": true, "aws4-hmac-sha256": true, "hawk": true, "oauth": true, "sharedaccesssignature": true, "signature": true,
}

// credentials takes what follows a scheme, or the value when there is none.
func (v *view) credentials(i int, rule string) {
	s := v.s
	word := i
	for word < len(s) && (isAlnum(s[word]) || s[word] == '-') {
		word++
	}
	parameters, known := schemes[strings.ToLower(s[i:min(word, i+24)])]
	if !known || word >= len(s) {
		v.credential(i, rule, true)
		return
	}
	switch {
	case s[word] == ' ', s[word] == ':':
		word = skipBlanks(s, word+1)
	case strings.HasPrefix(s[word:], "%20"):
		word += 3
	case s[word] == '+':
		word++
	default:
		return
	}
	if parameters {
		v.parameters(word, rule)
		return
	}
	v.credential(word, rule, false)
}

// credential takes one word. Without a scheme it must look like a secret.
func (v *view) credential(i int, rule string, alone bool) {
	s := v.s
	if i >= len(s) || s[i] == '\n' {
		return
	}
	end, open := bareEnd(s, i, &key{query: false})
	if open {
		v.take(i, end, rule)
		return
	}
	end = cutAtColon(s, i, end)
	t := s[i:end]
	standIn := placeholder(t) && (alone || len(t) < 16 || !hasDigit(t))
	if len(t) < 6 || onlyMarkers(t) || reference(t) || masked(t) || standIn || isCall(t, s[end:min(len(s), end+8)]) || isURL(t) {
		return
	}
	if alone && !randomish(t) {
		return
	}
	if !hasDigit(t) && !hasOddSymbol(t) && !(len(t) >= 16 && mixedCase(t)) {
		return
	}
	if isMember(t) && !randomish(t) || isVersion(t) || isPath(t) {
		return
	}
	v.take(i, end, rule)
}

// cutAtColon ends a credential before the ": " of a log line.
func cutAtColon(s string, i, end int) int {
	if end > i+1 && s[end-1] == ':' {
		return end - 1
	}
	return end
}

// parameters takes the rest of the line or string.
func (v *view) parameters(i int, rule string) {
	s := v.s
	end := i
	for n := lineEnd(s, i); end < n; end++ {
		if s[end] == '"' && (end == i || s[end-1] != '=') && !inParameter(s[i:end]) || s[end] == '\'' || s[end] == 0x1b {
			break
		}
		if s[end] == '\\' && end+1 < n && s[end+1] == 'n' {
			break
		}
	}
	t := strings.TrimRight(s[i:end], " \t\r\\")
	if len(t) < 16 || !strings.Contains(t, "=") || !hasDigit(t) || reference(t) || onlyMarkers(t) || strings.HasPrefix(t, "realm=") {
		return
	}
	v.take(i, i+len(t), rule)
}

// inParameter reports whether a quote would close a parameter's value.
func inParameter(t string) bool { return strings.Count(t, "\"")%2 == 1 }

// scheme takes what follows "Bearer " and "Basic " outside of a header.
func (v *view) scheme(at, end int) {
	s := v.s
	if at < v.until || at > 0 && (isAlnum(s[at-1]) || s[at-1] == '_') {
		return
	}
	i := skipBlanks(s, end)
	if i >= len(s) {
		return
	}
	to, open := bareEnd(s, i, &key{})
	if open {
		return
	}
	t := s[i:to]
	if len(t) < 12 || onlyMarkers(t) || reference(t) || isPath(t) || isURL(t) {
		return
	}
	if equalFold(s[at:at+5], "basic") {
		if isBasic(t) {
			v.take(i, to, "auth_header")
		}
		return
	}
	if len(t) >= 16 && randomish(t) && !isCall(t, "") {
		v.take(i, to, "auth_header")
	}
}

// cookie takes the values of a Cookie or Set-Cookie header, and of curl -b.
// v.s[i] stands after the word.
func (v *view) cookie(i int) {
	s := v.s
	if i < len(s) && (s[i] == 's' || s[i] == 'S') {
		i++
	}
	i, _ = closeQuote(s, i)
	i = skipBlanks(s, i)
	switch {
	case i < len(s) && (s[i] == ':' || s[i] == '='):
		i = skipBlanks(s, i+1)
	case i < len(s) && isQuote(s[i]): // curl --cookie "a=b"
	default:
		return
	}
	if i < len(s) && s[i] == '[' {
		i++
	}
	level, quote := openQuote(s, i)
	if quote != 0 {
		i += level + 1
	}
	v.pairs(i)
}

// pairs takes the values of name=value; name=value that look like secrets.
func (v *view) pairs(i int) {
	s := v.s
	if i < v.listed {
		return
	}
	end := i
	for n := lineEnd(s, i); end < n && s[end] != 0x1b && s[end] != '"' && s[end] != '\'' && s[end] != '`'; end++ {
		if s[end] == '\\' && escapesEnd(s[end:]) {
			break
		}
	}
	v.listed = end
	for i < end {
		next := strings.IndexByte(s[i:end], ';')
		if next < 0 {
			next = end - i
		}
		from := i
		name, val, ok := strings.Cut(s[i:i+next], "=")
		i += next + 1
		if !ok {
			continue
		}
		from += len(name) + 1
		name = strings.ToLower(strings.TrimSpace(name))
		val = strings.TrimRight(val, " \t\r")
		if cookieSecret(name, val) {
			v.take(from, from+len(val), "cookie")
		}
	}
}

func cookieSecret(name, val string) bool {
	switch name {
	case "expires", "path", "domain", "max-age", "samesite", "version", "comment", "priority":
		return false
	}
	if len(val) < 6 || strings.ContainsAny(name, " (){}") || onlyMarkers(val) || reference(val) || masked(val) || isVersion(val) || isNumber(val) && len(val) < 12 {
		return false
	}
	for _, w := range []string{"sess", "sid", "auth", "token", "jwt", "csrf", "xsrf", "remember", "login", "secret", "key", "identity", "sso", "user_"} {
		if strings.Contains(name, w) {
			return len(val) >= 8 || hasDigit(val)
		}
	}
	return len(val) >= 16 && (randomish(val) || len(val) >= 32)
}
