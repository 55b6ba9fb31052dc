package pipeline_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/envelope"
	"hardened-terminal-mcp/pipeline"
	. "hardened-terminal-mcp/pipeline/pipelinetest"
)

var _ = Describe("A chain", func() {
	var (
		plan  pipeline.Plan
		trail []pipeline.Role
		log   bytes.Buffer
	)

	run := func(ctx context.Context, mode pipeline.Mode) envelope.CommandResult {
		chain, err := plan.Build()
		Expect(err).NotTo(HaveOccurred())
		return chain.Run(ctx, pipeline.Request{Mode: mode, Command: new("true")})
	}
	doing := func(r pipeline.Role, do func(*pipeline.Exchange) pipeline.Verdict) Fake {
		return Fake{Says: pipeline.Spec{Role: r}, Trail: &trail, Do: func(_ context.Context, x *pipeline.Exchange) pipeline.Verdict {
			return do(x)
		}}
	}

	BeforeEach(func() {
		trail, log = nil, bytes.Buffer{}
		plan = Plan(&trail)
		plan.Log = slog.New(slog.NewTextHandler(&log, nil))
	})

	It("runs the nine stages in order", func(ctx SpecContext) {
		Expect(run(ctx, pipeline.Run)).To(HaveRun(0))
		Expect(trail).To(Equal(pipeline.Roles()))
	})

	It("runs no action in explain mode", func(ctx SpecContext) {
		r := run(ctx, pipeline.Explain)
		Expect(r.OK).To(BeTrue())
		Expect(r.ExitCode).To(BeNil())
		Expect(trail).NotTo(ContainElements(pipeline.AuditAttempt))
		Expect(trail).NotTo(ContainElements(pipeline.Exec))
	})

	It("explains when no mode is given", func(ctx SpecContext) {
		run(ctx, *new(pipeline.Mode))
		Expect(trail).NotTo(ContainElement(pipeline.Exec))
	})

	DescribeTable("when a stage stops, skips what is left of gates and actions and still finishes",
		func(ctx SpecContext, spoil func(), ran []pipeline.Role) {
			spoil()
			Expect(run(ctx, pipeline.Run)).To(BeRefused(envelope.PolicyDenied, "no"))
			Expect(trail).To(Equal(append(ran, pipeline.Redact, pipeline.Truncate, pipeline.AuditOutcome)))
		},
		Entry("a gate", func() {
			plan.Gates[1] = doing(pipeline.Metachar, func(*pipeline.Exchange) pipeline.Verdict {
				return pipeline.Stop(envelope.PolicyDenied, "no")
			})
		}, []pipeline.Role{pipeline.Parse, pipeline.Metachar}),
		Entry("an action", func() {
			plan.Actions[0] = doing(pipeline.AuditAttempt, func(*pipeline.Exchange) pipeline.Verdict {
				return pipeline.Stop(envelope.PolicyDenied, "no")
			})
		}, []pipeline.Role{pipeline.Parse, pipeline.Metachar, pipeline.Policy, pipeline.Jail, pipeline.AuditAttempt}),
	)

	DescribeTable("denies on a verdict no stage may give",
		func(ctx SpecContext, v pipeline.Verdict) {
			plan.Gates[2] = doing(pipeline.Policy, func(*pipeline.Exchange) pipeline.Verdict { return v })
			Expect(run(ctx, pipeline.Run)).To(BeRefused(envelope.InternalError))
			Expect(trail).NotTo(ContainElement(pipeline.Exec))
		},
		Entry("the zero value", pipeline.Verdict{}),
		Entry("a stop that says OK", pipeline.Stop(envelope.OK, "fine")),
		Entry("an unknown code", pipeline.Stop("MAYBE", "fine")),
	)

	It("tells the operator why and the client nothing when a stage panics", func(ctx SpecContext) {
		plan.Gates[2] = doing(pipeline.Policy, func(*pipeline.Exchange) pipeline.Verdict { panic("at /srv/secret.go") })
		r := run(ctx, pipeline.Run)
		Expect(r).To(BeRefused(envelope.InternalError, "internal"))
		Expect(string(r.JSON())).NotTo(ContainSubstring("secret.go"))
		Expect(log.String()).To(ContainSubstring("at /srv/secret.go"))
		Expect(trail).To(ContainElement(pipeline.AuditOutcome))
		Expect(trail).NotTo(ContainElement(pipeline.Exec))
	})

	It("keeps the cause of a stop for the operator", func(ctx SpecContext) {
		plan.Gates[3] = doing(pipeline.Jail, func(*pipeline.Exchange) pipeline.Verdict {
			return pipeline.Stop(envelope.ExecutorError, "gone").Because(errors.New("stat /srv/jail: no"))
		})
		r := run(ctx, pipeline.Run)
		Expect(r).To(BeRefused(envelope.ExecutorError, "gone"))
		Expect(string(r.JSON())).NotTo(ContainSubstring("/srv/jail"))
		Expect(log.String()).To(ContainSubstring("/srv/jail"))
	})

	It("withholds the output when redaction fails", func(ctx SpecContext) {
		plan.Actions[1] = doing(pipeline.Exec, func(x *pipeline.Exchange) pipeline.Verdict {
			x.SetOutput(pipeline.Output{Stdout: pipeline.Capture{Bytes: []byte("hunter2"), Total: 7}, ExitCode: new(0)})
			return pipeline.Continue()
		})
		plan.Finalizers[0] = doing(pipeline.Redact, func(*pipeline.Exchange) pipeline.Verdict { panic("no") })
		r := run(ctx, pipeline.Run)
		Expect(r).To(BeRefused(envelope.InternalError))
		Expect(trail[len(trail)-2:]).To(HaveExactElements(pipeline.Truncate, pipeline.AuditOutcome))
	})

	It("withholds the output when a later finalizer fails", func(ctx SpecContext) {
		plan.Actions[1] = doing(pipeline.Exec, func(x *pipeline.Exchange) pipeline.Verdict {
			x.SetOutput(pipeline.Output{Stdout: pipeline.Capture{Bytes: []byte("far too much"), Total: 12}, ExitCode: new(0)})
			return pipeline.Continue()
		})
		plan.Finalizers[1] = doing(pipeline.Truncate, func(*pipeline.Exchange) pipeline.Verdict { panic("no") })
		Expect(run(ctx, pipeline.Run)).To(BeRefused(envelope.InternalError))
	})

	It("withholds the output when nobody redacted it", func(ctx SpecContext) {
		plan.Actions[1] = doing(pipeline.Exec, func(x *pipeline.Exchange) pipeline.Verdict {
			x.SetOutput(pipeline.Output{Stdout: pipeline.Capture{Bytes: []byte("hunter2"), Total: 7}})
			return pipeline.Continue()
		})
		plan.Finalizers[0] = doing(pipeline.Redact, func(*pipeline.Exchange) pipeline.Verdict { return pipeline.Continue() })
		Expect(string(run(ctx, pipeline.Run).JSON())).NotTo(ContainSubstring("hunter2"))
	})

	It("adds a note to the reason and goes on", func(ctx SpecContext) {
		plan.Gates[1] = doing(pipeline.Metachar, func(*pipeline.Exchange) pipeline.Verdict { return pipeline.Note("one") })
		plan.Finalizers[2] = doing(pipeline.AuditOutcome, func(*pipeline.Exchange) pipeline.Verdict { return pipeline.Note("two") })
		r := run(ctx, pipeline.Run)
		Expect(r).To(HaveRun(0))
		Expect(r.PolicyReason).To(Equal("one; two"))
	})

	It("marks an OK result as truncated, and no other", func(ctx SpecContext) {
		plan.Finalizers[1] = doing(pipeline.Truncate, func(x *pipeline.Exchange) pipeline.Verdict {
			t := x.Text()
			t.Truncated = true
			x.SetText(t)
			return pipeline.Continue()
		})
		r := run(ctx, pipeline.Run)
		Expect(r.Code).To(Equal(envelope.OutputTruncated))
		Expect(r.OK).To(BeFalse())
		Expect(r).To(HaveRun(0))

		plan.Actions[1] = doing(pipeline.Exec, func(*pipeline.Exchange) pipeline.Verdict { return pipeline.Stop(envelope.Timeout, "late") })
		Expect(run(ctx, pipeline.Run).Code).To(Equal(envelope.Timeout))
	})

	When("the request carries its refusal", func() {
		It("skips gates and actions and records it", func(ctx SpecContext) {
			chain, err := plan.Build()
			Expect(err).NotTo(HaveOccurred())
			busy := pipeline.Stop(envelope.ExecutorError, "busy")
			Expect(chain.Run(ctx, pipeline.Request{Mode: pipeline.Run, Refusal: &busy})).To(BeRefused(envelope.ExecutorError, "busy"))
			Expect(trail).To(HaveExactElements(pipeline.Redact, pipeline.Truncate, pipeline.AuditOutcome))
		})
	})

	When("the context ends", func() {
		It("starts nothing more, and finishes under a context that is alive", func(ctx SpecContext) {
			ctx2, cancel := context.WithCancel(ctx)
			plan.Gates[3] = doing(pipeline.Jail, func(x *pipeline.Exchange) pipeline.Verdict {
				cancel()
				return pipeline.Continue()
			})
			alive := false
			plan.Finalizers[2] = Fake{Says: pipeline.Spec{Role: pipeline.AuditOutcome}, Do: func(ctx context.Context, _ *pipeline.Exchange) pipeline.Verdict {
				alive = ctx.Err() == nil
				return pipeline.Continue()
			}}
			Expect(run(ctx2, pipeline.Run)).To(BeRefused(envelope.ExecutorError, "cancelled"))
			Expect(trail).NotTo(ContainElement(pipeline.AuditAttempt))
			Expect(alive).To(BeTrue())
		})

		It("says so when the server is going down", func(ctx SpecContext) {
			ctx2, cancel := context.WithCancelCause(ctx)
			cancel(pipeline.ErrShutdown)
			Expect(run(ctx2, pipeline.Run)).To(BeRefused(envelope.ExecutorError, "shutting down"))
		})
	})

	It("gives each call its own event id", func(ctx SpecContext) {
		chain, err := plan.Build()
		Expect(err).NotTo(HaveOccurred())
		a, b := chain.Answer(ctx, pipeline.Request{}), chain.Answer(ctx, pipeline.Request{})
		Expect(a.EventID).To(MatchRegexp("^[0-9a-f]{32}$"))
		Expect(a.EventID).NotTo(Equal(b.EventID))
	})
})

