package pipeline

import "context"

// A Role names the job a stage does. A chain holds each role at most once; a
// fork replaces a built-in stage by taking over its role, and adds roles of its own.
type Role string

// The roles every chain must fill, in the order they run.
const (
	Parse        Role = "parse"
	Metachar     Role = "metachar"
	Policy       Role = "policy"
	Jail         Role = "jail"
	AuditAttempt Role = "audit-attempt"
	Exec         Role = "exec"
	Redact       Role = "redact"
	Truncate     Role = "truncate"
	AuditOutcome Role = "audit-outcome"
)

// Roles lists the roles every chain must fill, in the order they run.
func Roles() []Role {
	return []Role{Parse, Metachar, Policy, Jail, AuditAttempt, Exec, Redact, Truncate, AuditOutcome}
}

// A Spec is what a stage says about itself: its role, and the roles that must
// be in the chain before it and after it. With Seal set, no stage may follow
// but those that Before names.
type Spec struct {
	Role   Role
	After  []Role
	Before []Role
	Seal   bool
}

// A Stage is one step of the chain. It is shared by concurrent requests and
// keeps what it learns of one request only in the [Exchange]. Spec must always
// give the same answer; [Plan.Build] reads it once.
type Stage interface {
	Spec() Spec
}

// A Gate decides whether a request may go on. It has no side effects, which is
// what makes a dry run safe.
type Gate interface {
	Stage
	Check(ctx context.Context, x *Exchange) Verdict
}

// An Action has side effects. It runs only in [Run] mode and only once every
// gate has let the request pass.
type Action interface {
	Stage
	Act(ctx context.Context, x *Exchange) Verdict
}

// A Finalizer always runs, whatever happened before it. Its context is never
// cancelled by the client.
type Finalizer interface {
	Stage
	Finish(ctx context.Context, x *Exchange) Verdict
}
