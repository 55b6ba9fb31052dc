package secrets

import "strings"

// What stands where a secret could: references, masks, placeholders, and plain
// values that are none.

// onlyMarkers reports whether a value has been redacted already.
func onlyMarkers(t string) bool {
	for t != "" {
		n := markerLen(t)
		if n == 0 {
			return false
		}
		t = strings.TrimLeft(t[n:], " ,;")
	}
	return true
}

// reference reports variables and templates, which name a secret and are none.
func reference(t string) bool {
	switch t[0] {
	case '$':
		if len(t) == 1 || t[1] == '{' || t[1] == '(' || t[1] == '$' || t[1] == '%' {
			return true
		}
		i := 1
		for i < len(t) && (isAlnum(t[i]) || t[i] == '_' || t[i] == ':' || t[i] == '.') {
			i++
		}
		whole := i == len(t) || t[i] == '=' || t[i] == '/' || strings.HasPrefix(t[i:], "->") || t[i] == '[' || t[i] == '{' || t[i] == '-' && t[i-1] == '-'
		return whole && (isAlpha(t[1]) || t[1] == '_')
	case '{':
		return strings.HasPrefix(t, "{{") || strings.HasPrefix(t, "{%") || strings.HasSuffix(t, "}")
	case '<':
		return true
	case '[':
		return strings.HasPrefix(t, "[]")
	case '%':
		if len(t) <= 3 || t[1] == '(' || t[1] == '{' || strings.HasSuffix(t, "%") && len(t) > 2 && isUpper(t[1]) {
			return true
		}
	case '#':
		return strings.HasPrefix(t, "#{")
	case '@':
		return len(t) > 1 && (t[1] == '{' || t[1] == '/' || t[1] == '@' || isAlpha(t[1]) && isIdentifier(t[1:]))
	case '!':
		for _, tag := range []string{"!Ref", "!Sub", "!GetAtt", "!ImportValue", "!vault", "!!", "!env", "!reference", "!secret", "!0", "!1"} {
			if strings.HasPrefix(t, tag) {
				return true
			}
		}
	case '*', '&':
		return len(t) < 4 || strings.HasPrefix(t, "&#") || strings.HasPrefix(t, "&lt;") || !hasDigit(t) && (isIdentifier(t[1:]) || isMember(t[1:]))
	case '\\': // \u1f510, \&Perl::reference
		return len(t) < 12 || t[1] == '&'
	case '`', '|', '=':
		return len(t) < 4
	}
	for _, mark := range []string{"${{", "{{", "${", "$(", "secrets.", "ref+", "op://", "vault:", "arn:", "projects/"} {
		if strings.HasPrefix(t, mark) || mark[0] == '$' && strings.Contains(t, mark) && strings.Contains(t, "}") {
			return true
		}
	}
	return false
}

// masked reports stars, dots and the words that other tools put in place.
func masked(t string) bool {
	if strings.Contains(t, "***") || strings.Contains(t, "•••") || strings.Contains(t, "●●") {
		return true
	}
	same := 0
	for i := 0; i < len(t); i++ {
		if strings.IndexByte("*xX.#_-?0", t[i]) >= 0 {
			same++
		}
	}
	if same == len(t) || strings.HasPrefix(t, "...") || strings.HasSuffix(t, "...") && len(t) < 16 {
		return true
	}
	low := strings.ToLower(t)
	for _, w := range []string{"[redacted", "<redacted", "(redacted", "redacted", "[filtered", "[hidden", "(hidden", "(sensitive", "[masked", "[secret", "(known after", "sensitive value", "xxxx"} {
		if strings.HasPrefix(low, w) {
			return true
		}
	}
	return false
}

// placeholder reports what documentation puts where a secret goes.
func placeholder(t string) bool {
	if len(t) > 48 {
		return false
	}
	low := strings.ToLower(t)
	for _, w := range []string{"your-", "your_", "your ", "yourp", "yours", "yourt", "my-secret-", "placeholder", "changeme_", "insert-", "insert_", "<your", "example", "_here", "-here", "replace_", "replace-", "replaceme", "abcdefgh", "01234567", "dummy", "not-set", "notset", "unset"} {
		if strings.Contains(low, w) {
			return !looksRandom(t)
		}
	}
	return false
}

func isURL(t string) bool {
	i := strings.Index(t, "://")
	if i <= 0 || i > 24 {
		return strings.HasPrefix(t, "//") && strings.Contains(t, ".") || strings.HasPrefix(t, "mailto:")
	}
	for k := 0; k < i; k++ {
		if !isAlnum(t[k]) && t[k] != '+' && t[k] != '.' && t[k] != '-' && t[k] != ':' {
			return false
		}
	}
	return true
}

// isPath tells a path from base64 that happens to begin with a slash.
func isPath(t string) bool {
	if len(t) > 1 && (t[0] == '~' && t[1] == '/' || t[0] == '.' && (t[1] == '/' || t[1] == '.')) {
		return true
	}
	if strings.HasPrefix(t, "file:") || len(t) > 2 && isAlpha(t[0]) && t[1] == ':' && (t[2] == '\\' || t[2] == '/') {
		return true
	}
	if t[0] != '/' {
		return strings.Count(t, "/") > 1 && !looksRandom(t) && !hasOddSymbol(strings.ReplaceAll(t, "/", ""))
	}
	if len(t) > 256 {
		return false
	}
	longest, from := "", 1
	for i := 1; i <= len(t); i++ {
		if i == len(t) || t[i] == '/' {
			if i-from > len(longest) {
				longest = t[from:i]
			}
			from = i + 1
		}
	}
	if len(t) >= 20 && (allClasses(longest) && len(longest) >= 10 && looksRandom(longest)) {
		return false
	}
	return !hasOddSymbol(strings.ReplaceAll(t, "/", "")) || strings.Contains(t, ".")
}

// isVersion reports version numbers and ranges, also as dpkg writes them.
func isVersion(t string) bool {
	u := strings.TrimLeft(t, "v^~<>=")
	if u == "" || !isDigit(u[0]) || len(u) > 40 {
		return false
	}
	dots := 0
	for i := 0; i < len(u); i++ {
		c := u[i]
		switch {
		case c == '.' || c == ':':
			dots++
		case isDigit(c) || isLower(c) || c == '+' || c == '~' || c == '-' || c == '*':
		default:
			return false
		}
	}
	return dots > 0 && (dots > 1 || len(u) < 12)
}

func isNumber(t string) bool {
	digits := 0
	for i := 0; i < len(t); i++ {
		c := t[i]
		switch {
		case isDigit(c):
			digits++
		case strings.IndexByte(".,:_+-%", c) >= 0:
		case i == len(t)-1 && strings.IndexByte("smhdkKMGB", c) >= 0, i == len(t)-2 && isAlpha(c):
		default:
			return strings.HasPrefix(strings.TrimPrefix(t, "-"), "0x") && len(t) <= 19
		}
	}
	return digits > 0
}

func isNothing(t string) bool {
	if len(t) > 12 {
		return false
	}
	switch strings.ToLower(strings.TrimRight(t, ".,;:")) {
	case "", "true", "false", "yes", "no", "on", "off", "none", "null", "nil", "undefined", "void", "required", "optional", "empty", "omitempty":
		return true
	}
	return false
}
