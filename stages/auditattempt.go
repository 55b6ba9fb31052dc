package stages

import (
	"context"

	"hardened-terminal-mcp/envelope"
	"hardened-terminal-mcp/pipeline"
	"hardened-terminal-mcp/stages/trail"
)

// AuditAttempt writes the record that a command is about to run.
type AuditAttempt struct {
	Recorder
}

// Spec puts the attempt behind every gate and before exec: no command starts
// that is not on record.
func (AuditAttempt) Spec() pipeline.Spec {
	return pipeline.Spec{Role: pipeline.AuditAttempt, After: []pipeline.Role{pipeline.Jail}, Before: []pipeline.Role{pipeline.Exec}}
}

// Act fails closed: without the record there is no run.
func (a AuditAttempt) Act(ctx context.Context, x *pipeline.Exchange) pipeline.Verdict {
	if err := a.Sink.Append(ctx, a.record(x, trail.Attempt, true)); err != nil {
		return pipeline.Stop(envelope.AuditUnavailable, "audit-attempt: the audit trail cannot be written, so the command was not run").Because(err)
	}
	return pipeline.Continue()
}
