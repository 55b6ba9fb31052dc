package stages_test

import (
	"fmt"
	"strings"
	"unicode/utf8"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/envelope"
	"hardened-terminal-mcp/pipeline"
	. "hardened-terminal-mcp/pipeline/pipelinetest"
	"hardened-terminal-mcp/stages"
	"hardened-terminal-mcp/stages/secrets"
)

// token has the shape of a GitHub token; it is put together here so that no
// scanner finds one in the source.
var token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

func whole(s string) pipeline.Capture {
	return pipeline.Capture{Bytes: []byte(s), Total: int64(len(s))}
}

var _ = Describe("Redact", func() {
	var redact stages.Redact

	BeforeEach(func() {
		redact = stages.Redact{Redactor: redactor(secrets.Options{Enabled: true})}
	})

	finish := func(ctx SpecContext, o pipeline.Output) pipeline.Text {
		GinkgoHelper()
		x := asked("cat f")
		x.SetOutput(o)
		Expect(redact.Finish(ctx, x)).To(Proceed())
		return x.Text()
	}

	It("masks secrets in both streams and counts them by pattern", func(ctx SpecContext) {
		t := finish(ctx, pipeline.Output{Stdout: whole("a " + token + "\n"), Stderr: whole(token)})
		Expect(t.Stdout).To(Equal("a [REDACTED:github_token]\n"))
		Expect(t.Stderr).To(Equal("[REDACTED:github_token]"))
		Expect(t.Redactions).To(Equal(map[string]int{"github_token": 2}))
		Expect(t.Truncated).To(BeFalse())
	})

	It("leaves clean output as it is", func(ctx SpecContext) {
		t := finish(ctx, pipeline.Output{Stdout: whole("ok  \tpkg\t0.01s\n")})
		Expect(t.Stdout).To(Equal("ok  \tpkg\t0.01s\n"))
		Expect(t.Redactions).To(BeNil())
	})

	It("masks a secret in the reason", func(ctx SpecContext) {
		plan := Plan(nil)
		plan.Gates[2] = Fake{Says: pipeline.Spec{Role: pipeline.Policy}, Do: nil}
		plan.Gates[3] = Fake{Says: pipeline.Spec{Role: pipeline.Jail}, Do: func(_ ctxt, x *pipeline.Exchange) pipeline.Verdict {
			return pipeline.Stop(envelope.PolicyDenied, "not "+token)
		}}
		plan.Finalizers[0] = noSeal{redact}
		chain, err := plan.Build()
		Expect(err).NotTo(HaveOccurred())
		Expect(chain.Run(ctx, pipeline.Request{Mode: pipeline.Run}).PolicyReason).To(Equal("not [REDACTED:github_token]"))
	})

	It("strips terminal escapes", func(ctx SpecContext) {
		t := finish(ctx, pipeline.Output{Stdout: whole("A\x1b[2J\x1b]0;T\x07B\x1b]8;;http://x\x07C")})
		Expect(t.Stdout).To(Equal("ABC"))
	})

	DescribeTable("masks a secret that was split by", func(ctx SpecContext, between string) {
		t := finish(ctx, pipeline.Output{Stdout: whole(token[:15] + between + token[15:])})
		Expect(t.Stdout).To(Equal("[REDACTED:github_token]"))
	},
		Entry("a colour", "\x1b[0m"),
		Entry("a colour in its 8-bit form, which goes only when escapes do", "\u009b0m"),
		Entry("a title", "\x1b]0;t\x07"),
		Entry("a delete, likewise", "\x7f"),
	)

	It("keeps escapes when the policy says so", func(ctx SpecContext) {
		redact.KeepEscapes = true
		t := finish(ctx, pipeline.Output{Stdout: whole("\x1b[1mA\x1b[0m")})
		Expect(t.Stdout).To(Equal("\x1b[1mA\x1b[0m"))
	})

	It("replaces invalid UTF-8", func(ctx SpecContext) {
		t := finish(ctx, pipeline.Output{Stdout: whole("ok\xff\xfeend")})
		Expect(utf8.ValidString(t.Stdout)).To(BeTrue())
		Expect(t.Stdout).To(HavePrefix("ok\uFFFD"))
		Expect(t.Stdout).To(HaveSuffix("end"))
	})

	When("a stream was longer than what was kept", func() {
		DescribeTable("leaves nothing of a secret, wherever the cut falls", func(ctx SpecContext, before int) {
			const most = 1000
			text := strings.Repeat("x", before) + " " + token + " " + strings.Repeat("y", 2*stages.Margin)
			kept := text[:most+stages.Margin]
			t := finish(ctx, pipeline.Output{Stdout: pipeline.Capture{Bytes: []byte(kept), Total: int64(len(text))}})
			for i := range len(token) - 8 {
				Expect(t.Stdout).NotTo(ContainSubstring(token[i : i+8]))
			}
			Expect(t.Truncated).To(BeTrue())
			Expect(len(t.Stdout)).To(BeNumerically("<=", most+40))
		},
			Entry("before the secret", 1100),
			Entry("at its first byte", 999),
			Entry("one byte in", 998),
			Entry("in its middle", 980),
			Entry("at its last byte", 999-len(token)),
			Entry("behind it", 900),
		)
	})
})

var _ = Describe("Truncate", func() {
	cut := func(ctx SpecContext, max int, stdout string) pipeline.Text {
		GinkgoHelper()
		x := asked("")
		x.SetText(pipeline.Text{Stdout: stdout, Stderr: "err"})
		Expect(stages.Truncate{MaxStdout: max, MaxStderr: 100}.Finish(ctx, x)).To(Proceed())
		return x.Text()
	}

	It("leaves what fits", func(ctx SpecContext) {
		t := cut(ctx, 5, "12345")
		Expect(t.Stdout).To(Equal("12345"))
		Expect(t.Truncated).To(BeFalse())
	})

	It("cuts what does not and says so", func(ctx SpecContext) {
		t := cut(ctx, 4, "12345")
		Expect(t.Stdout).To(Equal("1234"))
		Expect(t.Stderr).To(Equal("err"))
		Expect(t.Truncated).To(BeTrue())
	})

	It("never cuts inside a rune", func(ctx SpecContext) {
		Expect(cut(ctx, 4, "12日本").Stdout).To(Equal("12"))
	})

	It("never cuts inside a marker", func(ctx SpecContext) {
		for max := 3; max < 3+len("[REDACTED:jwt]"); max++ {
			Expect(cut(ctx, max, "ab [REDACTED:jwt] cd").Stdout).To(Equal("ab "), fmt.Sprint(max))
		}
	})

	It("cuts each stream to its own cap", func(ctx SpecContext) {
		x := asked("")
		x.SetText(pipeline.Text{Stdout: "12345", Stderr: "12345"})
		Expect(stages.Truncate{MaxStdout: 5, MaxStderr: 2}.Finish(ctx, x)).To(Proceed())
		Expect(x.Text().Stdout).To(Equal("12345"))
		Expect(x.Text().Stderr).To(Equal("12"))
	})
})
