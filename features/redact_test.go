package features_test

import (
	"encoding/json"
	"io"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("redact", func() {
	var w *world

	BeforeEach(func() { w = newWorld() })

	filter := func(text string, args ...string) outcome {
		GinkgoHelper()
		c := w.command(append([]string{"redact"}, args...)...)
		c.Env = w.env
		c.Stdin = strings.NewReader(text)
		return finish(c)
	}

	It("masks secrets in standard input, with the built-ins when no policy is named", func() {
		o := filter("a ghp_" + fill(36) + "\nb\n")
		Expect(o).To(Equal(outcome{"a [REDACTED:github_token]\nb\n", "", 0}))
	})

	It("reports pattern, count and lines, and never the value", func() {
		token := "ghp_" + fill(36)
		o := filter("x\n"+token+"\nAuthorization: Bearer "+fill(32)+"\n"+token+" "+token+"\n", "--report")
		Expect(o.status).To(Equal(0))
		Expect(strings.Split(o.stderr, "\n")).To(HaveExactElements(
			MatchRegexp(`^PATTERN +COUNT +LINES$`), MatchRegexp(`^github_token +3 +2 4$`), MatchRegexp(`^auth_header +1 +3$`), ""))
		Expect(o.stderr + o.stdout).NotTo(ContainSubstring(fill(12)))
	})

	It("takes the patterns of a policy", func() {
		w.write(w.policy, `redaction.extra_patterns = [{ name = "ticket", regex = 'INT-\d+' }]`)
		Expect(filter("INT-42\n", "--policy", w.policy).stdout).To(Equal("[REDACTED:ticket]\n"))
		Expect(filter("INT-42\n").stdout).To(Equal("INT-42\n"))
	})

	It("refuses a policy under which it would mask nothing", func() {
		w.write(w.policy, "redaction.enabled = false")
		o := filter("x", "--policy", w.policy)
		Expect(o.status).To(Equal(2))
		Expect(o.stdout).To(BeEmpty())
		Expect(o.stderr).To(ContainSubstring("redaction.enabled is false"))
	})

	It("keeps bounded memory on endless input", func() {
		c := w.command("redact")
		c.Env = w.env
		in, err := c.StdinPipe()
		Expect(err).NotTo(HaveOccurred())
		c.Stdout = io.Discard
		Expect(c.Start()).To(Succeed())
		line := []byte(strings.Repeat("a line of a log that goes on and on\n", 1000))
		pump := func(n int) {
			for range n {
				_, err := in.Write(line)
				Expect(err).NotTo(HaveOccurred())
			}
		}
		pump(100)
		before := peak(c.Process.Pid)
		pump(3000) // 108 MB
		Expect(peak(c.Process.Pid)-before).To(BeNumerically("<", 4096), "KiB")
		Expect(in.Close()).To(Succeed())
		Expect(c.Wait()).To(Succeed())
	})
})

var _ = Describe("check", func() {
	var w *world

	BeforeEach(func() { w = newWorld() })

	It("is silent about a plain policy", func() {
		w.allows("ls")
		Expect(w.do("check")).To(Equal(outcome{"", "", 0}))
	})

	It("says what is wrong, all of it, and leaves with 2", func() {
		w.write(w.policy, "deyn = []\nlimits.max_args = -1\nredaction.extra_patterns = [{ name = \"open\", regex = \"(\" }]")
		o := w.do("check")
		Expect(o.status).To(Equal(2))
		Expect(o.stdout).To(ContainSubstring("error: extra-pattern: "))
		Expect(o.stdout).To(And(ContainSubstring("error: config: "), ContainSubstring("deyn"), ContainSubstring("limits.max_args")))
	})

	It("says what is unwise, and leaves with 1 only when it is strict", func() {
		w.write(w.policy, "allow = [\"ls\"]\naudit_fail_mode = \"open\"")
		Expect(w.do("check").status).To(Equal(0))
		o := w.do("check", "--strict")
		Expect(o.status).To(Equal(1))
		Expect(o.stdout).To(HavePrefix("warning: config: audit_fail_mode is open"))
	})

	It("speaks JSON, an object a line", func() {
		w.write(w.policy, "audit_fail_mode = \"open\"")
		o := w.do("check", "--json")
		for line := range strings.Lines(o.stdout) {
			var n struct{ Level, Rule, Message string }
			Expect(json.Unmarshal([]byte(line), &n)).To(Succeed())
			Expect(n.Level).To(Equal("warning"))
		}
		Expect(strings.Count(o.stdout, "\n")).To(Equal(2))
	})

	It("warns of a pattern that backtracks, and of no other", func() {
		w.write(w.policy, `allow = ["ls"]
redaction.extra_patterns = [{ name = "slow", regex = '(a+)+$' }, { name = "fine", regex = 'INT-\d{4}' }]`)
		o := w.do("check")
		Expect(o.stdout).To(HavePrefix(`warning: extra-pattern-backtracks: extra pattern "slow"`))
		Expect(o.stdout).NotTo(ContainSubstring("fine"))
	})

	It("takes the file as an argument", func() {
		file := filepath.Join(w.root, "other.toml")
		w.write(file, "zebra = 1")
		Expect(w.do("check", file).stdout).To(ContainSubstring(file + `: line 1: unknown key "zebra"`))
	})
})
