package sandbox_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/sandbox"
)

var _ = Describe("A launched command", func() {
	var (
		jail string
		l    *sandbox.Launcher
	)

	BeforeEach(func() {
		jail = newJail()
		l = newLauncher(sandbox.Options{Jail: jail, Slots: 2})
	})

	run := func(ctx context.Context, c sandbox.Command) sandbox.Result {
		GinkgoHelper()
		res, err := l.Run(ctx, c)
		Expect(err).NotTo(HaveOccurred())
		return res
	}

	It("gets its arguments as they are", func(ctx SpecContext) {
		c := command("printf", "<%s>", "$HOME", "*", "a b", "", "`id`", "\n")
		Expect(string(run(ctx, c).Stdout.Bytes)).To(Equal("<$HOME><*><a b><><`id`><\n>"))
	})

	It("gets the environment it is given and nothing of ours", func(ctx SpecContext) {
		GinkgoT().Setenv("LAUNCHER_SECRET", "visible")
		c := command("env")
		c.Env = []string{"LANG=C", "EMPTY="}
		Expect(string(run(ctx, c).Stdout.Bytes)).To(Equal("LANG=C\nEMPTY=\n"))
	})

	It("reads an empty standard input", func(ctx SpecContext) {
		res := run(ctx, command("cat"))
		Expect(res.Stdout.Total).To(BeZero())
		Expect(res.ExitCode).To(HaveValue(BeZero()))
	})

	It("leads a process group of its own", func(ctx SpecContext) {
		res := run(ctx, sh(`read pid name state parent group rest </proc/self/stat; echo $((pid - group))`))
		Expect(string(res.Stdout.Bytes)).To(Equal("0\n"))
	})

	It("keeps its two streams apart", func(ctx SpecContext) {
		res := run(ctx, sh(`echo out; echo err >&2`))
		Expect(string(res.Stdout.Bytes)).To(Equal("out\n"))
		Expect(string(res.Stderr.Bytes)).To(Equal("err\n"))
	})

	DescribeTable("ends with the status a shell would show",
		func(ctx SpecContext, script string, code int, signal string) {
			res := run(ctx, sh(script))
			Expect(res.ExitCode).To(HaveValue(Equal(code)))
			Expect(res.Signal).To(Equal(signal))
			Expect(res.TimedOut || res.Cancelled).To(BeFalse())
		},
		Entry("success", "exit 0", 0, ""),
		Entry("failure", "exit 3", 3, ""),
		Entry("a status that looks like a signal", "exit 139", 139, ""),
		Entry("a crash", "kill -SEGV $$", 139, "SIGSEGV"),
		Entry("killed from elsewhere, such as by the kernel when memory is short", "kill -KILL $$", 137, "SIGKILL"),
	)

	Describe("its output", func() {
		It("is counted to the end and kept to the limit", func(ctx SpecContext) {
			c := command("head", "-c", "5000000", "/dev/zero")
			c.MaxStdout = 100_000
			res := run(ctx, c)
			Expect(res.Stdout.Total).To(BeEquivalentTo(5_000_000))
			Expect(res.Stdout.Bytes).To(Equal(make([]byte, 100_000)))
			Expect(res.ExitCode).To(HaveValue(BeZero()))
		})

		DescribeTable("is kept whole up to the very limit",
			func(ctx SpecContext, length, limit, kept int) {
				c := command("head", "-c", strconv.Itoa(length), "/dev/zero")
				c.MaxStdout = limit
				res := run(ctx, c)
				Expect(res.Stdout.Bytes).To(HaveLen(kept))
				Expect(res.Stdout.Total).To(BeEquivalentTo(length))
			},
			Entry("nothing kept", 10, 0, 0),
			Entry("one byte less", 99, 100, 99),
			Entry("exactly", 100, 100, 100),
			Entry("one byte more", 101, 100, 100),
			Entry("exactly what a pipe holds", 65536, 65536, 65536),
			Entry("a pipe and a byte", 65537, 65536, 65536),
			Entry("past the wide pipe", 3<<20, 2<<20, 2<<20),
		)

		It("does not grow our memory, however much is printed", func(ctx SpecContext) {
			c := command("yes", strings.Repeat("x", 4000))
			c.MaxStdout, c.Timeout = 64<<10, 500*time.Millisecond
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			res := run(ctx, c)
			runtime.ReadMemStats(&after)
			Expect(res.TimedOut).To(BeTrue())
			Expect(res.Stdout.Total).To(BeNumerically(">", 16<<20))
			Expect(after.TotalAlloc - before.TotalAlloc).To(BeNumerically("<", 512<<10))
		})

		It("on one stream flows while the other stays silent and open", func(ctx SpecContext) {
			c := sh(`head -c 3000000 /dev/zero >&2; echo done`)
			c.MaxStderr = 10
			res := run(ctx, c)
			Expect(res.Stderr.Total).To(BeEquivalentTo(3_000_000))
			Expect(string(res.Stdout.Bytes)).To(Equal("done\n"))
		})

		It("is complete although the streams are held open by what stays behind", func(ctx SpecContext) {
			c := sh(`sleep 60 & head -c 60000 /dev/zero`)
			res := run(ctx, c)
			Expect(res.Stdout.Bytes).To(HaveLen(60_000))
			Expect(res.Duration).To(BeNumerically("<", 15*time.Second))
		})
	})

	When("its time is over", func() {
		DescribeTable("is killed with its whole group",
			func(ctx SpecContext, script string) {
				c := sh(script)
				c.Timeout = 300 * time.Millisecond
				res := run(ctx, c)
				Expect(res.TimedOut).To(BeTrue())
				Expect(res.Cancelled).To(BeFalse())
				Expect(res.ExitCode).To(BeNil())
				Expect(res.Duration).To(BeNumerically(">=", c.Timeout))
				for _, pid := range strings.Fields(string(res.Stdout.Bytes)) {
					Eventually(alive).WithArguments(pid).Should(BeFalse())
				}
			},
			Entry("a lone process", `echo $$; sleep 60`),
			Entry("a background child that holds the pipe", `sleep 60 & echo $! $$; wait`),
			Entry("SIGTERM ignored", `trap '' TERM INT HUP; echo $$; while :; do sleep 60; done`),
			Entry("a busy loop", `echo $$; while :; do :; done`),
			Entry("one that never stops printing", `echo $$; exec yes >&2`),
			Entry("stopped by a signal", `echo $$; kill -STOP $$`),
		)

		It("is killed although it has left its group", func(ctx SpecContext) {
			turncoat := compile(jail, turncoatSource)
			c := bare(turncoat.Path)
			c.Exe, c.Timeout = turncoat, 300*time.Millisecond
			res := run(ctx, c)
			Expect(res.TimedOut).To(BeTrue())
			Expect(res.Duration).To(BeNumerically("<", 10*time.Second))
		})

		It("gives what it printed until then", func(ctx SpecContext) {
			c := sh(`echo partial; sleep 60`)
			c.Timeout = 300 * time.Millisecond
			Expect(string(run(ctx, c).Stdout.Bytes)).To(Equal("partial\n"))
		})
	})

	When("it ends and leaves children behind", func() {
		It("they are killed and not waited for", func(ctx SpecContext) {
			res := run(ctx, sh(`sleep 60 & echo $!`))
			Expect(res.ExitCode).To(HaveValue(BeZero()))
			Expect(res.Duration).To(BeNumerically("<", 15*time.Second))
			Eventually(alive).WithArguments(strings.TrimSpace(string(res.Stdout.Bytes))).Should(BeFalse())
		})
	})

	When("the caller is gone", func() {
		It("is killed", func(ctx SpecContext) {
			mark := filepath.Join(jail, "started")
			cancelled, cancel := context.WithCancel(ctx)
			go func() {
				defer GinkgoRecover()
				Eventually(mark).Should(BeARegularFile())
				cancel()
			}()
			res := run(cancelled, sh(`echo $$; : >started; sleep 60`))
			Expect(res.Cancelled).To(BeTrue())
			Expect(res.ExitCode).To(BeNil())
			Eventually(alive).WithArguments(strings.TrimSpace(string(res.Stdout.Bytes))).Should(BeFalse())
		})

		It("is not started at all when that was so before", func(ctx SpecContext) {
			cancelled, cancel := context.WithCancel(ctx)
			cancel()
			Expect(run(cancelled, sh(`: >started`)).Cancelled).To(BeTrue())
			Expect(filepath.Join(jail, "started")).NotTo(BeAnExistingFile())
		})

		It("leaves the slot clean for the next", func(ctx SpecContext) {
			for range 50 {
				cancelled, cancel := context.WithCancel(ctx)
				go cancel()
				run(cancelled, command("true"))
				Expect(run(ctx, command("true")).ExitCode).To(HaveValue(BeZero()))
			}
		})
	})

	When("no slot is free", func() {
		It("waits for one", func(ctx SpecContext) {
			var runs sync.WaitGroup
			for range 6 {
				runs.Go(func() {
					defer GinkgoRecover()
					Expect(run(ctx, sh(`mkdir lock.$$; ls -d lock.* | wc -l; rmdir lock.$$`)).Stdout.Bytes).
						To(Or(HavePrefix("1"), HavePrefix("2")))
				})
			}
			runs.Wait()
		})

		It("gives up with its caller", func(ctx SpecContext) {
			holder, release := context.WithCancel(ctx)
			var runs sync.WaitGroup
			for range 2 {
				runs.Go(func() {
					defer GinkgoRecover()
					run(holder, sh(`: >held.$$; sleep 60`))
				})
			}
			held := func() []string { names, _ := filepath.Glob(filepath.Join(jail, "held.*")); return names }
			Eventually(held).Should(HaveLen(2))
			waiting, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
			DeferCleanup(cancel)
			Expect(run(waiting, command("true")).Cancelled).To(BeTrue())
			release()
			runs.Wait()
		})
	})

	When("the kernel will not start it", func() {
		It("says so for a file that is no program, and does not hand it to a shell", func(ctx SpecContext) {
			bin := GinkgoT().TempDir()
			writeFile(filepath.Join(bin, "text"), "echo run by a shell\n", 0o755)
			exe, err := sandbox.Find([]string{bin}, "text")
			Expect(err).NotTo(HaveOccurred())
			c := bare("text")
			c.Exe = exe
			_, err = l.Run(ctx, c)
			Expect(err).To(And(MatchError(sandbox.ErrStart), MatchError(syscall.ENOEXEC)))
		})

		It("says so for an argument longer than the kernel takes", func(ctx SpecContext) {
			_, err := l.Run(ctx, command("true", strings.Repeat("x", 200<<10)))
			Expect(err).To(And(MatchError(sandbox.ErrStart), MatchError(syscall.E2BIG)))
		})

		It("says so for an argument with a NUL", func(ctx SpecContext) {
			_, err := l.Run(ctx, command("true", "a\x00b"))
			Expect(err).To(MatchError(sandbox.ErrStart))
		})
	})

	It("is refused without a time limit", func(ctx SpecContext) {
		c := command("true")
		c.Timeout = 0
		_, err := l.Run(ctx, c)
		Expect(err).To(MatchError(sandbox.ErrStart))
	})

	It("costs no descriptor, goroutine or memory once it is over", func(ctx SpecContext) {
		for range 10 {
			run(ctx, command("true"))
		}
		settled := func() (n int) { runtime.GC(); return runtime.NumGoroutine() }
		fds, goroutines, heap := openFiles(), settled(), heapInUse()
		for i := range 300 {
			c := sh(`echo out; echo err >&2`)
			if i%10 == 0 {
				c.Timeout = time.Millisecond
			}
			run(ctx, c)
		}
		Expect(openFiles()).To(Equal(fds))
		Eventually(settled).Should(BeNumerically("<=", goroutines))
		Expect(heapInUse()).To(BeNumerically("<", heap+300*100))
	})
})

