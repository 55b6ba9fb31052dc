package trail_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/trail"
)

var _ = Describe("what is shown of a record", func() {
	DescribeTable("cannot act on a terminal",
		func(text, shown string) { Expect(trail.Visible(text)).To(Equal(shown)) },
		Entry("a plain command", "ls -la", "ls -la"),
		Entry("letters of any script", "grep naïve 日本", "grep naïve 日本"),
		Entry("an escape sequence", "\x1b[2J", `\u001b[2J`),
		Entry("a newline", "a\nb", `a\u000ab`),
		Entry("DEL and C1", "\x7f\u009b", `\u007f\u009b`),
		Entry("a bidi override", "\u202e", `\u202e`),
		Entry("a zero-width space", "ls\u200b", `ls\u200b`),
		Entry("a tag character beyond the BMP", "\U000e0041", `\U000e0041`),
		Entry("text that looks like an escape", `\u001b`, `\\u001b`),
	)

	It("is a row of the table", func() {
		raw, three := "ls \x1b", 3
		e := trail.Entry{
			Seq: 7, TS: time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC), EventID: "0123456789abcdef", Kind: trail.Outcome,
			CommandRaw: &raw, Code: "OK", ExitCode: &three, DurationMS: 12,
		}
		Expect(e.Row()).To(Equal([7]string{"7", "2026-01-02 03:04:05.006", "01234567", "OK", "3", "12", `ls \u001b`}))
		e.Kind, e.CommandRaw, e.Argv, e.ExitCode = trail.Attempt, nil, []string{"ls", "-l"}, nil
		Expect(e.Row()).To(Equal([7]string{"7", "2026-01-02 03:04:05.006", "01234567", "attempt", "", "", "ls -l"}))
	})

	DescribeTable("is chosen by a filter",
		func(f trail.Filter, passes bool) {
			e := trail.Entry{TS: time.Unix(100, 0), EventID: "abcdef", Code: "OK", Tool: "run_command"}
			Expect(f.Match(e)).To(Equal(passes))
		},
		Entry("nothing asked", trail.Filter{}, true),
		Entry("since before", trail.Filter{Since: time.Unix(99, 0)}, true),
		Entry("since then", trail.Filter{Since: time.Unix(100, 0)}, true),
		Entry("since after", trail.Filter{Since: time.Unix(101, 0)}, false),
		Entry("the beginning of the event id", trail.Filter{Event: "abc"}, true),
		Entry("another event", trail.Filter{Event: "b"}, false),
		Entry("the code", trail.Filter{Code: "OK"}, true),
		Entry("another code", trail.Filter{Code: "TIMEOUT"}, false),
		Entry("another tool", trail.Filter{Tool: "explain_command"}, false),
	)
})

var _ = Describe("statistics", func() {
	It("count calls by code and command, redactions by pattern, and keep the slowest", func() {
		var s trail.Stats
		for i := range 30 {
			s.Add(trail.Entry{Kind: trail.Attempt, Argv: []string{"ls"}})
			s.Add(trail.Entry{Kind: trail.Outcome, Code: "OK", Argv: []string{"ls"}, ExecArgv: []string{"ls"}, DurationMS: int64(i), Redactions: map[string]int{"jwt": 2}})
		}
		s.Add(trail.Entry{Kind: trail.Outcome, Code: "POLICY_DENIED", Argv: []string{"rm"}, DurationMS: 99, Unlogged: 3, Redactions: map[string]int{"aws": 1}})
		s.Add(trail.Entry{Kind: trail.Outcome, Code: "PARSE_ERROR"})

		Expect(s.Calls).To(Equal(32))
		Expect(s.Unlogged).To(BeEquivalentTo(3))
		Expect(s.Codes()).To(HaveExactElements(
			trail.Count{Name: "OK", N: 30, Total: 435 * time.Millisecond},
			HaveField("Name", "PARSE_ERROR"), HaveField("Name", "POLICY_DENIED")))
		Expect(s.Commands()).To(HaveExactElements(And(HaveField("Name", "ls"), HaveField("N", 30)), HaveField("Name", "rm")))
		Expect(s.Redactions()).To(HaveExactElements(trail.Count{Name: "jwt", N: 60}, trail.Count{Name: "aws", N: 1}))
		Expect(s.Slowest).To(HaveLen(trail.Slow))
		Expect(s.Slowest[0].DurationMS).To(BeEquivalentTo(29), "what never ran was not slow")
		Expect(s.Slowest[9].DurationMS).To(BeEquivalentTo(20))
	})
})
