package argv

import (
	"regexp"
	"strings"
)

// variable is $NAME; the $ that ends a regular expression is none.
var variable = regexp.MustCompile(`\$[A-Za-z_]`)

// Hint says, for a command that failed, which of its words a shell would have
// changed and this server does not: the commonest reason for a surprise. It is
// "" when there is none. The text is constant and quotes nothing.
func Hint(words []string) string {
	var globs, tilde, dollar bool
	for _, w := range words[min(1, len(words)):] {
		globs = globs || strings.ContainsAny(w, "*?")
		tilde = tilde || strings.HasPrefix(w, "~")
		dollar = dollar || variable.MatchString(w)
	}
	switch {
	case globs:
		return "hint: globs are not expanded, '*' and '?' are passed on as they are; name the files, or let the program match (find -name, grep --include)"
	case tilde:
		return "hint: '~' is not expanded; use a path relative to the working directory"
	case dollar:
		return "hint: variables are not expanded; write the value"
	}
	return ""
}