var _ = Describe("A launcher", func() {
	It("ends what runs when it is closed, and refuses what comes after", func(ctx SpecContext) {
		jail := newJail()
		l, err := sandbox.New(sandbox.Options{Jail: jail, Slots: 2})
		Expect(err).NotTo(HaveOccurred())
		answer := make(chan sandbox.Result)
		go func() {
			defer GinkgoRecover()
			res, err := l.Run(ctx, sh(`: >started; sleep 60`))
			Expect(err).NotTo(HaveOccurred())
			answer <- res
		}()
		Eventually(filepath.Join(jail, "started")).Should(BeARegularFile())
		closed := make(chan error)
		go func() { closed <- l.Close() }()
		Eventually(answer).Should(Receive(HaveField("Cancelled", true)))
		Eventually(closed).Should(Receive(BeNil()))
		_, err = l.Run(ctx, command("true"))
		Expect(err).To(MatchError(sandbox.ErrClosed))
		Expect(l.Close()).To(Succeed())
	})

	It("frees its threads and descriptors when it is closed", func() {
		jail := newJail()
		threads, fds := threadCount(), openFiles()
		l, err := sandbox.New(sandbox.Options{Jail: jail, Slots: 16})
		Expect(err).NotTo(HaveOccurred())
		Expect(threadCount()).To(BeNumerically(">=", 16))
		Expect(l.Close()).To(Succeed())
		Expect(openFiles()).To(Equal(fds))
		Eventually(threadCount).Should(BeNumerically("<", threads+12))
	})

	It("never changes the main thread, where the process's own working directory shows", func() {
		here, err := os.Readlink("/proc/self/cwd")
		Expect(err).NotTo(HaveOccurred())
		newLauncher(sandbox.Options{Jail: newJail(), Slots: 32})
		Expect(os.Readlink("/proc/self/cwd")).To(Equal(here))
	})

	DescribeTable("refuses a jail it cannot hold",
		func(jail string, slots int) {
			_, err := sandbox.New(sandbox.Options{Jail: jail, Slots: slots})
			Expect(err).To(HaveOccurred())
		},
		Entry("a relative one", "jail", 1),
		Entry("none", "", 1),
		Entry("one that is not there", "/nonexistent/jail", 1),
		Entry("a file", "/etc/passwd", 1),
		Entry("no slots", "/", 0),
	)

	When("the server is killed with SIGKILL", func() {
		DescribeTable("takes the command with it", func(mode string) {
			jail := newJail()
			server := exec.Command(os.Args[0], asServer, jail, mode, `cp /bin/sleep widow; (setsid ./widow 1 &); : >started; exec ./widow 60`)
			Expect(server.Start()).To(Succeed())
			DeferCleanup(func() { _ = server.Wait() })
			Eventually(filepath.Join(jail, "started")).Should(BeARegularFile())
			Eventually(running).WithArguments("widow").Should(BeNumerically(">", 0))
			Expect(server.Process.Kill()).To(Succeed())
			Eventually(running).WithArguments("widow").Should(BeZero())
		},
			Entry("in its process group", "off"),
			Entry("confined", "best-effort"),
		)
	})
})

