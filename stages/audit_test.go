package stages_test

import (
	"context"
	"errors"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/envelope"
	"hardened-terminal-mcp/pipeline"
	. "hardened-terminal-mcp/pipeline/pipelinetest"
	"hardened-terminal-mcp/stages"
	"hardened-terminal-mcp/stages/secrets"
	"hardened-terminal-mcp/stages/trail"
)

type ctxt = context.Context

// memory is a trail that keeps its records, and fails when it is told to.
type memory struct {
	records []trail.Record
	fail    map[trail.Kind]bool
}

func (m *memory) Append(_ context.Context, r trail.Record) error {
	if m.fail[r.Kind] {
		return errors.New("write /srv/audit.jsonl: no space left on device")
	}
	m.records = append(m.records, r)
	return nil
}

// noSeal lets a spec put a real redact stage among fakes.
type noSeal struct{ stages.Redact }

func (noSeal) Spec() pipeline.Spec { return pipeline.Spec{Role: pipeline.Redact} }

var _ = Describe("The audit stages", func() {
	var (
		log   *memory
		plan  pipeline.Plan
		chain *pipeline.Chain
		ran   bool
	)

	run := func(ctx context.Context, r pipeline.Request) envelope.CommandResult {
		GinkgoHelper()
		var err error
		chain, err = plan.Build()
		Expect(err).NotTo(HaveOccurred())
		return chain.Run(ctx, r)
	}

	BeforeEach(func() {
		log, ran = &memory{fail: map[trail.Kind]bool{}}, false
		recorder := stages.Recorder{Sink: log, Redactor: redactor(secrets.Options{Enabled: true}), Jail: "/jail", PolicyHash: "abc"}
		plan = Plan(nil)
		plan.Gates[0] = stages.Parse{MaxBytes: 4096, MaxArgs: 64}
		plan.Gates[2] = Fake{Says: pipeline.Spec{Role: pipeline.Policy}, Do: func(_ ctxt, x *pipeline.Exchange) pipeline.Verdict {
			if x.Argv()[0] == "rm" {
				return pipeline.Stop(envelope.PolicyDenied, "deny: no")
			}
			x.SetGrant(pipeline.Grant{Rule: "r", Exe: "/bin/x", Argv: append(x.Argv(), "--added")})
			return pipeline.Continue()
		}}
		plan.Gates[3] = Fake{Says: pipeline.Spec{Role: pipeline.Jail}, Do: func(_ ctxt, x *pipeline.Exchange) pipeline.Verdict {
			x.SetDir("sub")
			return pipeline.Continue()
		}}
		plan.Actions[0] = stages.AuditAttempt{Recorder: recorder}
		plan.Actions[1] = Fake{Says: pipeline.Spec{Role: pipeline.Exec}, Do: func(_ ctxt, x *pipeline.Exchange) pipeline.Verdict {
			ran = true
			x.SetOutput(pipeline.Output{Stdout: whole("12345"), Stderr: pipeline.Capture{Bytes: []byte("e"), Total: 7}, ExitCode: new(3)})
			return pipeline.Continue()
		}}
		plan.Finalizers[0] = noSeal{stages.Redact{Redactor: recorder.Redactor}}
		plan.Finalizers[2] = stages.AuditOutcome{Recorder: recorder}
	})

	It("write an attempt before and an outcome after a run, under one event id", func(ctx SpecContext) {
		r := run(ctx, pipeline.Request{Mode: pipeline.Run, Tool: "run_command", Command: new("x 'a b'"), Client: "c 1"})
		Expect(r).To(HaveRun(3))
		Expect(log.records).To(HaveLen(2))
		attempt, outcome := log.records[0], log.records[1]
		Expect(attempt.EventID).To(MatchRegexp("^[0-9a-f]{32}$"))
		Expect(attempt).To(Equal(trail.Record{
			EventID: attempt.EventID, Kind: trail.Attempt, Tool: "run_command", CommandRaw: new("x 'a b'"),
			Argv: []string{"x", "a b"}, ExecArgv: []string{"x", "a b", "--added"}, Cwd: "/jail/sub", Jail: "/jail",
			Exe: "/bin/x", PolicyHash: "abc", Client: "c 1",
		}))
		result := outcome.Result
		outcome.Kind, outcome.Result = trail.Attempt, nil
		Expect(outcome).To(Equal(attempt))
		Expect(result.Duration).To(BeNumerically(">", 0))
		result.Duration = 0
		Expect(*result).To(Equal(trail.Result{Code: "OUTPUT_TRUNCATED", ExitCode: new(3), StdoutBytes: 5, StderrBytes: 7, Truncated: true}))
	})

	DescribeTable("write one outcome, and nothing that ran, for", func(ctx SpecContext, r pipeline.Request, code string, argv []string) {
		run(ctx, r)
		Expect(ran).To(BeFalse())
		Expect(log.records).To(HaveLen(1))
		rec := log.records[0]
		Expect(rec.Kind).To(Equal(trail.Outcome))
		Expect(rec.Result.Code).To(Equal(code))
		Expect(rec.Argv).To(Equal(argv))
		Expect(rec.ExecArgv).To(BeNil())
		Expect(rec.Exe).To(BeEmpty())
	},
		Entry("a denial", pipeline.Request{Mode: pipeline.Run, Command: new("rm x")}, "POLICY_DENIED", []string{"rm", "x"}),
		Entry("a parse error", pipeline.Request{Mode: pipeline.Run, Command: new("x 'a")}, "PARSE_ERROR", []string{}),
		Entry("a dry run", pipeline.Request{Mode: pipeline.Explain, Command: new("x a")}, "OK", []string{"x", "a"}),
		Entry("a call that could not be read", pipeline.Request{Refusal: new(pipeline.Stop(envelope.ParseError, "no"))}, "PARSE_ERROR", []string{}),
	)

	It("record null for a command that was not sent", func(ctx SpecContext) {
		run(ctx, pipeline.Request{Refusal: new(pipeline.Stop(envelope.ParseError, "no"))})
		Expect(log.records[0].CommandRaw).To(BeNil())
	})

	It("mask secrets in everything the client sent", func(ctx SpecContext) {
		run(ctx, pipeline.Request{Mode: pipeline.Run, Tool: token, Dir: token, Client: token, Command: new("x gh''" + token[2:] + " --password hunter2hunter2")})
		for _, rec := range log.records {
			for _, text := range append([]string{*rec.CommandRaw, rec.Cwd, rec.Tool, rec.Client}, append(rec.Argv, rec.ExecArgv...)...) {
				Expect(text).NotTo(ContainSubstring("a1B2c3D4"))
				Expect(text).NotTo(ContainSubstring("hunter2"))
			}
		}
		Expect(log.records).To(HaveLen(2))
	})

	It("keep a command from running when the attempt cannot be written", func(ctx SpecContext) {
		log.fail[trail.Attempt] = true
		r := run(ctx, pipeline.Request{Mode: pipeline.Run, Command: new("x")})
		Expect(r).To(BeRefused(envelope.AuditUnavailable, "audit-attempt: ", "not run"))
		Expect(r.PolicyReason).NotTo(ContainSubstring("/srv"))
		Expect(ran).To(BeFalse())
	})

	It("give the true result with a note when only the outcome cannot be written", func(ctx SpecContext) {
		log.fail[trail.Outcome] = true
		r := run(ctx, pipeline.Request{Mode: pipeline.Run, Command: new("x")})
		Expect(r).To(HaveRun(3))
		Expect(r.Stdout).To(Equal("12345"))
		Expect(r.PolicyReason).To(ContainSubstring("its outcome could not be recorded"))
	})

	DescribeTable("refuse what cannot be recorded and did not run", func(ctx SpecContext, r pipeline.Request) {
		log.fail[trail.Outcome] = true
		Expect(run(ctx, r)).To(BeRefused(envelope.AuditUnavailable, "audit-outcome: "))
	},
		Entry("a denial", pipeline.Request{Mode: pipeline.Run, Command: new("rm x")}),
		Entry("a dry run", pipeline.Request{Mode: pipeline.Explain, Command: new("x")}),
	)
})
