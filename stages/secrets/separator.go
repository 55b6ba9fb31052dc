package secrets

import "strings"

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
