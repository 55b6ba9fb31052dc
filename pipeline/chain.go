package pipeline

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"

	"hardened-terminal-mcp/envelope"
)

// A Chain is a checked, frozen [Plan], safe for concurrent use.
type Chain struct {
	gates, actions, finalizers []step
	log                        *slog.Logger
}

type step struct {
	role Role
	run  func(context.Context, *Exchange) Verdict
}

// An Answer is the envelope and what stands beside it: facts for the client's
// log that are not part of the result.
type Answer struct {
	envelope.CommandResult
	EventID string   // under which the audit trail has the call
	Rule    string   // the rule that accepted the command, "" if none did
	Argv    []string // as it ran or would run, redacted; nil when it was refused
	Binary  string   // absolute path of the program, "" if there is none
}

// Run takes one request through the chain. There is no error to forget:
// however the stages behave, the answer is an envelope.
func (c *Chain) Run(ctx context.Context, r Request) envelope.CommandResult {
	return c.Answer(ctx, r).CommandResult
}

// Answer is [Chain.Run] with the facts beside the envelope.
func (c *Chain) Answer(ctx context.Context, r Request) Answer {
	x := NewExchange(r)
	c.decide(ctx, x)

	// The client may have gone away; the record of what it did must not.
	ctx = context.WithoutCancel(ctx)
	for _, s := range c.finalizers {
		v := c.guard(ctx, s, x)
		if !v.Proceeds() {
			x.fail(s.role, v)
			continue
		}
		x.note(v.Reason())
	}
	return x.answer()
}

// decide walks the gates and, in run mode, the actions, up to the first stop.
func (c *Chain) decide(ctx context.Context, x *Exchange) {
	if v := x.request.Refusal; v != nil {
		x.stop("", *v)
		return
	}
	steps := c.gates
	if x.request.Mode == Run {
		steps = slices.Concat(c.gates, c.actions)
	}
	for _, s := range steps {
		if ctx.Err() != nil {
			x.stop(s.role, Interrupted(ctx))
			return
		}
		if s.role == Exec {
			x.launched = true
		}
		v := c.guard(ctx, s, x)
		if !v.Proceeds() {
			x.stop(s.role, v)
			return
		}
		x.note(v.Reason())
	}
}

// guard runs one stage. A panic becomes the zero verdict, an internal error.
// It is the only recover in the program: no panic text may reach a client.
func (c *Chain) guard(ctx context.Context, s step, x *Exchange) (v Verdict) {
	defer func() {
		if p := recover(); p != nil {
			v = Verdict{cause: fmt.Errorf("panic: %v\n%s", p, debug.Stack())}
		}
		if v.cause != nil || v.Code() == envelope.InternalError {
			c.log.Error("stage failed", "stage", s.role, "event_id", x.id, "err", v.cause)
		}
	}()
	return s.run(ctx, x)
}

// Roles lists the chain's stages in the order they run.
func (c *Chain) Roles() []Role {
	var out []Role
	for _, s := range slices.Concat(c.gates, c.actions, c.finalizers) {
		out = append(out, s.role)
	}
	return out
}

func (x *Exchange) answer() Answer {
	a := Answer{CommandResult: x.Result(), EventID: x.id}
	if x.text != nil {
		a.Argv = slices.Clone(x.text.Argv)
	}
	if x.grant != nil {
		a.Rule, a.Binary = x.grant.Rule, x.grant.Exe
	}
	return a
}
