// Package pipelinetest helps to test stages: a complete plan of do-nothing
// stages around the one a spec is about, and matchers for the house's words.
package pipelinetest

import (
	"context"

	"hardened-terminal-mcp/pipeline"
)

// A Fake is a stage of any kind. It adds its role to Trail, then runs Do; with
// Do nil it continues.
type Fake struct {
	Says  pipeline.Spec
	Do    func(ctx context.Context, x *pipeline.Exchange) pipeline.Verdict
	Trail *[]pipeline.Role
}

// Spec is what the fake was told to say.
func (f Fake) Spec() pipeline.Spec { return f.Says }

// Check makes a Fake a gate.
func (f Fake) Check(ctx context.Context, x *pipeline.Exchange) pipeline.Verdict { return f.run(ctx, x) }

// Act makes a Fake an action.
func (f Fake) Act(ctx context.Context, x *pipeline.Exchange) pipeline.Verdict { return f.run(ctx, x) }

// Finish makes a Fake a finalizer.
func (f Fake) Finish(ctx context.Context, x *pipeline.Exchange) pipeline.Verdict {
	return f.run(ctx, x)
}

func (f Fake) run(ctx context.Context, x *pipeline.Exchange) pipeline.Verdict {
	if f.Trail != nil {
		*f.Trail = append(*f.Trail, f.Says.Role)
	}
	if f.Do == nil {
		return pipeline.Continue()
	}
	return f.Do(ctx, x)
}

// Named is a fake in the given role.
func Named(r pipeline.Role) Fake { return Fake{Says: pipeline.Spec{Role: r}} }

// Plan is a full plan of fakes, each of which adds its role to trail. The
// gates parse ["true"] into ".", exec captures nothing and exits 0, and redact
// passes the texts on unchanged.
func Plan(trail *[]pipeline.Role) pipeline.Plan {
	fake := func(r pipeline.Role, do func(*pipeline.Exchange)) Fake {
		return Fake{Says: pipeline.Spec{Role: r}, Trail: trail, Do: func(_ context.Context, x *pipeline.Exchange) pipeline.Verdict {
			do(x)
			return pipeline.Continue()
		}}
	}
	nothing := func(*pipeline.Exchange) {}
	return pipeline.Plan{
		Gates: []pipeline.Gate{
			fake(pipeline.Parse, func(x *pipeline.Exchange) { x.SetArgv([]string{"true"}) }),
			fake(pipeline.Metachar, nothing),
			fake(pipeline.Policy, func(x *pipeline.Exchange) {
				x.SetGrant(pipeline.Grant{Rule: "allow/true", Exe: "/bin/true", Argv: []string{"true"}})
			}),
			fake(pipeline.Jail, func(x *pipeline.Exchange) { x.SetDir(".") }),
		},
		Actions: []pipeline.Action{
			fake(pipeline.AuditAttempt, nothing),
			fake(pipeline.Exec, func(x *pipeline.Exchange) { x.SetOutput(pipeline.Output{ExitCode: new(0)}) }),
		},
		Finalizers: []pipeline.Finalizer{
			fake(pipeline.Redact, func(x *pipeline.Exchange) {
				o := x.Output()
				x.SetText(pipeline.Text{Stdout: string(o.Stdout.Bytes), Stderr: string(o.Stderr.Bytes), Reason: x.Reason()})
			}),
			fake(pipeline.Truncate, nothing),
			fake(pipeline.AuditOutcome, nothing),
		},
	}
}
