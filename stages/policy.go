package stages

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hardened-terminal-mcp/config"
	"hardened-terminal-mcp/envelope"
	"hardened-terminal-mcp/pipeline"
	"hardened-terminal-mcp/stages/sandbox"
	"hardened-terminal-mcp/stages/secrets"
)

// Policy decides by the command's name: deny wins, then only what is on allow
// may run. It looks at nothing but the argv.
type Policy struct {
	deny     []string
	programs map[string]string // allowed name to absolute path, "" when it was not found
	env      []string
	redactor *secrets.Redactor
}

// NewPolicy takes the lists, the programs found for them and the environment
// that goes with every grant.
func NewPolicy(p config.Policy, programs map[string]sandbox.Executable, env []string, r *secrets.Redactor) *Policy {
	s := &Policy{deny: p.Deny, programs: map[string]string{}, env: env, redactor: r}
	for _, name := range p.Allow {
		s.programs[name] = programs[name].Path
	}
	return s
}

// Spec puts the policy behind metachar, which must have refused the line first.
func (*Policy) Spec() pipeline.Spec {
	return pipeline.Spec{Role: pipeline.Policy, After: []pipeline.Role{pipeline.Parse, pipeline.Metachar}}
}

// Check grants an allowed command, or says why it is not.
func (p *Policy) Check(_ context.Context, x *pipeline.Exchange) pipeline.Verdict {
	argv := x.Argv()
	name := argv[0]
	// Only the redacted name is quoted: a caller may paste a token where a command belongs.
	shown := strconv.QuoteToASCII(p.redactor.Argv(argv)[0])

	// Folded, because a disk may ignore case: RM would run rm.
	if slices.ContainsFunc(p.deny, func(d string) bool { return strings.EqualFold(d, name) }) {
		return pipeline.Stop(envelope.PolicyDenied, fmt.Sprintf("deny: %s is denied", shown))
	}
	path, allowed := p.programs[name]
	if !allowed {
		return pipeline.Stop(envelope.PolicyDenied, p.refusal(name, shown))
	}
	x.SetGrant(pipeline.Grant{Rule: "allow/" + name, Exe: path, Argv: argv, Env: p.env})
	if path == "" && x.Request().Mode == pipeline.Explain {
		return pipeline.Note("hint: it is allowed, but not found in the policy's PATH, so running it would fail")
	}
	return pipeline.Continue()
}

// refusal says what is wrong with a name that is not on allow, and what is.
func (p *Policy) refusal(name, shown string) string {
	switch {
	case name == "":
		return "allow: the command's name is empty"
	case strings.Contains(name, "="):
		return fmt.Sprintf("allow: %s is not a command; inline environment assignments are not supported", shown)
	case strings.Contains(name, "/"):
		return fmt.Sprintf("allow: %s holds a slash; commands are run by their bare name", shown)
	case strings.ContainsFunc(name, func(r rune) bool { return r > '~' }):
		return fmt.Sprintf("allow: %s is not allowed; its name has a non-ASCII character", shown)
	case name == "cd":
		return `allow: "cd" is not allowed; every call starts in the jail root, or in the directory that cwd names`
	}
	return fmt.Sprintf("allow: %s is not allowed; allowed commands are %s", shown, p.list())
}

// list is the allowed names, as many as fit in a sentence.
func (p *Policy) list() string {
	const most = 40
	var names []string
	for name := range p.programs {
		if !slices.ContainsFunc(p.deny, func(d string) bool { return strings.EqualFold(d, name) }) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "none"
	}
	slices.Sort(names)
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}