var _ = Describe("A hardened server", func() {
	serve := func(script string, inherited ...*os.File) string {
		GinkgoHelper()
		server := exec.Command(os.Args[0], asServer, newJail(), "off", script)
		server.Env = append(os.Environ(), "SERVER_SECRET=visible")
		server.ExtraFiles = inherited
		out, err := server.Output()
		Expect(err).NotTo(HaveOccurred(), string(out))
		return string(out)
	}

	It("passes on no descriptor that it inherited", func() {
		leak, err := os.Open("/etc/passwd")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(leak.Close)
		// The fourth is the directory that ls reads.
		Expect(strings.Fields(serve(`exec ls /proc/self/fd`, leak))).To(Equal([]string{"0", "1", "2", "3"}))
		Expect(serve(`cat <&3`, leak)).NotTo(ContainSubstring("root:"))
	})

	It("does not show its environment to a command of the same user", func() {
		if os.Geteuid() == 0 {
			Skip("root may read every process's environment")
		}
		Expect(serve(`cat /proc/$PPID/environ 2>&1`)).To(ContainSubstring("denied"))
	})
})

// alive tells whether a process runs; one that has ended and was not reaped does not.
func alive(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z") && !strings.HasPrefix(state, "X")
}

func openFiles() int {
	GinkgoHelper()
	entries, err := os.ReadDir("/proc/self/fd")
	Expect(err).NotTo(HaveOccurred())
	return len(entries)
}

func threadCount() int {
	GinkgoHelper()
	entries, err := os.ReadDir("/proc/self/task")
	Expect(err).NotTo(HaveOccurred())
	return len(entries)
}

func heapInUse() uint64 {
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
