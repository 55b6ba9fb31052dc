package features_test

import (
	"encoding/json"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/envelope"
	. "hardened-terminal-mcp/pipeline/pipelinetest"
)

var _ = Describe("From a terminal", func() {
	var w *world

	BeforeEach(func() {
		w = newWorld()
		w.program("fails", "echo out; echo err >&2; exit 7")
		w.allows("echo fails pwd seq sleep gone", `deny = ["rm"]`, "limits.max_stdout_bytes = 100", "limits.timeout = \"500ms\"")
	})

	Describe("run", func() {
		It("prints what the command prints, where it prints it, and leaves as it left", func() {
			Expect(w.do("run", "fails")).To(Equal(outcome{"out\n", "err\n", 7}))
		})

		It("runs in --cwd", func() {
			Expect(os.Mkdir(filepath.Join(w.jail, "sub"), 0o755)).To(Succeed())
			Expect(w.do("run", "--cwd", "sub", "pwd").stdout).To(Equal(filepath.Join(w.jail, "sub") + "\n"))
		})

		DescribeTable("leaves with", func(status int, code string, args ...string) {
			o := w.do(append([]string{"run"}, args...)...)
			Expect(o.status).To(Equal(status), o.stderr)
			Expect(o.stderr).To(HavePrefix("hardened-terminal-mcp: " + code))
		},
			Entry("0 when output was cut, saying so", 0, "OUTPUT_TRUNCATED", "seq 1000"),
			Entry("124 for a timeout", 124, "TIMEOUT: exec: ", "sleep 60"),
			Entry("126 for a denial", 126, "POLICY_DENIED: deny: ", "rm x"),
			Entry("126 for a parse error", 126, "PARSE_ERROR: parse: ", "echo 'x"),
			Entry("126 for an escape", 126, "CWD_ESCAPE: jail: ", "--cwd", "..", "echo x"),
			Entry("127 for a command that is not there", 127, "EXECUTOR_ERROR: exec: ", "gone"),
		)

		It("leaves with 125 when it cannot be recorded", func() {
			Expect(w.do("run", "echo x").status).To(Equal(0))
			if os.Geteuid() == 0 {
				Skip("root writes to every file; features/audit_test.go shows AUDIT_UNAVAILABLE as root")
			}
			Expect(os.Chmod(w.log, 0o400)).To(Succeed())
			Expect(w.do("run", "echo x").status).To(BeElementOf(2, 125))
		})

		It("prints the envelope with --json", func() {
			o := w.do("run", "--json", "fails")
			Expect(o.status).To(Equal(7))
			Expect(o.stderr).To(BeEmpty())
			var r envelope.CommandResult
			Expect(json.Unmarshal([]byte(o.stdout), &r)).To(Succeed())
			Expect(r).To(HaveRun(7))
			Expect(r.Stdout).To(Equal("out\n"))
		})

		It("is on record like a client's call", func() {
			w.do("run", "echo x")
			Expect(w.records()).To(HaveLen(2))
			Expect(w.records()[0]).To(HaveKeyWithValue("client", HavePrefix("hardened-terminal-mcp ")))
		})

		It("says what to do with a command line that was not quoted", func() {
			o := w.do("run", "echo", "a", "b")
			Expect(o.status).To(Equal(2))
			Expect(o.stderr).To(ContainSubstring("put quotes around it: run 'echo a b'"))
		})
	})

	Describe("explain", func() {
		It("says what would run, and leaves with 0", func() {
			o := w.do("explain", "echo 'a b'")
			Expect(o.status).To(Equal(0))
			Expect(o.stdout).To(MatchRegexp(`^allowed by allow/echo; runs \S+/echo with argv \["echo" "a b"\]\n$`))
			Expect(w.records()).To(HaveLen(1))
		})

		It("says why not, and leaves with 126", func() {
			o := w.do("explain", "rm x")
			Expect(o).To(Equal(outcome{"", "hardened-terminal-mcp: POLICY_DENIED: deny: \"rm\" is denied\n", 126}))
		})

		It("prints the envelope with --json", func() {
			o := w.do("explain", "--json", "rm x")
			Expect(o.status).To(Equal(126))
			var r envelope.CommandResult
			Expect(json.Unmarshal([]byte(o.stdout), &r)).To(Succeed())
			Expect(r).To(BeRefused(envelope.PolicyDenied))
		})
	})

	Describe("init", func() {
		It("writes a policy that works, and says what to do next", func() {
			file := filepath.Join(w.root, "new.toml")
			o := w.do("init", "--profile", "explorer", file)
			Expect(o.status).To(Equal(0), o.stderr)
			Expect(o.stdout).To(ContainSubstring("run --policy " + file))
			text, err := os.ReadFile(file)
			Expect(err).NotTo(HaveOccurred())
			Expect(string(text)).To(ContainSubstring("# "))
			Expect(w.do("run", "--policy", file, "ls").status).To(Equal(0))
		})

		It("never overwrites", func() {
			file := filepath.Join(w.root, "there.toml")
			w.write(file, "mine")
			o := w.do("init", file)
			Expect(o.status).To(Equal(2))
			Expect(o.stderr).To(ContainSubstring("exists already"))
			text, err := os.ReadFile(file)
			Expect(err).NotTo(HaveOccurred())
			Expect(string(text)).To(Equal("mine"))
		})

		It("knows its profiles", func() {
			o := w.do("init", "--profile", "nope")
			Expect(o.status).To(Equal(2))
			Expect(o.stderr).To(ContainSubstring(`there is no profile "nope"; there is explorer`))
		})
	})

	It("version says which it is", func() {
		Expect(w.do("version").stdout).To(MatchRegexp(`^hardened-terminal-mcp \S+ \(go1\.\d+`))
	})

	It("completion writes a script for the shell", func() {
		o := w.do("completion", "bash")
		Expect(o.status).To(Equal(0))
		Expect(o.stdout).To(ContainSubstring("hardened-terminal-mcp"))
	})

	It("help names every subcommand", func() {
		o := w.do("--help")
		Expect(o.status).To(Equal(0))
		for _, name := range []string{"serve", "run", "explain", "init", "version", "completion"} {
			Expect(o.stdout).To(MatchRegexp("(?m)^  " + name + " "))
		}
	})

	DescribeTable("a word it does not know is refused:", func(args ...string) {
		o := w.do(args...)
		Expect(o.status).To(Equal(2))
		Expect(o.stdout).To(BeEmpty())
		Expect(o.stderr).To(HavePrefix("hardened-terminal-mcp: unknown"))
	},
		Entry("a subcommand", "srve"),
		Entry("a flag", "serve", "--port", "1"),
	)
})
