package secrets

import "strings"

// Pieces of programs: identifiers, members, calls, expressions.

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
