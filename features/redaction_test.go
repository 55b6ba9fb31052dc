package features_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/envelope"
	. "hardened-terminal-mcp/pipeline/pipelinetest"
)

// fill makes n characters of a secret that no scanner knows.
func fill(n int) string {
	const alphabet = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"
	return strings.Repeat(alphabet, n/len(alphabet)+1)[:n]
}

var _ = Describe("Guarantee: secrets are redacted", func() {
	var (
		w *world
		s *server
	)

	BeforeEach(func() {
		w = newWorld()
		w.allows("cat echo")
		s = w.serve()
	})

	show := func(text string) envelope.CommandResult {
		GinkgoHelper()
		w.write(filepath.Join(w.jail, "f"), text)
		return s.run("cat f")
	}

	DescribeTable("in output", func(before, secret, after string) {
		out := show(before + secret + after).Stdout
		Expect(out).To(MatchRegexp(`\[REDACTED:[a-z0-9_]+\]`))
		for i := 0; i+12 <= len(secret); i += 4 {
			Expect(out).NotTo(ContainSubstring(secret[i : i+12]))
		}
		Expect(out).To(HavePrefix(before[:min(4, len(before))]))
	},
		Entry("an OpenAI key", "key: ", "sk-"+fill(20)+"T3BlbkFJ"+fill(20), "\n"),
		Entry("a project key of OpenAI", "key: ", "sk-proj-"+fill(80), "\n"),
		Entry("a GitHub token", "tok ", "ghp_"+fill(36), " x\n"),
		Entry("a fine-grained GitHub token", "tok ", "github_pat_"+fill(22)+"_"+fill(59), "\n"),
		Entry("a Slack token", "tok ", "xoxb-123456789012-123456789012-"+fill(24), "\n"),
		Entry("a LangSmith key", "key ", "lsv2_pt_"+strings.Repeat("0a1b2c3d", 4)+"_0a1b2c3d4e", "\n"),
		Entry("an AWS access key", "id  ", "AKIA"+"Z7Q2M4N6P8R3T5V1"[:16], "\n"),
		Entry("an AWS secret key", "aws_secret_access_key = ", fill(40), "\n"),
		Entry("a private key", "pem\n-----BEGIN RSA PRIVATE "+"KEY-----\n", fill(64)+"\n"+fill(64), "\n-----END RSA PRIVATE KEY-----\n"),
		Entry("a private key without an end", "pem\n-----BEGIN OPENSSH PRIVATE "+"KEY-----\n", fill(64)+"\n"+fill(64), "\n"),
		Entry("a JWT", "jwt ", "eyJhbGciOiJIUzI1NiJ9."+"eyJzdWIiOiIxMjM0NTY3ODkwIn0."+fill(43), "\n"),
		Entry("a bearer token", "Authorization: Bearer ", fill(32), "\n"),
		Entry("basic credentials", "Authorization: Basic ", "dXNlcjpodW50ZXIyaHVudGVyMg==", "\n"),
		Entry("KEY=value", "export DB_PASSWORD=", fill(16), "\n"),
		Entry("--password", "mysql --password ", fill(16), " -h db\n"),
		Entry("--token=", "cli --token=", fill(24), " x\n"),
		Entry("-p of a tool that means a password", "mysql -u root -p", fill(16), " db\n"),
		Entry("a connection string", "url postgres://app:", fill(16), "@db.example.invalid/x\n"),
	)

	It("replacing only the value of a keyed secret", func() {
		r := show(`{"name": "x", "password": "` + fill(20) + `", "port": 5432}`)
		var v map[string]any
		Expect(json.Unmarshal([]byte(r.Stdout), &v)).To(Succeed(), "JSON stays JSON: %s", r.Stdout)
		Expect(v).To(HaveKeyWithValue("password", HavePrefix("[REDACTED:")))
		Expect(v).To(HaveKeyWithValue("port", BeEquivalentTo(5432)))
	})

	DescribeTable("and nothing else:", func(text string) {
		Expect(show(text).Stdout).To(Equal(text))
	},
		Entry("a commit id and a UUID", "3f786850e387550fdab836ed7e6dc881de23001b 123e4567-e89b-12d3-a456-426614174000\n"),
		Entry("code that speaks of passwords", "func checkPassword(password string) error {\n\treturn nil\n}\n"),
		Entry("test output", "ok  \tpkg\t0.012s\n--- PASS: TestToken (0.00s)\n"),
		Entry("a long run of one letter", strings.Repeat("A", 50000)+"\n"),
	)

	It("in standard error too", func() {
		w.program("fails", "echo token=ghp_"+fill(36)+" >&2; exit 1")
		w.allows("fails")
		Expect(w.serve().run("fails").Stderr).To(And(ContainSubstring("[REDACTED:"), Not(ContainSubstring(fill(12)))))
	})

	It("in the reason, the trail and the log of a refused command", func() {
		r := s.run("curl -H 'Authorization: Bearer " + fill(32) + "' --password " + fill(20))
		Expect(r).To(BeRefused(envelope.PolicyDenied))
		Expect(r.PolicyReason).NotTo(ContainSubstring(fill(10)))
		Expect(s.run("ghp_" + fill(36)).PolicyReason).NotTo(ContainSubstring(fill(10)))
		Expect(s.run("echo gh''p_" + fill(36))).To(HaveRun(0))
		s.call("run_command", map[string]any{"command": "echo x", "cwd": "ghp_" + fill(36)})
		Expect(s.stop()).To(Equal(0))
		data, err := os.ReadFile(w.log)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(data)).NotTo(ContainSubstring(fill(10)))
		Expect(string(data)).To(ContainSubstring("[REDACTED:"))
		Expect(string(s.stderr.Contents())).NotTo(ContainSubstring(fill(10)))
	})

	It("before it is cut: a secret across the cap leaves nothing, wherever it lies", func() {
		secret := "ghp_" + fill(36)
		w.allows("cat", "limits.max_stdout_bytes = 100")
		s := w.serve()
		for at := 50; at <= 101; at += 3 {
			name := fmt.Sprintf("f%d", at)
			w.write(filepath.Join(w.jail, name), strings.Repeat("x", at-1)+" "+secret+" "+strings.Repeat("y", 100000))
			r := s.run("cat " + name)
			Expect(r.Code).To(Equal(envelope.OutputTruncated))
			for i := range len(secret) - 6 {
				Expect(r.Stdout).NotTo(ContainSubstring(secret[i:i+6]), "at %d", at)
			}
			Expect(len(r.Stdout)).To(BeNumerically("<=", 100))
		}
	})

	It("also where redaction shrinks the text so far that the end of what was kept comes into view", func() {
		const most, margin = 4096, 64 << 10
		w.allows("cat", fmt.Sprintf("limits.max_stdout_bytes = %d", most))
		s := w.serve()
		key := "-----BEGIN RSA PRIVATE " + "KEY-----\n" + strings.Repeat(fill(64)+"\n", 1010) + "-----END RSA PRIVATE " + "KEY-----\n"
		token := "ghp_" + fill(36)
		for _, seen := range []int{8, 12, 20, 39} { // bytes of the token that were kept
			before := key + strings.Repeat("x", most+margin-len(key)-1-seen) + " "
			w.write(filepath.Join(w.jail, "f"), before+token+" "+strings.Repeat("y", 100000))
			r := s.run("cat f")
			Expect(r.Code).To(Equal(envelope.OutputTruncated))
			Expect(r.Stdout).NotTo(ContainSubstring("ghp_"), "%d bytes of the token", seen)
			Expect(r.Stdout).To(HavePrefix("[REDACTED:private_key]"))
		}
	})

	It("by patterns of the operator's, with lookaround", func() {
		w.allows("cat", `[redaction]`, `extra_patterns = [{ name = "ticket", regex = '(?<=ticket )INT-\d{4}(?!\d)' }]`)
		s = w.serve()
		Expect(show("see ticket INT-1234 and INT-9999\n").Stdout).To(Equal("see ticket [REDACTED:ticket] and INT-9999\n"))
	})

	It("failing closed when a pattern of the operator's runs too long", func() {
		w.allows("cat", `[redaction]`, `extra_patterns = [{ name = "slow", regex = '(a+)+$' }]`)
		s = w.serve()
		r := show(strings.Repeat("a", 40) + "!" + fill(10))
		Expect(r.Stdout).To(ContainSubstring("[REDACTED:slow timed out]"))
		Expect(r.Stdout).NotTo(ContainSubstring("aaaa"))
	})

	It("with the noisy fallback only when it is asked for", func() {
		random := "q9Zx7Lm2Vt4Kp8Rw3Yb6Nc1Hd5"
		Expect(show("id " + random + "\n").Stdout).To(ContainSubstring(random))
		w.allows("cat", "redaction.entropy_fallback = true")
		s = w.serve()
		Expect(show("id " + random + "\n").Stdout).To(Equal("id [REDACTED:high_entropy]\n"))
	})

	It("not at all when the policy says so, with a warning", func() {
		w.allows("cat", "redaction.enabled = false")
		s = w.serve()
		Expect(show("ghp_" + fill(36)).Stdout).To(Equal("ghp_" + fill(36)))
		Eventually(s.stderr.Contents).Should(ContainSubstring("redaction.enabled is false"))
	})
})

var _ = Describe("Guarantee: terminal escapes do not pass", func() {
	It("unless the policy keeps them", func() {
		w := newWorld()
		w.allows("cat")
		w.write(filepath.Join(w.jail, "f"), "A\x1b[2J\x1b]0;T\x07B\x1b]8;;http://x\x07C\n")
		Expect(w.serve().run("cat f").Stdout).To(Equal("ABC\n"))
		w.allows("cat", "output.keep_escapes = true")
		Expect(w.serve().run("cat f").Stdout).To(Equal("A\x1b[2J\x1b]0;T\x07B\x1b]8;;http://x\x07C\n"))
	})

	It("and output that is no text arrives as text", func() {
		w := newWorld()
		w.allows("cat")
		w.write(filepath.Join(w.jail, "f"), "ok\xff\xfeend")
		r := w.serve().run("cat f")
		Expect(r).To(HaveRun(0))
		Expect(r.Stdout).To(HavePrefix("ok\ufffd"))
		Expect(w.outcomes()[0]).To(HaveKeyWithValue("stdout_bytes", BeEquivalentTo(7)))
	})
})
