package stages

import (
	"context"
	"fmt"

	"hardened-terminal-mcp/pipeline"
	"hardened-terminal-mcp/stages/secrets"
)

// Truncate cuts both streams to their caps, in bytes of the text returned.
type Truncate struct {
	MaxStdout, MaxStderr int
}

// Spec puts truncate behind redact: cutting first could leave half a secret
// that no pattern matches.
func (Truncate) Spec() pipeline.Spec {
	return pipeline.Spec{Role: pipeline.Truncate, After: []pipeline.Role{pipeline.Redact}, Before: []pipeline.Role{pipeline.AuditOutcome}}
}

// Finish cuts at a rune boundary and never inside a marker, and says how much
// of which stream there was.
func (t Truncate) Finish(_ context.Context, x *pipeline.Exchange) pipeline.Verdict {
	text, out := x.Text(), x.Output()
	var stdout, stderr bool
	text.Stdout, stdout = shorten(text.Stdout, t.MaxStdout)
	text.Stderr, stderr = shorten(text.Stderr, t.MaxStderr)
	text.Truncated = text.Truncated || stdout || stderr
	x.SetText(text)
	if !text.Truncated {
		return pipeline.Continue()
	}
	return pipeline.Note(fmt.Sprintf("truncate: the command wrote %d bytes to stdout and %d to stderr, and the caps are %d and %d; ask for less",
		out.Stdout.Total, out.Stderr.Total, t.MaxStdout, t.MaxStderr))
}

func shorten(s string, most int) (text string, cut bool) {
	if len(s) <= most {
		return s, false
	}
	return s[:secrets.CutAt(s, most)], true
}
