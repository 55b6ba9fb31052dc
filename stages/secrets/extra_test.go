package secrets_test

import (
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/secrets"
)

var _ = Describe("the operator's patterns", func() {
	with := func(ps ...secrets.Pattern) (*secrets.Redactor, error) {
		return secrets.Compile(secrets.Options{Enabled: true, Extra: ps, MatchTimeout: 50 * time.Millisecond})
	}

	It("take what they match, with look-around", func() {
		r, err := with(secrets.Pattern{Name: "badge", Regex: `(?<=badge )\d{6}(?!\d)`})
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Text("badge 123456, badge 1234567").Text).To(Equal("badge [REDACTED:badge], badge 1234567"))
	})

	It("see through colours and count bytes in text that is no UTF-8", func() {
		r, err := with(secrets.Pattern{Name: "badge", Regex: `B-\d{6}`})
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Text("\xffe\xc3 B-12\x1b[31m3456 é").Text).To(ContainSubstring("[REDACTED:badge]"))
		Expect(r.Text("\xc3 é B-123456 \xff").Text).To(Equal("\xc3 é [REDACTED:badge] \xff"))
	})

	It("give the name when they overlap a built-in pattern", func() {
		r, err := with(secrets.Pattern{Name: "ours", Regex: `p_a1B2\w+`})
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Text("x " + token).Text).To(Equal("x [REDACTED:ours]"))
	})

	It("are refused together, each by its name", func() {
		_, err := with(
			secrets.Pattern{Name: "open", Regex: `(`},
			secrets.Pattern{Name: "empty", Regex: `a*`},
			secrets.Pattern{Name: "Upper", Regex: `a`},
			secrets.Pattern{Name: "twice", Regex: `a`},
			secrets.Pattern{Name: "twice", Regex: `b`},
			secrets.Pattern{Name: "github_token", Regex: `b`},
		)
		Expect(err).To(MatchError(And(
			ContainSubstring(`"open"`), ContainSubstring(`"empty": it matches the empty string`), ContainSubstring(`"Upper"`),
			ContainSubstring(`"twice": the name is taken`), ContainSubstring(`"github_token": the name is taken`),
		)))
	})

	It("withhold the whole text when they do not finish, and quote none of it", func() {
		r, err := with(secrets.Pattern{Name: "slow", Regex: `(a+)+$`})
		Expect(err).NotTo(HaveOccurred())
		text := "visible " + strings.Repeat("a", 40) + "!"
		out := r.Text(text)
		Expect(out.Text).To(Equal("[REDACTED:slow timed out]"))
		Expect(out.Counts).To(Equal(map[string]int{"slow timed out": 1}))
		Expect(r.Head(text, 3).Text).To(Equal("[REDACTED:slow timed out]"))
		Expect(r.Argv([]string{"ls", text})).To(Equal([]string{"ls", "[REDACTED:slow timed out]"}))
		Expect(r.Command(text, nil)).To(Equal("[REDACTED:slow timed out]"))
		Expect(through(r, text, func() int { return 7 })).To(Equal("[REDACTED:slow timed out]"))
		Expect(r.Text(out.Text).Text).To(Equal(out.Text))
	})

	DescribeTable("are tried on hostile texts", func(regex string, slow bool) {
		Expect(secrets.Backtracks(secrets.Pattern{Name: "x", Regex: regex})).To(Equal(slow))
	},
		Entry("nested repetition", `(a+)+$`, true),
		Entry("repetition of alternatives", `(\w+\s?)+@internal`, true),
		Entry("after a literal", `key=(\w*\d*)+;`, true),
		Entry("a plain token", `tok_[A-Za-z0-9]{20,}`, false),
		Entry("a bounded one with look-behind", `(?<=id: )\d{6}`, false),
	)

	It("do not compile when tried either", func() {
		_, err := secrets.Backtracks(secrets.Pattern{Name: "x", Regex: "("})
		Expect(err).To(HaveOccurred())
	})
})

var _ = Describe("the entropy fallback", func() {
	random := "Zx8Qw2Lk9Vb4Nm7Tp1Rs6Yd3Fg5Hj0"

	It("takes what looks random and what no pattern knows", func() {
		r, err := secrets.Compile(secrets.Options{Enabled: true, EntropyFallback: true})
		Expect(err).NotTo(HaveOccurred())
		out := r.Text("id " + random + " and " + token)
		Expect(out.Text).To(Equal("id [REDACTED:high_entropy] and [REDACTED:github_token]"))
		Expect(r.Text(out.Text).Text).To(Equal(out.Text))
		Expect(r.Text("a_rather_long_identifier_of_words").Text).To(Equal("a_rather_long_identifier_of_words"))
	})

	It("is off unless asked for", func() {
		Expect(compile(GinkgoTB()).Text("id " + random).Text).To(Equal("id " + random))
	})
})
