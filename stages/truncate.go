package stages

import (
	"context"

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

// Finish cuts at a rune boundary and never inside a marker.
func (t Truncate) Finish(_ context.Context, x *pipeline.Exchange) pipeline.Verdict {
	text := x.Text()
	text.Stdout, text.Truncated = shorten(text.Stdout, t.MaxStdout, text.Truncated)
	text.Stderr, text.Truncated = shorten(text.Stderr, t.MaxStderr, text.Truncated)
	x.SetText(text)
	return pipeline.Continue()
}

func shorten(s string, most int, truncated bool) (string, bool) {
	if len(s) <= most {
		return s, truncated
	}
	return s[:secrets.CutAt(s, most)], true
}
