//go:build unix

package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/trail"
)

var _ = Describe("The audit commands", func() {
	var file string
	var head trail.Head

	BeforeEach(func(ctx SpecContext) {
		file = filepath.Join(GinkgoT().TempDir(), "audit.jsonl")
		l, err := trail.Open(trail.Options{Path: file})
		Expect(err).NotTo(HaveOccurred())
		raw, status := "grep \x1b[31m x", 1
		call := trail.Record{EventID: "feed01", Kind: trail.Attempt, Tool: "run_command", CommandRaw: &raw, Argv: []string{"grep", "x"}, ExecArgv: []string{"grep", "x"}}
		Expect(l.Append(ctx, call)).To(Succeed())
		call.Kind, call.Result = trail.Outcome, &trail.Result{Code: "OK", ExitCode: &status, Duration: 30 * time.Millisecond, Redactions: map[string]int{"jwt": 2}}
		Expect(l.Append(ctx, call)).To(Succeed())
		denial := trail.Record{EventID: "feed02", Kind: trail.Outcome, Tool: "run_command", Argv: []string{"rm"}, Result: &trail.Result{Code: "POLICY_DENIED"}}
		Expect(l.Append(ctx, denial)).To(Succeed())
		head, err = l.Close()
		Expect(err).NotTo(HaveOccurred())
	})

	audit := func(args ...string) (string, error) {
		var out bytes.Buffer
		root := newRoot(nil)
		root.SetArgs(append([]string{"audit"}, args...))
		root.SetOut(&out)
		err := root.Execute()
		return out.String(), err
	}

	It("verify a sound log, and print its head", func() {
		Expect(audit("verify", file)).To(And(HavePrefix("sound: 3 records"), HaveSuffix("head "+head.String()+"\n")))
		Expect(audit("verify", "--whole", "--head", head.String(), file)).To(HavePrefix("sound"))
	})

	It("verify the log of the default place with its finished files", func() {
		state := filepath.Join(GinkgoT().TempDir(), program)
		Expect(os.MkdirAll(state, 0o700)).To(Succeed())
		Expect(os.Rename(file, filepath.Join(state, "audit.jsonl.000000000001"))).To(Succeed())
		Expect(os.WriteFile(filepath.Join(state, "audit.jsonl"), nil, 0o600)).To(Succeed())
		GinkgoT().Setenv("XDG_STATE_HOME", filepath.Dir(state))
		GinkgoT().Setenv("HTMCP_AUDIT_LOG", "")
		Expect(audit("verify")).To(HavePrefix("sound: 3 records in 2 files"))
	})

	It("name the first bad line and leave with 1", func() {
		b, err := os.ReadFile(file)
		Expect(err).NotTo(HaveOccurred())
		Expect(os.WriteFile(file, bytes.Replace(b, []byte(`"exit_code":1`), []byte(`"exit_code":0`), 1), 0o600)).To(Succeed())
		out, err := audit("verify", file)
		Expect(err).To(MatchError(exitStatus(1)))
		Expect(out).To(HavePrefix(file + ":2: record 2 was edited"))
	})

	DescribeTable("leave with 2 when they cannot read",
		func(args ...string) {
			_, err := audit(args...)
			Expect(err).To(HaveOccurred())
			Expect(err).NotTo(BeAssignableToTypeOf(exitStatus(0)))
		},
		Entry("no such file", "verify", "missing"),
		Entry("no such file to show", "show", "missing"),
		Entry("a head that is none", "verify", "--head", "12", "missing"),
		Entry("a key that is not there", "verify", "--key", "missing", "missing"),
		Entry("a time that is none", "show", "--since", "yesterday", "missing"),
	)

	It("show records without a byte that a terminal would obey", func() {
		out, err := audit("show", file)
		Expect(err).NotTo(HaveOccurred())
		Expect(strings.Split(out, "\n")).To(HaveExactElements(
			ContainSubstring("COMMAND"),
			ContainSubstring(`grep \u001b[31m x`),
			And(ContainSubstring("feed01"), ContainSubstring("OK")),
			And(ContainSubstring("POLICY_DENIED"), HaveSuffix("  rm")),
			BeEmpty()))
		Expect(out).NotTo(ContainSubstring("\x1b"))
	})

	It("show the records asked for, as they stand in the file", func() {
		b, err := os.ReadFile(file)
		Expect(err).NotTo(HaveOccurred())
		lines := strings.SplitAfter(string(b), "\n")
		Expect(audit("show", "--json", "--code", "POLICY_DENIED", file)).To(Equal(lines[2]))
		Expect(audit("show", "--json", "--event", "feed01", "--since", "1h", file)).To(Equal(lines[0] + lines[1]))
	})

	It("show a damaged line without hiding the others", func() {
		b, err := os.ReadFile(file)
		Expect(err).NotTo(HaveOccurred())
		Expect(os.WriteFile(file, append([]byte("\x1b]0;x\n"), b...), 0o600)).To(Succeed())
		Expect(audit("show", file)).To(And(ContainSubstring(`\u001b]0;x`), ContainSubstring("POLICY_DENIED")))
	})

	It("count", func() {
		Expect(audit("stats", file)).To(And(HavePrefix("2 calls\n"), MatchRegexp(`1  OK +30ms on average`), MatchRegexp(`1  rm`),
			MatchRegexp(`redactions\n +2  jwt`), MatchRegexp(`slowest\n +30 ms  feed01`)))
	})
})
