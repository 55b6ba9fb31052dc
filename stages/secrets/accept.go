package secrets

import "strings"

// accept decides whether a value is worth hiding. Names such as password and
// token stand beside types, variables, calls and numbers far more often than
// beside secrets.
func accept(k *key, val *value) bool {
	t := val.text
	if k.s == no {
		return false
	}
	if val.open {
		return !strings.HasPrefix(t, markerOpen)
	}
	if onlyMarkers(t) || reference(t) || isNothing(t) || isURL(t) || isPath(t) || isVersion(t) {
		return false
	}
	good := false
	switch {
	case k.s == basic:
		good = isBasic(t)
	case isNumber(t):
		good = k.pass && len(t) >= 6 && !strings.ContainsAny(t, ".,:x") && (val.quoted || k.upper || k.flag || k.sep == equals)
	case val.quoted:
		good = acceptQuoted(k, t)
	default:
		good = acceptBare(k, t, val.rest)
	}
	return good && !masked(t) && !placeholder(t)
}

func acceptQuoted(k *key, t string) bool {
	if k.sep == column || k.sep == verb {
		return randomish(t) || k.pass && k.upper && len(t) >= 8 && !strings.Contains(t, " ") && !numbered(t)
	}
	if strings.ContainsAny(t, " \t\n") {
		return acceptPhrase(k, t)
	}
	if len(t) < 4 {
		return false
	}
	if k.s == weak {
		return randomish(t)
	}
	if hasDigit(t) || hasSymbol(t) {
		if isIdentifier(t) && placeholderName(t, k) || !k.pass && isIdentifier(t) && numbered(t) && len(t) < 24 {
			return false
		}
		return len(t) >= 5 && (k.pass || k.flag || len(t) >= 8) && !isCode(t)
	}
	if k.flag || k.pass {
		return len(t) >= 5 && !isWord(t) && !(k.sep == colon && titled(t)) && !strings.ContainsAny(t, "_-.")
	}
	return len(t) >= 20 && mixedCase(t)
}

// acceptPhrase judges a quoted value with blanks in it.
func acceptPhrase(k *key, t string) bool {
	if k.s == weak || len(t) < 8 || len(t) > 256 && !k.flag {
		return false
	}
	if k.flag {
		return true
	}
	if !k.pass {
		return false
	}
	for _, w := range strings.Fields(strings.ToLower(t)) {
		if stopWord(strings.Trim(w, ".,:;!?()'\"")) {
			return false
		}
	}
	return !strings.HasSuffix(t, ".") && !strings.HasSuffix(t, ":") && !strings.ContainsAny(t, "(){}<>=")
}

func acceptBare(k *key, t, rest string) bool {
	switch k.sep {
	case column, verb:
		return len(t) >= 8 && (k.pass || !wordy(t)) && (randomish(t) || k.pass && scrambled(t)) && !hasExtension(t) && (!isMember(t) || randomPart(t))
	case blank:
		return acceptOperand(k, t, rest)
	}
	if k.s == weak {
		if k.upper && k.sep == colon && strings.EqualFold(k.name, "pass") {
			return false // --- PASS: TestName/1
		}
		return randomish(t) && !wordy(t) && !isCall(t, rest) && !(isMember(t) && len(t) < 40)
	}
	if len(t) < 4 {
		return false
	}
	ends := rest == "" || rest[0] == '\n' || rest[0] == '\r' || rest[0] == 0x1b
	literal := k.sep == equals && (k.upper || k.flag || k.query || k.first && ends) || k.sep == pair || k.sep == element
	if strings.Contains(t, ")") && !strings.Contains(t, "(") && isMember(t[:strings.IndexByte(t, ')')+1][:max(1, strings.IndexByte(t, ')'))]) {
		literal = false
	}
	if isCall(t, rest) && !(literal && hasDigit(t) && !strings.HasSuffix(t, ")") && !strings.HasSuffix(t, "]")) {
		return false
	}
	if isMember(t) && !(literal && randomish(t)) && !randomPart(t) {
		return literal && k.pass && hasDigit(t)
	}
	if k.sep == spacedEquals && isExpression(t) || !literal && isIdentifier(t) && placeholderName(t, k) {
		return false
	}
	switch {
	case hasOddSymbol(t):
		return len(t) >= 5
	case hasDigit(t):
		if literal || k.pass && k.sep == colon && len(t) >= 6 {
			return len(t) >= 6 && !isWord(t)
		}
		return len(t) >= 8 && !isWord(t) && !isIdentifier(t) || randomish(t) || scrambled(t) || k.sep == equals && len(t) >= 8 && !numbered(t) && (k.pass || looksRandom(t))
	case literal:
		return len(t) >= 5 && !isWord(t) && (k.pass || len(t) >= 8) && !(strings.Contains(t, "_") && strings.ToUpper(t) == t) && !placeholderName(t, k)
	case k.pass && strings.Count(t, "-") >= 2:
		return len(t) >= 12
	case k.pass && k.sep == equals && isAllAlpha(t) && strings.ToLower(t) == t && !strings.HasPrefix(rest, ",") && !strings.HasPrefix(rest, ")"):
		return len(t) >= 10 && !placeholderName(t, k)
	case k.pass && (k.sep == colon || k.first && ends) && isAllAlpha(t):
		return len(t) >= 8 && gibberish(t)
	}
	return len(t) >= 20 && mixedCase(t) && looksRandom(t)
}

// acceptOperand judges the word after a flag, or after ENV NAME.
func acceptOperand(k *key, t, rest string) bool {
	if len(t) < 4 || t[0] == '-' && !(len(t) >= 16 && looksRandom(t)) {
		return false
	}
	if k.s == weak && strings.HasSuffix(strings.ToLower(k.name), "key") {
		return randomish(t)
	}
	if hasDigit(t) || hasOddSymbol(t) {
		return !isCall(t, rest) && !hasExtension(t) && (len(t) >= 6 || hasOddSymbol(t))
	}
	if isWord(t) || strings.ToUpper(t) == t {
		return false
	}
	last := rest == "" || rest[0] == '\n' || rest[0] == '\r' || strings.HasPrefix(rest, " -")
	return last && len(t) >= 6 && !k.first && isAllAlpha(t) && !placeholderName(t, k)
}

// placeholderName reports values that are only the name of the key again.
func placeholderName(t string, k *key) bool {
	low := strings.ToLower(t)
	for _, w := range []string{"password", "secret", "token", "passwd", "apikey", "api_key", "api-key", "credential", "privatekey", "secretkey", "accesskey"} {
		if strings.HasSuffix(low, w) {
			return true
		}
	}
	return strings.ToUpper(t) == t && k.flag
}
