package features_test

import (
	"errors"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/config"
	"hardened-terminal-mcp/pipeline"
	. "hardened-terminal-mcp/pipeline/pipelinetest"
	"hardened-terminal-mcp/stages"
	"hardened-terminal-mcp/stages/jailpath"
	"hardened-terminal-mcp/stages/sandbox"
	"hardened-terminal-mcp/stages/secrets"
	"hardened-terminal-mcp/stages/trail"
)

var _ = Describe("Guarantee: one order of the stages", func() {
	var plan pipeline.Plan

	BeforeEach(func() {
		root, err := jailpath.Open(GinkgoT().TempDir())
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(root.Close)
		redactor, err := secrets.Compile(secrets.Options{Enabled: true})
		Expect(err).NotTo(HaveOccurred())
		plan = stages.Default(stages.Parts{
			Policy: config.Default(), Programs: map[string]sandbox.Executable{}, Root: root, Redactor: redactor, Trail: (*trail.Log)(nil),
		})
	})

	It("is the order that the README documents", func() {
		chain, err := plan.Build()
		Expect(err).NotTo(HaveOccurred())
		Expect(chain.Roles()).To(HaveExactElements(
			pipeline.Parse, pipeline.Metachar, pipeline.Policy, pipeline.Jail,
			pipeline.AuditAttempt, pipeline.Exec,
			pipeline.Redact, pipeline.Truncate, pipeline.AuditOutcome,
		))
	})

	It("is the only one of all 362,880 that builds", func() {
		// A fake with a stage's own Spec can stand anywhere, also where the
		// types would not let the stage itself.
		var specs []pipeline.Spec
		for _, s := range plan.Gates {
			specs = append(specs, s.Spec())
		}
		for _, s := range plan.Actions {
			specs = append(specs, s.Spec())
		}
		for _, s := range plan.Finalizers {
			specs = append(specs, s.Spec())
		}
		tried, built := 0, [][]pipeline.Spec{}
		permute(specs, func(order []pipeline.Spec) {
			tried++
			if _, err := arranged(order).Build(); err == nil {
				built = append(built, slices.Clone(order))
			}
		})
		Expect(tried).To(Equal(362880))
		Expect(built).To(HaveLen(1))
		Expect(built[0]).To(Equal(specs))
	})

	DescribeTable("is refused when a plan", func(spoil func(), want string) {
		spoil()
		chain, err := plan.Build()
		Expect(chain).To(BeNil())
		Expect(err).To(MatchError(ContainSubstring(want)))
		var broken *pipeline.OrderError
		Expect(errors.As(err, &broken)).To(BeTrue())
	},
		Entry("cuts before it redacts", func() { swap(plan.Finalizers, 0, 1) },
			`"truncate" must come after "redact", but "truncate" is #7 and "redact" is #8`),
		Entry("executes before it records the attempt", func() { swap(plan.Actions, 0, 1) },
			`"exec" must come after "audit-attempt", but "exec" is #5 and "audit-attempt" is #6`),
		Entry("has no outcome record", func() { plan.Finalizers = plan.Finalizers[:2] },
			`"exec" must come before "audit-outcome", but the chain has no "audit-outcome"`),
		Entry("adds a stage behind the outcome record", func() { plan.Finalizers = append(plan.Finalizers, Named("banner")) },
			`"banner" may not follow "audit-outcome"`),
		Entry("adds text behind the redaction", func() { plan.Finalizers = slices.Insert(plan.Finalizers, 2, pipeline.Finalizer(Named("banner"))) },
			`"banner" may not follow "redact"`),
		Entry("has no jail", func() { plan.Gates = plan.Gates[:3] },
			`"jail" must be present, but no stage has that role`),
		Entry("asks the policy before the metacharacters", func() { swap(plan.Gates, 1, 2) },
			`"metachar" must come before "policy"`),
	)

	It("takes a fork's gate among the gates and its finalizer before redact", func() {
		plan.Gates = append(plan.Gates, Fake{Says: pipeline.Spec{Role: "no-push", After: []pipeline.Role{pipeline.Parse}}})
		plan.Finalizers = slices.Insert(plan.Finalizers, 0, pipeline.Finalizer(Named("measure")))
		_, err := plan.Build()
		Expect(err).NotTo(HaveOccurred())
	})
})

// arranged puts fakes with these specs into a plan of four gates, two actions
// and three finalizers.
func arranged(specs []pipeline.Spec) pipeline.Plan {
	var p pipeline.Plan
	for i, s := range specs {
		switch f := (Fake{Says: s}); {
		case i < 4:
			p.Gates = append(p.Gates, f)
		case i < 6:
			p.Actions = append(p.Actions, f)
		default:
			p.Finalizers = append(p.Finalizers, f)
		}
	}
	return p
}

// permute calls visit with every order of s (Heap's algorithm).
func permute[T any](s []T, visit func([]T)) {
	s = slices.Clone(s)
	var step func(int)
	step = func(k int) {
		if k <= 1 {
			visit(s)
			return
		}
		for i := range k {
			step(k - 1)
			if k%2 == 0 {
				swap(s, i, k-1)
			} else {
				swap(s, 0, k-1)
			}
		}
	}
	step(len(s))
}

func swap[T any](s []T, i, j int) { s[i], s[j] = s[j], s[i] }
