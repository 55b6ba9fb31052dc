package features_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/envelope"
	. "hardened-terminal-mcp/pipeline/pipelinetest"
)

// commands are the processes that run in the world's jail, as the machine sees
// them: their pids in a namespace of their own say nothing here.
func (w *world) commands() []string {
	var out []string
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		cwd, err := os.Readlink(filepath.Join("/proc", e.Name(), "cwd"))
		if err == nil && (cwd == w.jail || strings.HasPrefix(cwd, w.jail+"/")) {
			out = append(out, e.Name())
		}
	}
	return out
}

// started waits until a command runs, so that its end can be seen.
func (w *world) started() {
	GinkgoHelper()
	Eventually(w.commands).WithTimeout(10 * time.Second).ShouldNot(BeEmpty())
}

// peak is the largest resident size a process has had, in KiB.
func peak(pid int) int {
	GinkgoHelper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	Expect(err).NotTo(HaveOccurred())
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")))
			Expect(err).NotTo(HaveOccurred())
			return n
		}
	}
	Fail("no VmHWM")
	return 0
}

var _ = Describe("Guarantee: every call is bounded", func() {
	var w *world

	BeforeEach(func() { w = newWorld() })

	Describe("in time", func() {
		DescribeTable("ending the whole group at the limit", func(script string) {
			w.program("slow", script)
			w.allows("slow", "limits.timeout = \"500ms\"")
			r := w.serve().run("slow")
			Expect(r.Code).To(Equal(envelope.Timeout))
			Expect(r.OK).To(BeFalse())
			Expect(r.ExitCode).To(BeNil())
			Expect(r.PolicyReason).To(ContainSubstring("500ms"))
			Expect(r.DurationMS).To(BeNumerically("~", 500, 3000))
			Eventually(w.commands).Should(BeEmpty())
		},
			Entry("a program that waits", "sleep 60"),
			Entry("one that ignores SIGTERM", "trap '' TERM; while :; do sleep 1; done"),
			Entry("one whose child holds the pipe", "sleep 60 & wait"),
		)

		It("returns what was printed until then", func() {
			w.program("slow", "echo early; exec sleep 60")
			w.allows("slow", "limits.timeout = \"500ms\"")
			Expect(w.serve().run("slow").Stdout).To(Equal("early\n"))
		})

		It("not waiting for a background child that holds the pipe", func() {
			w.program("spawns", "sleep 60 & echo done")
			w.allows("spawns")
			r := w.serve().run("spawns")
			Expect(r).To(HaveRun(0))
			Expect(r.Stdout).To(Equal("done\n"))
			Expect(r.DurationMS).To(BeNumerically("<", 10000))
			Eventually(w.commands).Should(BeEmpty())
		})
	})

	Describe("in output", func() {
		It("capping each stream on its own, and counting the rest", func() {
			w.program("prints", "seq 1 100000; seq 1 50000 >&2")
			w.allows("prints", "limits.max_stdout_bytes = 1000", "limits.max_stderr_bytes = 100")
			r := w.serve().run("prints")
			Expect(r.Code).To(Equal(envelope.OutputTruncated))
			Expect(r).To(HaveRun(0))
			Expect(r.Stdout).To(HaveLen(1000))
			Expect(r.Stderr).To(HaveLen(100))
			o := w.outcomes()[0]
			Expect(o).To(HaveKeyWithValue("stdout_bytes", BeEquivalentTo(588895)))
			Expect(o).To(HaveKeyWithValue("stderr_bytes", BeEquivalentTo(288894)))
			Expect(o).To(HaveKeyWithValue("truncated", true))
		})

		It("cutting also what is only a little over the cap", func() {
			w.program("prints", "seq 1 500; seq 1 100 >&2")
			w.allows("prints", "limits.max_stdout_bytes = 1000", "limits.max_stderr_bytes = 100")
			r := w.serve().run("prints")
			Expect(r.Code).To(Equal(envelope.OutputTruncated))
			Expect(r.Stdout).To(HaveLen(1000))
			Expect(r.Stderr).To(HaveLen(100))
			Expect(r.PolicyReason).To(ContainSubstring("wrote 1892 bytes to stdout and 292 to stderr"))
		})

		It("draining a flooded stderr while stdout is idle", func() {
			w.program("errflood", "seq 1 200000 >&2; echo done")
			w.allows("errflood", "limits.max_stdout_bytes = 4096")
			r := w.serve().run("errflood")
			Expect(r.Code).To(Equal(envelope.OutputTruncated))
			Expect(r.Stdout).To(Equal("done\n"))
		})

		It("not truncating what fits exactly", func() {
			w.program("exact", "head -c 100 /dev/zero | tr '\\0' x")
			w.allows("exact", "limits.max_stdout_bytes = 100")
			r := w.serve().run("exact")
			Expect(r.Code).To(Equal(envelope.OK))
			Expect(r.Stdout).To(HaveLen(100))
		})

		It("with TIMEOUT before OUTPUT_TRUNCATED, keeping the beginning", func() {
			w.allows("yes", "limits.max_stdout_bytes = 4096", "limits.timeout = \"500ms\"")
			r := w.serve().run("yes")
			Expect(r.Code).To(Equal(envelope.Timeout))
			Expect(r.Stdout).To(HaveLen(4096))
		})

		It("in memory that does not grow with what is printed", func() {
			w.allows("head", "limits.max_stdout_bytes = 65536", "limits.timeout = \"60s\"")
			s := w.serve()
			Expect(s.run("head -c 1000000 /dev/zero").Code).To(Equal(envelope.OutputTruncated))
			before := peak(s.cmd.Process.Pid)
			Expect(s.run("head -c 300000000 /dev/zero").Code).To(Equal(envelope.OutputTruncated))
			Expect(peak(s.cmd.Process.Pid)-before).To(BeNumerically("<", 4096), "KiB more for 300 MB")
		})
	})

	Describe("in number", func() {
		It("running as many as max_concurrent, and the next when one ends", func() {
			w.program("hold", "touch "+w.out+"/$1; while [ ! -e "+w.out+"/go ]; do sleep 0.05; done")
			w.allows("hold", "limits.max_concurrent = 2")
			s := w.serve()
			var answers []<-chan reply
			for _, name := range []string{"a", "b", "c"} {
				_, answer := s.tool("run_command", map[string]any{"command": "hold " + name})
				answers = append(answers, answer)
			}
			running := func() int {
				n := 0
				for _, name := range []string{"a", "b", "c"} {
					if _, err := os.Stat(filepath.Join(w.out, name)); err == nil {
						n++
					}
				}
				return n
			}
			Eventually(running).WithTimeout(10 * time.Second).Should(Equal(2))
			Consistently(running).WithTimeout(300 * time.Millisecond).Should(Equal(2))
			Expect(s.explain("hold x").OK).To(BeTrue(), "explain_command waits for no slot")
			Expect(s.request("ping", map[string]any{}).Error).To(BeNil())
			w.write(filepath.Join(w.out, "go"), "")
			for _, answer := range answers {
				Expect(result(await(answer)).CommandResult).To(HaveRun(0))
			}
		})

		It("answering busy, on record, when the queue is full", func() {
			w.allows("sleep", "limits.max_concurrent = 1")
			s := w.serve()
			var answers []<-chan reply
			for range 1 + 64 + 1 {
				_, answer := s.tool("run_command", map[string]any{"command": "sleep 60"})
				answers = append(answers, answer)
			}
			busy := make(chan reply, len(answers))
			for _, a := range answers {
				go func() { busy <- <-a }()
			}
			var r reply
			Eventually(busy).WithTimeout(10 * time.Second).Should(Receive(&r))
			Expect(result(r).CommandResult).To(BeRefused(envelope.ExecutorError, "busy: "))
			Eventually(w.outcomes).Should(ContainElement(HaveKeyWithValue("policy_reason", HavePrefix("busy: "))))
		})

		It("letting so many calls a second pass as the policy says", func() {
			w.allows("true", "limits.max_calls_per_second = 2")
			s := w.serve()
			Eventually(func() string { return s.run("true").PolicyReason }).Should(ContainSubstring("max_calls_per_second"))
			Expect(s.explain("true").OK).To(BeTrue())
		})
	})

	Describe("in input", func() {
		It("naming the limit of a command line", func() {
			w.allows("echo", "limits.max_command_bytes = 100")
			s := w.serve()
			Expect(s.run("echo " + strings.Repeat("x", 96))).To(BeRefused(envelope.ParseError, "limit of 100", "max_command_bytes"))
			Expect(s.run("echo " + strings.Repeat("x", 95))).To(HaveRun(0))
		})

		It("naming the limit of the number of arguments", func() {
			w.allows("echo", "limits.max_args = 2")
			s := w.serve()
			Expect(s.run("echo a b c")).To(BeRefused(envelope.ParseError, "limit of 2", "max_args"))
			Expect(s.run("echo a b")).To(HaveRun(0))
		})

		It("keeping a huge argument out of the trail and the server alive", func() {
			w.allows("echo")
			s := w.serve()
			Expect(s.run("echo " + strings.Repeat("A", 300000))).To(BeRefused(envelope.ParseError, "limit of 4096"))
			Expect(s.run("echo x")).To(HaveRun(0))
			info, err := os.Stat(w.log)
			Expect(err).NotTo(HaveOccurred())
			Expect(info.Size()).To(BeNumerically("<", 80<<10))
		})
	})

	It("naming the signal a command died of, with the status shells show", func() {
		w.program("segv", "kill -SEGV $$")
		w.allows("segv")
		r := w.serve().run("segv")
		Expect(r).To(HaveRun(139))
		Expect(r.OK).To(BeTrue())
		Expect(r.PolicyReason).To(ContainSubstring("SIGSEGV"))
	})
})

// state is the scheduler's letter for a process: S sleeps.
func state(pid int) string {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	return rest[:1]
}
