package stages_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/config"
	"hardened-terminal-mcp/envelope"
	"hardened-terminal-mcp/pipeline"
	. "hardened-terminal-mcp/pipeline/pipelinetest"
	"hardened-terminal-mcp/stages"
	"hardened-terminal-mcp/stages/sandbox"
	"hardened-terminal-mcp/stages/secrets"
)

var _ = Describe("Policy", func() {
	var policy *stages.Policy

	BeforeEach(func() {
		programs := map[string]sandbox.Executable{"ls": {Path: "/bin/ls"}, "rm": {Path: "/bin/rm"}}
		policy = stages.NewPolicy(
			config.Policy{Allow: []string{"ls", "rm", "gone"}, Deny: []string{"rm"}},
			programs, []string{"PATH=/bin"}, redactor(secrets.Options{Enabled: true}))
	})

	It("grants an allowed command its program, argv and environment", func(ctx SpecContext) {
		x := parsed("ls", "-l")
		Expect(policy.Check(ctx, x)).To(Proceed())
		Expect(x.Grant()).To(Equal(pipeline.Grant{Rule: "allow/ls", Exe: "/bin/ls", Argv: []string{"ls", "-l"}, Env: []string{"PATH=/bin"}}))
	})

	DescribeTable("denies", func(ctx SpecContext, name string, words ...string) {
		x := parsed(name, "x")
		Expect(policy.Check(ctx, x)).To(StopWith(envelope.PolicyDenied, words...))
		Expect(x.Granted()).To(BeFalse())
	},
		Entry("a command on neither list, and says what is allowed", "cat", `allow: "cat" is not allowed; allowed commands are gone, ls`),
		Entry("a command on both lists", "rm", `deny: "rm" is denied`),
		Entry("a denied command in another case, which some disks run", "RM", `deny: "RM" is denied`),
		Entry("an allowed command in another case", "LS", `allow: "LS" is not allowed`),
		Entry("a name that begins with an allowed one", "lsx", `allow: "lsx" is not allowed`),
		Entry("an absolute path to an allowed command", "/bin/ls", "holds a slash"),
		Entry("a relative path to a planted one", "./ls", "holds a slash"),
		Entry("an assignment before the command", "LD_PRELOAD=./x.so", "inline environment assignments are not supported"),
		Entry("an assignment without a slash", "A=b", "inline environment assignments are not supported"),
		Entry("a look-alike letter, shown escaped", "l\u0455", `"l\u0455"`, "non-ASCII"),
		Entry("an empty name", "", "the command's name is empty"),
		Entry("braces, which nothing expands", "{ls,-l}", "is not allowed"),
		Entry("cd, with what to do instead", "cd", "cwd"),
	)

	It("quotes no secret that stands where a command belongs", func(ctx SpecContext) {
		token := "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
		v := policy.Check(ctx, parsed(token))
		Expect(v).To(StopWith(envelope.PolicyDenied, "[REDACTED:"))
		Expect(v.Reason()).NotTo(ContainSubstring("a1B2c3D4"))
	})

	Context("with an allowed command that was not found", func() {
		It("says so in a dry run, which is OK", func(ctx SpecContext) {
			x := pipeline.NewExchange(pipeline.Request{Mode: pipeline.Explain})
			x.SetArgv([]string{"gone"})
			v := policy.Check(ctx, x)
			Expect(v).To(Proceed())
			Expect(v.Reason()).To(ContainSubstring("not found in the policy's PATH"))
		})

		It("grants it without a program, for exec to refuse", func(ctx SpecContext) {
			x := parsed("gone")
			Expect(policy.Check(ctx, x)).To(Proceed())
			Expect(x.Grant().Exe).To(BeEmpty())
		})
	})
})
