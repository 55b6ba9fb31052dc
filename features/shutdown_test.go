package features_test

import (
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "hardened-terminal-mcp/pipeline/pipelinetest"
)

var _ = Describe("Guarantee: an orderly end", func() {
	var (
		w *world
		s *server
	)

	BeforeEach(func() {
		w = newWorld()
		w.program("slow", "exec sleep 60")
		w.program("short", "sleep 0.5; echo done")
		w.allows("slow short echo", "limits.max_concurrent = 64")
		s = w.serve()
	})

	outcomes := func(code, reason string) {
		GinkgoHelper()
		Expect(w.outcomes()).To(ContainElement(And(HaveKeyWithValue("code", code), HaveKeyWithValue("policy_reason", reason), HaveKeyWithValue("exit_code", BeNil()))))
		Expect(w.outcomes()).To(HaveLen(len(w.attempts())))
	}

	When("the input ends", func() {
		It("carries out and answers the calls it has received", func() {
			var answers []<-chan reply
			for range 20 {
				_, answer := s.tool("run_command", map[string]any{"command": "short"})
				answers = append(answers, answer)
			}
			s.in.Close()
			for _, answer := range answers {
				Expect(result(await(answer)).CommandResult).To(HaveRun(0))
			}
			Expect(s.status()).To(Equal(0))
			Expect(w.outcomes()).To(HaveLen(20))
		})

		It("ends what still runs after the grace period, answers and records it, and exits 0", func() {
			_, answer := s.tool("run_command", map[string]any{"command": "slow"})
			w.started()
			s.in.Close()
			Expect(result(await(answer)).PolicyReason).To(Equal("the server is shutting down"))
			Expect(s.status()).To(Equal(0))
			Expect(w.commands()).To(BeEmpty())
			outcomes("EXECUTOR_ERROR", "the server is shutting down")
		})
	})

	DescribeTable("on a signal, ends running commands at once, records them and exits 0:", func(sig syscall.Signal) {
		s.tool("run_command", map[string]any{"command": "slow"})
		w.started()
		start := time.Now()
		s.signal(sig)
		Expect(s.status()).To(Equal(0))
		Expect(time.Since(start)).To(BeNumerically("<", 3*time.Second), "no grace period")
		Expect(w.commands()).To(BeEmpty())
		outcomes("EXECUTOR_ERROR", "the server is shutting down")
	},
		Entry("SIGTERM", syscall.SIGTERM),
		Entry("SIGINT", syscall.SIGINT),
		Entry("SIGHUP", syscall.SIGHUP),
	)

	It("when the client has closed its end of standard output, also while nothing is written", func() {
		s.tool("run_command", map[string]any{"command": "slow"})
		w.started()
		Expect(s.out.Close()).To(Succeed())
		Expect(s.status()).To(Equal(0), "no death by SIGPIPE")
		Expect(w.commands()).To(BeEmpty())
		outcomes("EXECUTOR_ERROR", "the server is shutting down")
	})

	It("when nobody reads standard output and a signal comes", func() {
		c := w.command("serve")
		in, err := c.StdinPipe()
		Expect(err).NotTo(HaveOccurred())
		out, err := c.StdoutPipe()
		Expect(err).NotTo(HaveOccurred())
		Expect(c.Start()).To(Succeed())
		DeferCleanup(func() { c.Process.Kill(); out.Close() })
		go func() {
			for range 100000 { // more answers than a pipe holds
				if _, err := in.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n")); err != nil {
					return
				}
			}
		}()
		Eventually(func() string { return state(c.Process.Pid) }).WithTimeout(10 * time.Second).Should(Equal("S"))
		Expect(c.Process.Signal(syscall.SIGTERM)).To(Succeed())
		exited := make(chan error, 1)
		go func() { exited <- c.Wait() }()
		Eventually(exited).WithTimeout(5 * time.Second).Should(Receive(BeNil()))
	})

	It("leaves no process behind when it is killed", func() {
		s.tool("run_command", map[string]any{"command": "slow"})
		w.started()
		s.signal(syscall.SIGKILL)
		Eventually(w.commands).WithTimeout(5 * time.Second).Should(BeEmpty())
		Expect(w.attempts()).To(HaveLen(1), "the attempt is on record")
	})

	It("says where the audit log ends", func() {
		s.run("echo x")
		Expect(s.stop()).To(Equal(0))
		Expect(string(s.stderr.Contents())).To(MatchRegexp(`the audit log ends at 2:[0-9a-f]{64}`))
	})
})