var _ = Describe("An exchange", func() {
	var x *pipeline.Exchange

	BeforeEach(func() { x = pipeline.NewExchange(pipeline.Request{}) })

	DescribeTable("panics when a fact is read before it is written", func(read func()) {
		Expect(read).To(Panic())
	},
		Entry("argv", func() { x.Argv() }),
		Entry("grant", func() { x.Grant() }),
		Entry("dir", func() { x.Dir() }),
		Entry("text", func() { x.Text() }),
	)

	DescribeTable("panics when a fact is written twice", func(write func()) {
		write()
		Expect(write).To(Panic())
	},
		Entry("argv", func() { x.SetArgv([]string{"a"}) }),
		Entry("grant", func() { x.SetGrant(pipeline.Grant{Argv: []string{"a"}}) }),
		Entry("dir", func() { x.SetDir(".") }),
		Entry("output", func() { x.SetOutput(pipeline.Output{}) }),
	)

	It("hands out copies, so that nobody changes what was approved", func() {
		argv := []string{"ls", "-l"}
		x.SetArgv(argv)
		argv[0] = "rm"
		x.Argv()[0] = "rm"
		x.SetGrant(pipeline.Grant{Argv: x.Argv(), Env: []string{"A=1"}})
		g := x.Grant()
		g.Argv[0], g.Env[0] = "rm", "B=2"
		Expect(x.Argv()[0]).To(Equal("ls"))
		Expect(x.Grant().Argv[0]).To(Equal("ls"))
		Expect(x.Grant().Env[0]).To(Equal("A=1"))
	})
})
