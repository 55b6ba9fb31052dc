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
		case r == '\n' || r == '\r':
			return fmt.Sprintf("a newline (%U)", r), i, "send one command per call"
		case unicode.IsControl(r) && r != '\t': // CVE-2023-28486: control characters in a log
			return fmt.Sprintf("a control character (%U)", r), i, "leave it out"
		case unicode.Is(unicode.Cf, r): // zero-width and bidirectional controls, CVE-2021-42574
			return fmt.Sprintf("an invisible character (%U)", r), i, "leave it out"
		}
	}
	return "", 0, ""
}

func quoted(r rune) string { return "'" + string(r) + "'" }
