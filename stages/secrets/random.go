package secrets

import "strings"

// Values that look like nothing a person would write.

// randomish is what a value must look like when its name says little.
func randomish(t string) bool {
	if isBase32(t) {
		return true
	}
	if len(t) < 8 || strings.ContainsAny(t, " \t(){}<>,") || strings.Contains(strings.TrimRight(t, "="), "=") || strings.Contains(t, "\\x") || strings.Contains(t, "\\u") || !hasDigit(t) || slashedWords(t) || isNumber(t) || hasExtension(t) && len(t) < 30 {
		return false
	}
	letters := 0
	for i := 0; i < len(t); i++ {
		if isAlpha(t[i]) {
			letters++
		}
	}
	if letters == 0 {
		return false
	}
	if len(t) < 16 {
		return looksRandom(t) && (allClasses(t) || hasOddSymbol(t)) || hasOddSymbol(t) && hasDigit(t)
	}
	if hasOddSymbol(t) || looksRandom(t) {
		return true
	}
	return len(t) >= 24 && allClasses(t) && strings.Count(t, "-")+strings.Count(t, "_") <= len(t)/8
}

// isBase32 reports the seed of a one-time password.
func isBase32(t string) bool {
	if len(t) < 16 {
		return false
	}
	for i := 0; i < len(t); i++ {
		if !isUpper(t[i]) && (t[i] < '2' || t[i] > '7') && t[i] != '=' {
			return false
		}
	}
	return hasDigit(t) || len(t) >= 26
}

// slashedWords reports words with slashes between them, none of which looks
// random.
func slashedWords(t string) bool {
	if strings.IndexByte(t, '/') < 0 {
		return false
	}
	for _, w := range strings.Split(t, "/") {
		if len(w) >= 8 && looksRandom(w) && mixedCase(w) {
			return false
		}
	}
	return len(t) < 64
}

// scrambled reports letters and digits that change places more than a name
// with a number in it does.
func scrambled(t string) bool {
	runs, inside := 0, 0
	for i := 0; i < len(t); i++ {
		switch {
		case isDigit(t[i]) && (i == 0 || !isDigit(t[i-1])):
			runs++
		case isAlpha(t[i]) && i > 0 && isDigit(t[i-1]):
			inside++
		case !isAlnum(t[i]):
			return false
		}
	}
	return len(t) >= 10 && runs >= 2 && inside >= 1
}

// randomPart reports a.b.c with a part that looks random.
func randomPart(t string) bool {
	for _, p := range strings.FieldsFunc(t, func(r rune) bool { return r == '.' || r == ':' }) {
		if len(p) >= 16 && allClasses(p) && looksRandom(p) {
			return true
		}
	}
	return false
}

// isBasic reports base64 of user:password.
func isBasic(t string) bool {
	plain, ok := decodeBase64(t)
	return ok && printable(plain) && strings.IndexByte(plain, ':') > 0 && !strings.HasSuffix(plain, ":")
}
