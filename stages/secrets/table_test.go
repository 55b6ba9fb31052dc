package secrets_test

import (
	"math/rand/v2"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/secrets"
)

// secretOf is what of an example must go: the group, where there is one.
func secretOf(b secrets.BuiltIn, value string) string {
	m := regexp.MustCompile(b.Pattern).FindStringSubmatch(value)
	return m[len(m)-1]
}

var _ = Describe("the table of built-in patterns", func() {
	var r *secrets.Redactor
	rnd := func() func(int) int { return rand.New(rand.NewPCG(7, 11)).IntN }

	BeforeEach(func() { r = compile(GinkgoTB()) })

	It("names every pattern in lower case, says what it is and where to look", func() {
		name := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
		for _, b := range secrets.BuiltIns() {
			Expect(b.Name).To(MatchRegexp(name.String()))
			Expect(b.About).NotTo(BeEmpty(), b.Name)
			Expect(b.Unlike).NotTo(BeEmpty(), b.Name)
			for _, k := range b.Keywords {
				Expect(len(k)).To(BeNumerically(">=", 3), "%s %q", b.Name, k)
			}
			Expect(regexp.Compile(b.Pattern)).Error().NotTo(HaveOccurred(), b.Name)
		}
	})

	It("finds an example of each pattern and leaves none of it", func() {
		random := rnd()
		for _, b := range secrets.BuiltIns() {
			for range 20 {
				value := b.Example(random)
				out := r.Text("x " + value + " y")
				Expect(out.Text).To(ContainSubstring("[REDACTED:"), "%s: %s", b.Name, value)
				Expect(survives(secretOf(b, value), []string{out.Text})).To(BeFalse(), "%s: %s gave %s", b.Name, value, out.Text)
				Expect(out.Text).To(And(HavePrefix("x "), HaveSuffix(" y")))
			}
		}
	})

	It("calls what it finds by the pattern's name", func() {
		random := rnd()
		for _, b := range secrets.BuiltIns() {
			named := 0
			for range 10 {
				named += r.Text("x " + b.Example(random) + " y").Counts[b.Name]
			}
			Expect(named).To(BeNumerically(">=", 9), b.Name)
		}
	})

	It("leaves what is only near a pattern", func() {
		for _, b := range secrets.BuiltIns() {
			text := "see " + b.Unlike + " for more"
			Expect(r.Text(text).Text).To(Equal(text), b.Name)
		}
	})

	DescribeTable("finds a token wherever it is glued on", func(before, after string) {
		random := rnd()
		for _, b := range secrets.BuiltIns() {
			if strings.Contains(b.Like, "://") {
				continue
			}
			value := b.Example(random)
			out := r.Text(before + value + after).Text
			Expect(survives(value, []string{out})).To(BeFalse(), "%s: %s gave %s", b.Name, before+value+after, out)
		}
	},
		Entry("an escaped newline", `{"log":"done\n`, `\nnext"}`),
		Entry("a percent-encoded blank", "q=key%20", "%20end"),
		Entry("letters of another script", "令牌", "已过期"),
		Entry("quotes", `"`, `"`),
		Entry("typographic quotes", "„", "“"),
		Entry("a colour before it", "\x1b[32m", "\x1b[0m"),
		Entry("nothing at all", "", ""),
	)
})
