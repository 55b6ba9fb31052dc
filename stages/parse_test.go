package stages_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/envelope"
	. "hardened-terminal-mcp/pipeline/pipelinetest"
	"hardened-terminal-mcp/stages"
)

var _ = Describe("Parse", func() {
	var parse stages.Parse

	BeforeEach(func() { parse = stages.Parse{MaxBytes: 4096, MaxArgs: 64} })

	It("records the argv", func(ctx SpecContext) {
		x := asked(`grep -rn 'foo bar' src`)
		Expect(parse.Check(ctx, x)).To(Proceed())
		Expect(x.Argv()).To(HaveExactElements("grep", "-rn", "foo bar", "src"))
	})

	DescribeTable("refuses", func(ctx SpecContext, line string, code envelope.ResultCode, words ...string) {
		x := asked(line)
		Expect(parse.Check(ctx, x)).To(StopWith(code, words...))
		Expect(x.Parsed()).To(BeFalse())
	},
		Entry("an empty command", "", envelope.PolicyDenied, "parse: the command is empty"),
		Entry("blanks only", " \t  ", envelope.PolicyDenied, "parse: the command is empty"),
		Entry("an open quote", `echo "a`, envelope.ParseError, `the " at byte 5 is never closed`),
		Entry("an open quote before a metacharacter, because parse comes first", `echo "a;b`, envelope.ParseError, "never closed"),
		Entry("bytes that are not UTF-8", "echo \xff", envelope.ParseError, "not valid UTF-8"),
		Entry("a line over the limit", "echo "+strings.Repeat("a", 4092), envelope.ParseError, "4097 bytes", "limit of 4096", "max_command_bytes"),
		Entry("too many arguments", "echo"+strings.Repeat(" a", 65), envelope.ParseError, "65 arguments", "limit of 64", "max_args"),
	)

	It("takes as much as the limits say", func(ctx SpecContext) {
		Expect(parse.Check(ctx, asked("echo "+strings.Repeat("a", 4091)))).To(Proceed())
		Expect(parse.Check(ctx, asked("echo"+strings.Repeat(" a", 64)))).To(Proceed())
	})

	It("refuses an argument longer than the kernel takes, whatever the policy says", func(ctx SpecContext) {
		parse.MaxBytes = 1 << 20
		Expect(parse.Check(ctx, asked("echo "+strings.Repeat("a", 131071)))).To(Proceed())
		Expect(parse.Check(ctx, asked("echo "+strings.Repeat("a", 131072)))).To(
			StopWith(envelope.ParseError, "argument 1 is 131072 bytes long", "limit of 131071"))
	})
})
