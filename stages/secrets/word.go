package secrets

import "strings"

// Words of a language, which stand beside names of secrets all the time.

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

// numbered reports a name with a number at its end: password2, token10.
func numbered(t string) bool {
	t = strings.TrimRight(t, "0123456789")
	return !hasDigit(t)
}

// wordy reports words with separators between them, some with a number at the
// end: openssl_aes128_set_key.
func wordy(t string) bool {
	parts := strings.FieldsFunc(t, func(r rune) bool { return r == '_' || r == '-' || r == '.' })
	for _, p := range parts {
		if w := strings.TrimRight(p, "0123456789"); !isAllAlpha(w) || len(p)-len(w) > 4 || mixedCase(w) && !titled(w) {
			return false
		}
	}
	return len(parts) > 1
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

func titled(t string) bool { return isUpper(t[0]) && strings.ToLower(t[1:]) == t[1:] }

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

func mixedCase(t string) bool {
	return strings.ToLower(t) != t && strings.ToUpper(t) != t
}

// formats reports a printf verb.
func formats(t string) bool {
	i := strings.IndexByte(t, '%')
	return i >= 0 && i+1 < len(t) && strings.IndexByte("svdqw", t[i+1]) >= 0 && (i+2 == len(t) || !isAlnum(t[i+2]))
}
