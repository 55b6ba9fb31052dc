package stages

import (
	"context"
	"errors"
	"fmt"

	"hardened-terminal-mcp/envelope"
	"hardened-terminal-mcp/pipeline"
	"hardened-terminal-mcp/stages/argv"
)

// maxWord is how long one argument may be: MAX_ARG_STRLEN of Linux, 32 pages,
// with the NUL that ends it (execve(2)).
const maxWord = 128<<10 - 1

// Parse turns the command line into an argv.
type Parse struct {
	MaxBytes int // length of the line
	MaxArgs  int // words behind the command's name
}

// Spec says that parse is first: what the later gates judge is its argv.
func (Parse) Spec() pipeline.Spec { return pipeline.Spec{Role: pipeline.Parse} }

// Check splits the line, and refuses one that cannot be split or is too large.
func (p Parse) Check(_ context.Context, x *pipeline.Exchange) pipeline.Verdict {
	line := x.Command()
	if len(line) > p.MaxBytes {
		return pipeline.Stop(envelope.ParseError, fmt.Sprintf("parse: the command is %d bytes long, over the limit of %d (max_command_bytes)", len(line), p.MaxBytes))
	}
	words, err := argv.Split(line)
	var open *argv.UnterminatedError
	switch {
	case errors.As(err, &open):
		return pipeline.Stop(envelope.ParseError, "parse: "+open.Error()+"; close it, or put the other kind of quote around it")
	case err != nil:
		return pipeline.Stop(envelope.ParseError, "parse: "+argv.ErrNotUTF8.Error()).Because(err)
	case len(words) == 0:
		return pipeline.Stop(envelope.PolicyDenied, "parse: the command is empty")
	case len(words)-1 > p.MaxArgs:
		return pipeline.Stop(envelope.ParseError, fmt.Sprintf("parse: %d arguments are over the limit of %d (max_args)", len(words)-1, p.MaxArgs))
	}
	for i, w := range words {
		if len(w) > maxWord {
			return pipeline.Stop(envelope.ParseError, fmt.Sprintf("parse: argument %d is %d bytes long, over the limit of %d of the kernel", i, len(w), maxWord))
		}
	}
	x.SetArgv(words)
	return pipeline.Continue()
}
