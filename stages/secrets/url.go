package secrets

import "strings"

// userinfo takes the password, or the token, between :// and @. The colon
// stands at v.s[at].
func (v *view) userinfo(at int) {
	s := v.s
	start := at + 3
	end, last, slash := start, -1, -1
	colon := -1
	for n := min(len(s), start+1024); end < n; end++ {
		switch c := s[end]; {
		case c <= ' ' || c == '"' || c == '<' || c == '>' || c == '`' || c == 0x7f || c == '\'' && last >= 0:
			n = end
		case c == '\\' && escapesEnd(s[end:]):
			n = end
		case c == '@':
			if slash < 0 || colon >= 0 && colon < slash && !isPort(s[colon+1:slash]) && last < 0 {
				last = end
			}
		case c == ':' && colon < 0:
			colon = end
		case c == '/' && s[end-1] == '/' && end > start: // the next URL
			n = end
		case (c == '?' || c == '#') && colon < 0: // but a password may hold them
			n = end
		case c == '/' && slash < 0:
			slash = end
			if colon < 0 || last >= 0 || isPort(s[colon+1:slash]) {
				n = end
			}
		}
		if end >= n {
			break
		}
	}
	if last < 0 {
		return
	}
	if colon < 0 || colon > last {
		if t := s[start:last]; len(t) >= 20 && randomish(t) {
			v.add(start, last, "url_userinfo", byPlace)
		}
		return
	}
	secret := s[colon+1 : last]
	if !acceptUserinfo(secret) {
		if t := s[start:colon]; len(t) >= 20 && (secret == "" || isWord(secret) || secret == "x-oauth-basic") && randomish(t) {
			v.add(start, colon, "url_userinfo", byPlace)
		}
		return
	}
	v.add(colon+1, last, "url_userinfo", byPlace)
}

func isPort(t string) bool {
	for i := 0; i < len(t); i++ {
		if !isDigit(t[i]) {
			return false
		}
	}
	return true
}

func acceptUserinfo(t string) bool {
	if t == "" || len(t) > maxValue || onlyMarkers(t) || reference(t) || masked(t) {
		return false
	}
	switch strings.ToLower(t) {
	case "password", "pass", "passwd", "pwd", "secret", "token", "your_password", "yourpassword", "pw", "credentials", "x-oauth-basic":
		return false
	}
	return !(t[0] == '{' && strings.IndexByte(t, '}') > 0) && !strings.HasPrefix(t, "//")
}

// dsn takes the password of user:password@tcp(host)/db. The @ stands at
// v.s[at].
func (v *view) dsn(at int) {
	s := v.s
	start := at
	for start > v.ends && at-start < 256 && s[start-1] > ' ' && s[start-1] != '"' && s[start-1] != '\'' && s[start-1] != '`' {
		start--
	}
	v.ends = at
	colon := strings.IndexByte(s[start:at], ':')
	if colon < 0 || strings.Contains(s[start:at], "://") {
		return
	}
	if eq := strings.LastIndexByte(s[start:start+colon], '='); eq >= 0 {
		start += eq + 1
		colon -= eq + 1
	}
	if t := s[start+colon+1 : at]; acceptUserinfo(t) {
		v.add(start+colon+1, at, "connection_string", byPlace)
	}
}

// pgpass takes the last field of the lines of a .pgpass file.
func (v *view) pgpass(at int) {
	s := v.s
	if at < v.line {
		return
	}
	from, to := lineStart(s, at), lineEnd(s, at)
	v.line = to
	if strings.HasPrefix(s[at:], "pgpass") { // the lines below are the file
		for n := 0; n < 20 && to < len(s); n++ {
			from, to = to+1, lineEnd(s, to+1)
			if from >= len(s) || !v.pgpassLine(from, to) {
				return
			}
			v.line = to
		}
		return
	}
	v.pgpassLine(from, to)
}

// pgpassLine handles host:port:database:user:password.
func (v *view) pgpassLine(from, to int) bool {
	s := v.s
	line := strings.TrimRight(s[from:to], "\r \"',`")
	i := 0
	if n := strings.LastIndexAny(line[:min(len(line), 120)], " \t'\"`"); n >= 0 && strings.Count(line[n:], ":") >= 4 {
		i = n + 1
	}
	for n := 0; n < 4; n++ {
		colon := strings.IndexByte(line[i:], ':')
		if colon <= 0 || strings.ContainsAny(line[i:i+colon], " \t/{}()\"'=,") {
			return false
		}
		field := line[i : i+colon]
		if n == 1 && field != "*" && !isPort(field) {
			return false
		}
		i += colon + 1
	}
	secret := line[i:]
	if secret == "" || strings.ContainsAny(secret, " \t") || onlyMarkers(secret) || reference(secret) || masked(secret) {
		return secret != ""
	}
	v.take(from+i, from+i+len(secret), "pgpass")
	return true
}

// oracle takes the password of user/password@host after "thin:" or sqlplus.
func (v *view) oracle(i int) {
	s := v.s
	end := i
	for end < len(s) && end-i < 200 && s[end] > ' ' && s[end] != '"' && s[end] != '\'' {
		end++
	}
	slash, at := strings.IndexByte(s[i:end], '/'), strings.LastIndexByte(s[i:end], '@')
	if slash <= 0 || at < slash || strings.IndexByte(s[i:i+slash], '@') >= 0 {
		return
	}
	if t := s[i+slash+1 : i+at]; acceptUserinfo(t) {
		v.add(i+slash+1, i+at, "connection_string", byPlace)
	}
}

// identified takes the password or the hash of IDENTIFIED BY 'x' and of
// IDENTIFIED WITH plugin AS 'x'. The first word stands
// at [at, i); in prose it is not in capitals.
func (v *view) identified(at, i int) {
	s := v.s
	if line := s[max(lineStart(s, at), at-200):at]; s[at] != 'I' && indexFold(line, "user ") < 0 && indexFold(line, "grant ") < 0 {
		return
	}
	if at < v.ends {
		return
	}
	end := min(len(s), i+160)
	if n := strings.IndexByte(s[i:end], '\n'); n >= 0 {
		end = i + n
	}
	v.ends = end
	for at := i; at < end; at++ {
		n := keywordBy(s[at:end])
		if n == 0 || s[at-1] != ' ' {
			continue
		}
		from := skipBlanks(s, at+n)
		if from+8 < end && equalFold(s[from:from+9], "password ") {
			from = skipBlanks(s, from+9)
		}
		val, ok := v.value(from, &key{})
		if ok && val.quoted && s[val.start-1] != '`' && !strings.ContainsAny(val.text, " \n") && len(val.text) >= 3 && !onlyMarkers(val.text) && !reference(val.text) && !masked(val.text) {
			v.take(val.start, val.end, "key_value")
		}
		return
	}
}

// keywordBy is the length of the word before a password at the start of s.
func keywordBy(s string) int {
	for _, word := range [...]string{"by ", "as ", "using "} {
		if len(s) > len(word) && lower(s[0]) == word[0] && equalFold(s[:len(word)], word) {
			return len(word)
		}
	}
	return 0
}

// indexFold is strings.Index for a lower-case ASCII word at a word's start.
func indexFold(s, word string) int {
	for i := 0; i+len(word) <= len(s); i++ {
		if (i == 0 || s[i-1] == ' ') && equalFold(s[i:], word) {
			return i
		}
	}
	return -1
}
