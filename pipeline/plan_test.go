package pipeline_test

import (
	"errors"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/pipeline"
	. "hardened-terminal-mcp/pipeline/pipelinetest"
)

var _ = Describe("A plan", func() {
	var plan pipeline.Plan

	BeforeEach(func() { plan = Plan(nil) })

	DescribeTable("does not build when", func(spoil func(), want string) {
		spoil()
		chain, err := plan.Build()
		Expect(chain).To(BeNil())
		Expect(err).To(MatchError(ContainSubstring(want)))
	},
		Entry("a role is missing", func() { plan.Gates = plan.Gates[:3] },
			`"jail" must be present, but no stage has that role`),
		Entry("two stages have one role", func() { plan.Gates = append(plan.Gates, Named(pipeline.Policy)) },
			`"policy" must be unique, but two stages claim that role`),
		Entry("a stage has no role", func() { plan.Gates = append(plan.Gates, Named("")) },
			`stage #5 has no role`),
		Entry("a stage is nil", func() { plan.Actions = append(plan.Actions, nil) },
			"stage #7 of the plan is nil"),
		Entry("a stage comes before what it needs", func() {
			plan.Gates = append([]pipeline.Gate{Fake{Says: pipeline.Spec{Role: "no-push", After: []pipeline.Role{pipeline.Parse}}}}, plan.Gates...)
		}, `"no-push" must come after "parse", but "no-push" is #1 and "parse" is #2`),
		Entry("a stage comes after what needs it", func() {
			plan.Gates = append(plan.Gates, Fake{Says: pipeline.Spec{Role: "early", Before: []pipeline.Role{pipeline.Parse}}})
		}, `"early" must come before "parse", but "early" is #5 and "parse" is #1`),
		Entry("what a stage needs is not there", func() {
			plan.Gates = append(plan.Gates, Fake{Says: pipeline.Spec{Role: "late", After: []pipeline.Role{"nobody"}}})
		}, `"late" must come after "nobody", but the chain has no "nobody"`),
		Entry("a stage follows a seal", func() {
			plan.Finalizers[1] = Fake{Says: pipeline.Spec{Role: pipeline.Truncate, Seal: true}}
		}, `"audit-outcome" may not follow "truncate"`),
	)

	It("reports every broken rule at once, each an OrderError, and the chain last", func() {
		plan.Gates = plan.Gates[2:]
		_, err := plan.Build()
		Expect(strings.Split(err.Error(), "\n")).To(HaveExactElements(
			ContainSubstring("parse"), ContainSubstring("metachar"),
			"chain was: policy > jail > audit-attempt > exec > redact > truncate > audit-outcome"))
		var broken *pipeline.OrderError
		Expect(errors.As(err, &broken)).To(BeTrue())
		Expect(broken.Stage).To(Equal(pipeline.Parse))
	})

	It("asks each stage for its spec once, so that it cannot change its mind", func() {
		asked := &asking{}
		plan.Gates[0] = asked
		_, err := plan.Build()
		Expect(err).NotTo(HaveOccurred())
		Expect(asked.times).To(Equal(1))
	})
})

type asking struct {
	Fake
	times int
}

func (a *asking) Spec() pipeline.Spec {
	a.times++
	return pipeline.Spec{Role: pipeline.Parse}
}
