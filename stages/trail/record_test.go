//go:build unix

package trail_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/trail"
)

var _ = Describe("a record", func() {
	var p place

	BeforeEach(func() { p = newPlace() })

	// write appends one record to a new log and returns its line.
	write := func(ctx SpecContext, r trail.Record) string {
		GinkgoHelper()
		l := open(p.options())
		Expect(l.Append(ctx, r)).To(Succeed())
		return lines(p.log)[0]
	}

	It("is the line of schema v1, byte for byte", func(ctx SpecContext) {
		o := p.options()
		o.Now = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 6000, time.FixedZone("", 3600)) }
		l := open(o)
		call(ctx, l, "0123456789abcdef0123456789abcdef")
		denial := trail.Record{
			EventID: "fedcba9876543210fedcba9876543210", Kind: trail.Outcome, Tool: "explain_command", Jail: "/srv/jail",
			Result: &trail.Result{Code: "POLICY_DENIED", Redactions: map[string]int{"jwt": 1, "aws_key": 2}, PolicyReason: "policy: no"},
		}
		Expect(l.Append(ctx, denial)).To(Succeed())

		got, err := os.ReadFile(p.log)
		Expect(err).NotTo(HaveOccurred())
		want, err := os.ReadFile(filepath.Join("testdata", "v1.jsonl"))
		Expect(err).NotTo(HaveOccurred())
		Expect(neutral(got)).To(Equal(string(want)))
	})

	DescribeTable("keeps the file printable",
		func(ctx SpecContext, text, written string) {
			r := attempt("e")
			r.CommandRaw = &text
			line := write(ctx, r)
			Expect(line).To(ContainSubstring(`"command_raw":"` + written + `"`))
			Expect(strings.IndexFunc(line, func(r rune) bool { return r < ' ' || r > '~' })).To(Equal(-1))
		},
		Entry("a newline that would forge a record", "ls\n{\"v\":1}", `ls\u000a{\"v\":1}`),
		Entry("an escape sequence that repaints the reviewer's terminal", "\x1b[2J", `\u001b[2J`),
		Entry("DEL, which encoding/json leaves raw", "a\x7fb", `a\u007fb`),
		Entry("a C1 control, which terminals obey", "a\u009bb", `a\u009bb`),
		Entry("a bidi override, which reorders what is read", "a\u202eb", `a\u202eb`),
		Entry("a zero-width space, which hides", "ls\u200b", `ls\u200b`),
		Entry("a rune beyond the BMP, as a surrogate pair", "😀", `\ud83d\ude00`),
		Entry("invalid UTF-8", "a\xffb", `a\ufffdb`),
		Entry("quote and backslash", `"\`, `\"\\`),
		Entry("NUL", "\x00", `\u0000`),
	)

	It("writes null and [] for what there is not", func(ctx SpecContext) {
		line := write(ctx, trail.Record{EventID: "e", Kind: trail.Outcome, Result: &trail.Result{Code: "PARSE_ERROR"}})
		Expect(line).To(ContainSubstring(`"command_raw":null,"argv":[],"exec_argv":null,`))
		Expect(line).To(ContainSubstring(`"exe":null`))
		Expect(line).To(ContainSubstring(`"exit_code":null`))
		Expect(line).To(ContainSubstring(`"redactions":{}`))
	})

	It("cuts a long command and says its length and SHA-256", func(ctx SpecContext) {
		long := strings.Repeat("x", 200_000)
		r := attempt("e")
		r.CommandRaw = &long
		line := write(ctx, r)
		mark := fmt.Sprintf(`x[cut: 200000 bytes, sha256 %x]"`, sha256.Sum256([]byte(long)))
		Expect(line).To(ContainSubstring(mark))
		Expect(line).To(ContainSubstring(`"argv":["ls","-la"]`), "what is short stays whole")
	})

	It("cuts at the start of a rune", func(ctx SpecContext) {
		long := "x" + strings.Repeat("é", 60_000)
		r := attempt("e")
		r.CommandRaw = &long
		Expect(write(ctx, r)).NotTo(ContainSubstring(`\ufffd`))
	})

	It("cuts a long argument list and says its length and SHA-256", func(ctx SpecContext) {
		r := attempt("e")
		r.Argv = nil
		sum := sha256.New()
		for i := range 50_000 {
			r.Argv = append(r.Argv, fmt.Sprint(i))
			fmt.Fprintf(sum, "%d\x00", i)
		}
		Expect(write(ctx, r)).To(ContainSubstring(fmt.Sprintf(`[cut: 50000 arguments, sha256 %x]"]`, sum.Sum(nil))))
	})

	It("stays within 64 KiB when every string is as bad as can be", func(ctx SpecContext) {
		bad := strings.Repeat("\x00\U0001f600", 4_000)
		many := make([]string, 500)
		counts := make(map[string]int)
		for i := range many {
			many[i] = bad[:500]
			counts[fmt.Sprint(i, bad[:500])] = i
		}
		r := trail.Record{
			EventID: bad, Kind: trail.Outcome, Tool: bad, CommandRaw: &bad, Argv: many, ExecArgv: many, Cwd: bad, Jail: bad, Exe: bad,
			PolicyHash: bad, Client: bad, Result: &trail.Result{Code: bad, Redactions: counts, PolicyReason: bad},
		}
		line := write(ctx, r)
		Expect(len(line)).To(BeNumerically("<", trail.MaxLine))
		Expect(json.Valid([]byte(line))).To(BeTrue())
	})

	DescribeTable("is refused when it makes no sense",
		func(ctx SpecContext, spoil func(*trail.Record)) {
			l := open(p.options())
			r := attempt("e")
			spoil(&r)
			Expect(l.Append(ctx, r)).NotTo(Succeed())
			Expect(lines(p.log)).To(BeEmpty())
		},
		Entry("no event id", func(r *trail.Record) { r.EventID = "" }),
		Entry("an attempt with a result", func(r *trail.Record) { r.Result = &trail.Result{} }),
		Entry("an outcome without one", func(r *trail.Record) { r.Kind = trail.Outcome }),
		Entry("another kind", func(r *trail.Record) { r.Kind = "note" }),
	)
})

var _ = Describe("an event id", func() {
	It("is 128 bits in hex, and another one each time", func() {
		a, b := trail.NewEventID(), trail.NewEventID()
		Expect(a).To(MatchRegexp(`^[0-9a-f]{32}$`))
		Expect(a).NotTo(Equal(b))
	})
})

// neutral takes out what differs from run to run: writer, pid and the hashes over them.
func neutral(b []byte) string {
	var out bytes.Buffer
	for line := range bytes.Lines(b) {
		e, err := trail.ParseEntry(line)
		Expect(err).NotTo(HaveOccurred())
		s := strings.NewReplacer(e.Writer, "WRITER", fmt.Sprintf(`"pid":%d,`, e.PID), `"pid":PID,`, e.Hash, "HASH").Replace(string(line))
		if e.Seq > 1 {
			s = strings.Replace(s, e.PrevHash, "PREV", 1)
		}
		out.WriteString(s)
	}
	return out.String()
}
