package stages

import (
	"context"

	"hardened-terminal-mcp/envelope"
	"hardened-terminal-mcp/pipeline"
	"hardened-terminal-mcp/stages/trail"
)

// AuditOutcome writes how every call ended: the one that ran, the one that was
// refused and the dry run.
type AuditOutcome struct {
	Recorder
}

// Spec puts the outcome last and seals the chain: what it records is what the
// client gets.
func (AuditOutcome) Spec() pipeline.Spec {
	return pipeline.Spec{Role: pipeline.AuditOutcome, After: []pipeline.Role{pipeline.Truncate}, Seal: true}
}

// Finish records the outcome. AUDIT_UNAVAILABLE always means that nothing ran:
// after a run the true result goes out, with a note.
func (a AuditOutcome) Finish(ctx context.Context, x *pipeline.Exchange) pipeline.Verdict {
	rec := a.record(x, trail.Outcome, x.Launched())
	out, text, result := x.Output(), x.Text(), x.Result()
	rec.Result = &trail.Result{
		Code:         string(result.Code),
		ExitCode:     result.ExitCode,
		Duration:     x.Elapsed(),
		StdoutBytes:  out.Stdout.Total,
		StderrBytes:  out.Stderr.Total,
		Truncated:    text.Truncated,
		Redactions:   text.Redactions,
		PolicyReason: text.Reason,
	}
	err := a.Sink.Append(ctx, rec)
	switch {
	case err == nil:
		return pipeline.Continue()
	case x.Launched():
		return pipeline.Note("audit-outcome: the command ran, but its outcome could not be recorded").Because(err)
	}
	return pipeline.Stop(envelope.AuditUnavailable, "audit-outcome: the audit trail cannot be written, so nothing was run").Because(err)
}
