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
		return randomish(t)
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
		return len(t) >= 8 && (randomish(t) || k.pass && scrambled(t)) && !hasExtension(t) && (!isMember(t) || randomPart(t))
	case blank:
		return acceptOperand(k, t, rest)
	}
	if k.s == weak {
		if k.upper && k.sep == colon && strings.EqualFold(k.name, "pass") {
			return false // --- PASS: TestName/1
		}
		return randomish(t) && !isCall(t, rest) && !(isMember(t) && len(t) < 40)
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

// isExpression reports operators of programming languages.
func isExpression(t string) bool {
	t = strings.TrimRight(t, "=")
	for _, op := range []string{"+=", "&&", "||", "=>", "??", "==", "this."} {
		if strings.Contains(t, op) {
			return true
		}
	}
	return false
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

// gibberish reports five consonants in a row.
func gibberish(t string) bool {
	run := 0
	for i := 0; i < len(t); i++ {
		if strings.IndexByte("aeiouy", lower(t[i])) >= 0 {
			run = 0
			continue
		}
		if run++; run == 5 {
			return true
		}
	}
	return false
}

// numbered reports a name with a number at its end: password2, token10.
func numbered(t string) bool {
	t = strings.TrimRight(t, "0123456789")
	return !hasDigit(t)
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
		whole := i == len(t) || t[i] == '=' || strings.HasPrefix(t[i:], "->") || t[i] == '[' || t[i] == '{' || t[i] == '-' && t[i-1] == '-'
		return whole && (isAlpha(t[1]) || t[1] == '_')
	case '{':
		return strings.HasPrefix(t, "{{") || strings.HasPrefix(t, "{%") || strings.HasSuffix(t, "}")
	case '<':
		return true
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
		return len(t) < 4 || !hasDigit(t) && (isIdentifier(t[1:]) || isMember(t[1:]))
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

// isWord reports words that stand for a value, a type or a thing rather than
// being a secret.
func isWord(t string) bool { return stopWord(strings.ToLower(strings.Trim(t, ".,:;!?'\"()"))) }

func stopWord(w string) bool {
	switch w {
	case "string", "str", "text", "bytes", "byte", "bool", "boolean", "int", "integer", "number", "object", "array", "list", "map", "any", "unknown", "never", "float", "char", "varchar", "secret", "secrets",
		"password", "passwords", "passwd", "token", "tokens", "key", "keys", "apikey", "credential", "credentials", "user", "username", "name", "value", "values", "file", "path", "option", "flag", "arg", "args", "argument", "default",
		"hidden", "current", "current-password", "new-password", "basic", "bearer", "digest", "oauth", "oauth2", "apikeyauth", "header", "cookie", "query", "body", "form", "field", "input", "output", "type", "plain", "sha1", "sha256", "sha512", "sha-256", "sha-512", "md5", "base64", "utf8", "utf-8", "x509", "ed25519",
		"the", "a", "an", "is", "are", "be", "was", "to", "for", "of", "in", "on", "or", "and", "not", "no", "your", "you", "my", "this", "that", "it", "its", "with", "from", "must", "should", "can", "cannot", "may", "please", "enter", "invalid", "incorrect", "wrong", "missing", "reset", "forgot", "confirm", "change", "changed", "new", "old",
		"expired", "required", "optional", "set", "unset", "stdin", "prompt", "read", "env", "environment", "variable", "management", "rotation", "generator", "manager", "store", "opaque", "enabled", "disabled", "self", "other", "failed", "success", "ok", "error", "auth", "login", "authentication", "if", "when", "will", "has", "have", "used", "use", "using", "by", "at", "as":
		return true
	}
	return false
}

func hasSymbol(t string) bool {
	for i := 0; i < len(t); i++ {
		if !isAlnum(t[i]) && t[i] != '_' && t[i] != '-' && t[i] != '.' && t[i] != '/' {
			return true
		}
	}
	return false
}

// hasOddSymbol reports characters that identifiers, paths and members do not
// have.
func hasOddSymbol(t string) bool {
	for i := 0; i < len(t); i++ {
		if c := t[i]; c < 0x80 && !isAlnum(c) && strings.IndexByte("_-./:,()[]{}<>?*;|\\'\"", c) < 0 {
			return true
		}
	}
	return false
}

func isIdentifier(t string) bool {
	for i := 0; i < len(t); i++ {
		if c := t[i]; !isAlnum(c) && c != '_' && c != '$' {
			return false
		}
	}
	return t != "" && !isDigit(t[0])
}

// isMember reports a.b.c, a->b, a::b, a?.b and plain identifiers of letters.
func isMember(t string) bool {
	if !isAlpha(t[0]) && t[0] != '_' {
		return false
	}
	parts := 0
	for i := 0; i < len(t); i++ {
		c := t[i]
		switch {
		case isAlnum(c) || c == '_' || c == '$':
		case c == '.', (c == '?' || c == '!') && i+1 < len(t) && t[i+1] == '.', c == ':' && (t[i-1] == ':' || i+1 < len(t) && t[i+1] == ':'), c == '>' && t[i-1] == '-', c == '-' && i+1 < len(t) && t[i+1] == '>':
			parts++
		default:
			return false
		}
	}
	return parts > 0
}

// isCall reports calls, indexing, generics, and what goes on as an expression
// after the value.
func isCall(t, rest string) bool {
	i := 0
	for i < len(t) && (isAlnum(t[i]) || strings.IndexByte("_.$:?!>&*", t[i]) >= 0) {
		i++
	}
	if i < len(t) && i > 0 && strings.IndexByte("([{<", t[i]) >= 0 {
		return true
	}
	if i == 0 && strings.IndexByte("([{", t[0]) >= 0 {
		return strings.IndexByte(")]}", t[len(t)-1]) >= 0 || len(t) < 3
	}
	if i == len(t) && rest != "" && (rest[0] == '"' || rest[0] == '\'' || rest[0] == '(') && (t[i-1] == '(' || t[i-1] == '.') {
		return true
	}
	return strings.HasSuffix(t, "(") || strings.Contains(t, "()") || strings.Contains(t, "](")
}

// isCode reports a quoted value that is a format or a piece of code.
func isCode(t string) bool {
	return formats(t) || strings.Contains(t, "()") || strings.HasPrefix(t, "json:") || strings.Contains(t, "=>") || strings.HasPrefix(t, "#/") || strings.HasPrefix(t, "^[") || t[0] == '+' && len(t) < 5
}

// formats reports a printf verb.
func formats(t string) bool {
	i := strings.IndexByte(t, '%')
	return i >= 0 && i+1 < len(t) && strings.IndexByte("svdqw", t[i+1]) >= 0 && (i+2 == len(t) || !isAlnum(t[i+2]))
}

func hasExtension(t string) bool {
	i := strings.LastIndexByte(t, '.')
	return i > 0 && len(t)-i <= 5 && len(t)-i > 1 && isAllAlpha(t[i+1:])
}

func isAllAlpha(t string) bool {
	for i := 0; i < len(t); i++ {
		if !isAlpha(t[i]) {
			return false
		}
	}
	return true
}

func titled(t string) bool { return isUpper(t[0]) && strings.ToLower(t[1:]) == t[1:] }

func mixedCase(t string) bool {
	return strings.ToLower(t) != t && strings.ToUpper(t) != t
}

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

// isBasic reports base64 of user:password.
func isBasic(t string) bool {
	plain, ok := decodeBase64(t)
	return ok && printable(plain) && strings.IndexByte(plain, ':') > 0 && !strings.HasSuffix(plain, ":")
}
