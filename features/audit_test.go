package features_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/envelope"
	. "hardened-terminal-mcp/pipeline/pipelinetest"
)

var _ = Describe("Guarantee: every call is on record", func() {
	var w *world

	BeforeEach(func() {
		w = newWorld()
		w.allows("echo touch ls cat sleep", `deny = ["rm"]`)
	})

	It("as an attempt before the command and an outcome after it, under one event id", func() {
		w.program("spy", "cat "+w.log)
		w.allows("spy", `sandbox.mode = "off"`) // with it on, no command can read the log
		r := w.serve().run("spy")
		var seen map[string]any
		Expect(json.Unmarshal([]byte(r.Stdout), &seen)).To(Succeed(), "the command itself finds its attempt on record")
		Expect(seen).To(HaveKeyWithValue("record_type", "attempt"))

		records := w.records()
		Expect(records).To(HaveLen(2))
		Expect(records[0]["event_id"]).To(Equal(records[1]["event_id"]))
		Expect(records[1]).To(And(HaveKeyWithValue("record_type", "outcome"), HaveKeyWithValue("code", "OK"), HaveKeyWithValue("exit_code", BeEquivalentTo(0))))
	})

	It("with the keys of schema 1, in order", func() {
		w.serve().call("run_command", map[string]any{"command": "echo 'a b'"})
		data, err := os.ReadFile(w.log)
		Expect(err).NotTo(HaveOccurred())
		lines := strings.Split(strings.TrimSpace(string(data)), "\n")
		common := []string{"v", "seq", "ts", "writer", "pid", "event_id", "record_type", "tool", "command_raw", "argv", "exec_argv", "cwd", "jail", "exe", "policy_hash", "client"}
		result := []string{"code", "exit_code", "duration_ms", "stdout_bytes", "stderr_bytes", "truncated", "redactions", "policy_reason"}
		chain := []string{"prev_hash", "hash"}
		Expect(keysOf(lines[0])).To(Equal(append(append([]string{}, common...), chain...)))
		Expect(keysOf(lines[1])).To(Equal(append(append(append([]string{}, common...), result...), chain...)))

		policy, err := os.ReadFile(w.policy)
		Expect(err).NotTo(HaveOccurred())
		sum := sha256.Sum256(policy)
		Expect(w.records()[0]).To(And(
			HaveKeyWithValue("v", BeEquivalentTo(1)), HaveKeyWithValue("seq", BeEquivalentTo(1)),
			HaveKeyWithValue("tool", "run_command"), HaveKeyWithValue("command_raw", "echo 'a b'"),
			HaveKeyWithValue("argv", HaveExactElements("echo", "a b")), HaveKeyWithValue("exec_argv", HaveExactElements("echo", "a b")),
			HaveKeyWithValue("cwd", w.jail), HaveKeyWithValue("jail", w.jail), HaveKeyWithValue("exe", HaveSuffix("/echo")),
			HaveKeyWithValue("policy_hash", hex.EncodeToString(sum[:])), HaveKeyWithValue("client", "spec 1"),
		))
	})

	It("in a chain: each record holds the hash of the one before", func() {
		s := w.serve()
		for range 3 {
			s.run("echo x")
		}
		data, err := os.ReadFile(w.log)
		Expect(err).NotTo(HaveOccurred())
		before := strings.Repeat("0", 64)
		for line := range strings.Lines(string(data)) {
			body, rest, found := strings.Cut(line, `,"hash":"`)
			Expect(found).To(BeTrue())
			Expect(body).To(HaveSuffix(`"prev_hash":"` + before + `"`))
			sum := sha256.Sum256([]byte(body))
			before = hex.EncodeToString(sum[:])
			Expect(rest).To(Equal(before + "\"}\n"))
		}
	})

	DescribeTable("as one outcome for", func(tool string, args map[string]any, code string) {
		w.serve().call(tool, args)
		Expect(w.records()).To(HaveLen(1))
		Expect(w.records()[0]).To(And(
			HaveKeyWithValue("record_type", "outcome"), HaveKeyWithValue("code", code), HaveKeyWithValue("tool", tool),
			HaveKeyWithValue("exec_argv", BeNil()), HaveKeyWithValue("exe", BeNil()), HaveKeyWithValue("exit_code", BeNil()),
		))
	},
		Entry("a denial", "run_command", map[string]any{"command": "rm x"}, "POLICY_DENIED"),
		Entry("a parse error", "run_command", map[string]any{"command": "echo 'x"}, "PARSE_ERROR"),
		Entry("an escape", "run_command", map[string]any{"command": "ls", "cwd": ".."}, "CWD_ESCAPE"),
		Entry("a dry run", "explain_command", map[string]any{"command": "echo x"}, "OK"),
		Entry("a malformed call", "run_command", map[string]any{"cmd": "echo x"}, "PARSE_ERROR"),
	)

	DescribeTable("also a call that names no tool of ours", func(params any, tool string) {
		r := w.serve().request("tools/call", params)
		Expect(r.Error).NotTo(BeNil())
		Expect(r.Error.Code).To(Equal(-32602))
		Expect(w.records()).To(HaveLen(1))
		Expect(w.records()[0]).To(And(HaveKeyWithValue("code", "PARSE_ERROR"), HaveKeyWithValue("tool", tool), HaveKeyWithValue("command_raw", BeNil())))
	},
		Entry("an unknown tool", map[string]any{"name": "run_shell", "arguments": map[string]any{"command": "ls"}}, "run_shell"),
		Entry("no name", map[string]any{"arguments": map[string]any{}}, ""),
		Entry("a name that is a number", map[string]any{"name": 7}, ""),
		Entry("params of another type", []any{1}, ""),
	)

	It("with byte counts and never the output", func() {
		w.write(filepath.Join(w.jail, "f"), "the-content")
		Expect(w.serve().run("cat f").Stdout).To(Equal("the-content"))
		data, err := os.ReadFile(w.log)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(data)).NotTo(ContainSubstring("the-content"))
		Expect(w.outcomes()[0]).To(HaveKeyWithValue("stdout_bytes", BeEquivalentTo(11)))
	})

	It("on one line of printable ASCII, whatever was sent", func() {
		s := w.serve()
		s.run("ls\n{\"record_type\":\"outcome\",\"code\":\"OK\"}")
		s.run("echo \x1b[2J \u202e \u2028 \x7f é")
		data, err := os.ReadFile(w.log)
		Expect(err).NotTo(HaveOccurred())
		Expect(strings.Count(string(data), "\n")).To(Equal(2))
		Expect(string(data)).To(MatchRegexp(`^[\x20-\x7e\n]*$`))
		Expect(w.records()).To(HaveLen(2))
	})

	It("in a file only the owner can read, whatever the umask", func() {
		w.serve().run("echo x")
		info, err := os.Stat(w.log)
		Expect(err).NotTo(HaveOccurred())
		Expect(info.Mode().Perm()).To(BeEquivalentTo(0o600))
	})

	When("the log cannot be written", func() {
		spoil := func() {
			Expect(os.Remove(w.log)).To(Succeed())
			Expect(os.Mkdir(w.log, 0o755)).To(Succeed())
		}

		It("runs nothing in closed mode, and runs again by itself when the log works", func() {
			s := w.serve()
			Expect(s.run("echo x")).To(HaveRun(0))
			spoil()
			Expect(s.run("touch ran")).To(BeRefused(envelope.AuditUnavailable, "nothing was run"))
			Expect(s.run("rm x")).To(BeRefused(envelope.AuditUnavailable))
			Expect(s.explain("ls")).To(BeRefused(envelope.AuditUnavailable))
			Expect(filepath.Join(w.jail, "ran")).NotTo(BeAnExistingFile())
			Expect(os.Remove(w.log)).To(Succeed())
			Eventually(func() envelope.ResultCode { return s.run("echo x").Code }).WithTimeout(20e9).Should(Equal(envelope.OK))
		})

		It("runs and warns in open mode, and says later how much is missing", func() {
			s := w.serve("--audit-fail-mode", "open")
			spoil()
			Expect(s.run("touch ran")).To(HaveRun(0))
			Expect(filepath.Join(w.jail, "ran")).To(BeAnExistingFile())
			Eventually(s.stderr.Contents).Should(ContainSubstring("audit"))
			Expect(os.Remove(w.log)).To(Succeed())
			Eventually(func() []map[string]any {
				s.run("echo x")
				if _, err := os.Stat(w.log); err != nil {
					return nil
				}
				return w.records()
			}).WithTimeout(20e9).Should(ContainElement(HaveKeyWithValue("unlogged", BeNumerically(">=", 1))))
		})
	})
})

// keysOf are the keys of a JSON object, in order.
func keysOf(line string) []string {
	GinkgoHelper()
	d := json.NewDecoder(strings.NewReader(line))
	_, err := d.Token()
	Expect(err).NotTo(HaveOccurred())
	var keys []string
	for d.More() {
		key, err := d.Token()
		Expect(err).NotTo(HaveOccurred())
		keys = append(keys, key.(string))
		var value json.RawMessage
		Expect(d.Decode(&value)).To(Succeed())
	}
	return keys
}
