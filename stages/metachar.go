package stages

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"hardened-terminal-mcp/envelope"
	"hardened-terminal-mcp/pipeline"
)

// Metachar refuses what a shell would act on, anywhere in the raw line, quoted
// or not. No shell ever sees the line; the rule keeps every reader of it, human
// or program, from seeing two commands where one runs. It is never quote-aware:
// a second parser that disagrees with the first is how others were broken.
type Metachar struct{}

// Spec puts metachar before the policy: no rule may be asked about a line that
// could mean two things.
func (Metachar) Spec() pipeline.Spec {
	return pipeline.Spec{Role: pipeline.Metachar, After: []pipeline.Role{pipeline.Parse}, Before: []pipeline.Role{pipeline.Policy}}
}

// Check names the first such character, where it is, and what to do instead.
func (Metachar) Check(_ context.Context, x *pipeline.Exchange) pipeline.Verdict {
	what, at, advice := metachar(x.Command())
	if what == "" {
		return pipeline.Continue()
	}
	return pipeline.Stop(envelope.PolicyDenied, fmt.Sprintf("metachar: %s at byte %d is not allowed, quoted or not; %s", what, at, advice))
}

// metachar finds the first character that is refused; what is "" if there is
// none. The advice is what would pass.
func metachar(line string) (what string, at int, advice string) {
	for i, r := range line {
		switch {
		case r == ';' || r == '&':
			return quoted(r), i, "send one command per call"
		case r == '|':
			return quoted(r), i, "pipes are not supported, send one command per call"
		case r == '<' || r == '>':
			return quoted(r), i, "redirection is not supported, output is returned to you"
		case r == '\\':
			return quoted(r), i, "there are no escapes, put quotes around blanks"
		case r == '`':
			return quoted(r), i, "command substitution is not supported, send that command first"
		case r == '$' && strings.HasPrefix(line[i:], "$("):
			return "'$('", i, "command substitution is not supported, send that command first"
		case r == '$' && strings.HasPrefix(line[i:], "${"):
			return "'${'", i, "variables are not expanded, write the value"
		case r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029':
			return fmt.Sprintf("a newline (%U)", r), i, "send one command per call"
		case unicode.IsControl(r) && r != '\t': // CVE-2023-28486: control characters in a log
			return fmt.Sprintf("a control character (%U)", r), i, "leave it out"
		case invisible(r): // CVE-2021-42574
			return fmt.Sprintf("an invisible character (%U)", r), i, "leave it out"
		}
	}
	return "", 0, ""
}

// invisible reports what takes no room or shows nothing: zero-width and
// bidirectional controls, fillers, tags and variation selectors, in which whole
// texts can hide. The two selectors that choose between text and emoji are left.
func invisible(r rune) bool {
	if r == '\uFE0E' || r == '\uFE0F' {
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) || r == '\u2800'
}

func quoted(r rune) string { return "'" + string(r) + "'" }
