package stages

import (
	"context"
	"strings"

	"hardened-terminal-mcp/pipeline"
	"hardened-terminal-mcp/stages/secrets"
)

// Redact decides what the client may read: it alone turns raw output into text.
type Redact struct {
	Redactor    *secrets.Redactor
	KeepEscapes bool // leave terminal escape sequences in
}

// Spec puts redact before truncate and seals the chain to those two: cutting
// first could leave half a secret that no pattern matches, and text added later
// would not have been looked at.
func (Redact) Spec() pipeline.Spec {
	return pipeline.Spec{
		Role:   pipeline.Redact,
		After:  []pipeline.Role{pipeline.Exec},
		Before: []pipeline.Role{pipeline.Truncate, pipeline.AuditOutcome},
		Seal:   true,
	}
}

// Finish redacts both streams, the reason and the argv.
func (r Redact) Finish(_ context.Context, x *pipeline.Exchange) pipeline.Verdict {
	out := x.Output()
	counts := map[string]int{}
	text := pipeline.Text{Reason: r.Redactor.Text(x.Reason()).Text}
	text.Stdout = r.stream(out.Stdout, counts)
	text.Stderr = r.stream(out.Stderr, counts)
	text.Truncated = cut(out.Stdout) || cut(out.Stderr)
	if len(counts) > 0 {
		text.Redactions = counts
	}
	if x.Granted() {
		text.Argv = r.Redactor.Argv(x.Grant().Argv)
	}
	x.SetText(text)
	return pipeline.Continue()
}

// stream makes one stream safe and adds what it replaced to counts.
func (r Redact) stream(c pipeline.Capture, counts map[string]int) string {
	raw := string(c.Bytes)
	result := r.Redactor.Text
	if cut(c) {
		result = func(s string) secrets.Result { return r.Redactor.Head(s, Margin) }
	}
	found := result(raw)
	add(counts, found.Counts)
	text := found.Text
	if !r.KeepEscapes {
		if plain := secrets.StripEscapes(text); plain != text {
			// What the sequences kept apart may be a secret now that they are gone.
			found = r.Redactor.Text(plain)
			add(counts, found.Counts)
			text = found.Text
		}
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// cut reports whether the command wrote more than was kept.
func cut(c pipeline.Capture) bool { return c.Total > int64(len(c.Bytes)) }

func add(sum, more map[string]int) {
	for name, n := range more {
		sum[name] += n
	}
}
