package sandbox_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/sandbox"
)

var _ = Describe("The self-test", func() {
	refused := func(ctx SpecContext, l *sandbox.Launcher) map[string]bool {
		GinkgoHelper()
		attempts, err := sandbox.SelfTest(ctx, l)
		Expect(err).NotTo(HaveOccurred())
		answer := map[string]bool{}
		for _, a := range attempts {
			if a.Skipped != "" {
				GinkgoWriter.Println(a.What, "was not tried:", a.Skipped)
				continue
			}
			answer[a.What] = a.Refused
		}
		return answer
	}

	It("finds every escape refused by namespaces and Landlock", func(ctx SpecContext) {
		answer := refused(ctx, rungs[0].confined(sandbox.Options{Jail: newJail()}))
		Expect(len(answer)).To(BeNumerically(">=", 5))
		Expect(answer).To(HaveEach(BeTrue()))
	})

	It("finds what Landlock alone leaves open", func(ctx SpecContext) {
		answer := refused(ctx, rungs[len(rungs)-1].confined(sandbox.Options{Jail: newJail()}))
		Expect(answer).To(HaveKeyWithValue("read a file outside the jail", true))
		Expect(answer).To(HaveKeyWithValue("write a file outside the jail", true))
		Expect(answer).To(HaveKeyWithValue("change the mode of a file outside the jail", false))
		Expect(answer).To(Or(HaveKeyWithValue("leave a daemon behind", true), Not(HaveKey("leave a daemon behind"))))
	})

	It("finds the network open when it is allowed", func(ctx SpecContext) {
		answer := refused(ctx, rungs[0].confined(sandbox.Options{Jail: newJail(), Network: true}))
		Expect(answer).To(Or(HaveKeyWithValue("connect to a port of this machine", false), Not(HaveKey("connect to a port of this machine"))))
	})

	It("finds nearly all escapes open in a bare process group", func(ctx SpecContext) {
		answer := refused(ctx, newLauncher(sandbox.Options{Jail: newJail(), Slots: 1}))
		Expect(answer).To(HaveKeyWithValue("read a file outside the jail", false))
		Expect(answer).To(HaveKeyWithValue("write a file outside the jail", false))
		Expect(answer).To(HaveKeyWithValue("run in a directory outside the jail", true))
	})
})

var _ = Describe("A probe", func() {
	It("tells the rung and leaves no helper", func() {
		o := sandbox.Options{Jail: newJail(), Slots: 1, Mode: sandbox.BestEffort}
		report, err := sandbox.Probe(o)
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Rung).To(BeElementOf(1, 2, 5))
		Eventually(helperPID).Should(BeZero())
	})
})
