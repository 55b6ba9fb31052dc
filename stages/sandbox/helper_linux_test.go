package sandbox_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/sandbox"
)

var _ = Describe("The helper", func() {
	for _, r := range []rung{rungs[0], rungs[len(rungs)-1]} {
		Context("by "+r.name, func() { helperSpecs(r) })
	}
})

func helperSpecs(r rung) {
	var (
		jail string
		l    *sandbox.Launcher
	)

	BeforeEach(func() {
		jail = newJail()
		l = r.confined(sandbox.Options{Jail: jail, Slots: 4, Read: []string{testBinary()}})
	})

	When("it is killed while a command runs", func() {
		It("fails that command and carries out the next", func(ctx SpecContext) {
			failed := make(chan error)
			go func() {
				_, err := l.Run(ctx, sh(`cp /bin/sleep orphan; : >started; exec ./orphan 60`))
				failed <- err
			}()
			Eventually(filepath.Join(jail, "started")).Should(BeARegularFile())
			Expect(syscall.Kill(helperPID(), syscall.SIGKILL)).To(Succeed())
			Eventually(failed).Should(Receive(MatchError(sandbox.ErrHelper)))
			Eventually(running).WithArguments("orphan").Should(BeZero())
			res, err := l.Run(ctx, command("true"))
			Expect(err).NotTo(HaveOccurred())
			Expect(res.ExitCode).To(HaveValue(BeZero()))
		})
	})

	When("it hangs", func() {
		It("is killed some time after a command that it does not end", func(ctx SpecContext) {
			Expect(syscall.Kill(helperPID(), syscall.SIGSTOP)).To(Succeed())
			c := command("true")
			c.Timeout = 100 * time.Millisecond
			_, err := l.Run(ctx, c)
			Expect(err).To(MatchError(sandbox.ErrHelper))
			_, err = l.Run(ctx, command("true"))
			Expect(err).NotTo(HaveOccurred())
		})
	})

	When("it is killed again and again under load", func() {
		It("leaves no call without an answer and no descriptor open", func(ctx SpecContext) {
			fds := openFiles()
			var over atomic.Bool
			var killer, callers sync.WaitGroup
			kills := 0
			var answered, failed atomic.Int32
			killer.Go(func() {
				for last := int32(-1); !over.Load(); {
					if now := answered.Load(); now < last+4 {
						runtime.Gosched()
						continue // let some calls through, or all would only ever meet a helper that starts
					}
					if pid := helperPID(); pid > 0 && syscall.Kill(pid, syscall.SIGKILL) == nil {
						kills++
						last = answered.Load()
					}
				}
			})
			for range 4 {
				callers.Go(func() {
					defer GinkgoRecover()
					for range 25 {
						_, err := l.Run(ctx, command("true"))
						if err != nil {
							Expect(err).To(MatchError(sandbox.ErrHelper))
							failed.Add(1)
						}
						answered.Add(1)
					}
				})
			}
			callers.Wait()
			over.Store(true)
			killer.Wait()
			Expect(answered.Load()).To(BeEquivalentTo(100))
			Expect(failed.Load()).To(BeNumerically(">=", 5))
			Expect(kills).To(BeNumerically(">=", 5))
			for range 4 { // each slot lets go of its old socket when it is used again
				_, _ = l.Run(ctx, command("true"))
			}
			Expect(openFiles()).To(BeNumerically("<=", fds+2))
		})
	})

	It("gets nothing of the server's environment", func() {
		if os.Geteuid() != 0 {
			Skip("only root can look into a process that is not dumpable")
		}
		environ, err := os.ReadFile("/proc/" + strconv.Itoa(helperPID()) + "/environ")
		Expect(err).NotTo(HaveOccurred())
		Expect(strings.Split(strings.TrimSuffix(string(environ), "\x00"), "\x00")).To(ConsistOf("SANDBOX_HELPER=1", "GOMAXPROCS=2"))
	})

	It("collects what commands leave behind", func(ctx SpecContext) {
		for range 5 {
			_, err := l.Run(ctx, sh(`for i in 1 2 3 4 5 6 7 8 9 10; do (sleep 60 &); done`))
			Expect(err).NotTo(HaveOccurred())
		}
		Eventually(children).WithArguments(helperPID()).Should(BeEmpty())
	})

	It("survives the signals a command can send it", func(ctx SpecContext) {
		if !r.namespaces {
			Skip("it does not without a PID namespace, and the report says so")
		}
		pid := helperPID()
		_, err := l.Run(ctx, sh(`for t in /proc/1/task/*; do for s in 1 2 3 6 9 11 13 14 15 19; do kill -$s ${t##*/}; done; done`))
		Expect(err).NotTo(HaveOccurred())
		attack := try("signal-threads", "1")
		_, err = l.Run(ctx, attack)
		Expect(err).NotTo(HaveOccurred())
		Expect(helperPID()).To(Equal(pid))
	})

	It("costs no descriptor, goroutine or memory for each command", func(ctx SpecContext) {
		for range 20 {
			_, err := l.Run(ctx, command("true"))
			Expect(err).NotTo(HaveOccurred())
		}
		pid := helperPID()
		fds, own := descriptors(pid), openFiles()
		heap := heapInUse()
		for range 300 {
			res, err := l.Run(ctx, sh("exit 3"))
			Expect(err).NotTo(HaveOccurred())
			Expect(res.ExitCode).To(HaveValue(Equal(3))) // and nobody else collects its status
		}
		Expect(openFiles()).To(Equal(own))
		Expect(descriptors(pid)).To(Equal(fds))
		Expect(heapInUse()).To(BeNumerically("<", heap+300*100))
	})
}

var _ = Describe("The ladder", func() {
	It("is not climbed unless asked for", func() {
		l := newLauncher(sandbox.Options{Jail: newJail(), Slots: 1})
		Expect(l.Report()).To(And(HaveField("Rung", 5), HaveField("Confinement", "none"), HaveField("Open", Not(BeEmpty()))))
	})

	It("ends at the process group where nothing else is to be had, and says why", func(ctx SpecContext) {
		o := sandbox.Options{Jail: newJail(), Slots: 1, Mode: sandbox.BestEffort}
		l := newLauncher(o.WithoutNamespaces().WithLandlock(1))
		Expect(l.Report()).To(And(HaveField("Rung", 5), HaveField("Refused", ContainElement(ContainSubstring("ABI 1 is too old")))))
		res, err := l.Run(ctx, command("true"))
		Expect(err).NotTo(HaveOccurred())
		Expect(res.ExitCode).To(HaveValue(BeZero()))
	})

	It("ends at a refusal where confinement is required", func() {
		o := sandbox.Options{Jail: newJail(), Slots: 1, Mode: sandbox.Required}
		_, err := sandbox.New(o.WithoutNamespaces().WithLandlock(1))
		Expect(err).To(MatchError(ContainSubstring("confinement is required")))
	})

	It("is climbed beside the server's start, which does not wait", func(ctx SpecContext) {
		begin := time.Now()
		l, err := sandbox.New(sandbox.Options{Jail: newJail(), Slots: 1, Mode: sandbox.BestEffort})
		took := time.Since(begin)
		Expect(err).NotTo(HaveOccurred())
		l.Report()
		Expect(took).To(BeNumerically("<", time.Since(begin)/2))
		Expect(l.Close()).To(Succeed())
	})

	It("leaves nothing running when it is closed at once", func() {
		l, err := sandbox.New(sandbox.Options{Jail: newJail(), Slots: 1, Mode: sandbox.BestEffort})
		Expect(err).NotTo(HaveOccurred())
		Expect(l.Close()).To(Succeed())
		Eventually(helperPID).Should(BeZero())
	})

	When("the server is killed with SIGKILL on Landlock alone", func() {
		It("takes daemons with it", func() {
			if reason := rungs[0].missing(); reason != "" {
				Skip(reason)
			}
			jail := newJail()
			script := fmt.Sprintf(`echo 0 >/proc/sys/user/max_user_namespaces && exec %s %s %s required %s`, testBinary(), asServer, jail,
				`'cp /bin/sleep lonely; (setsid ./lonely 60 &); ./lonely 60 & : >started; wait'`)
			server := exec.Command("unshare", "--map-root-user", "sh", "-c", script)
			Expect(server.Start()).To(Succeed())
			DeferCleanup(func() { _ = server.Wait() })
			Eventually(filepath.Join(jail, "started")).Should(BeARegularFile())
			Eventually(running).WithArguments("lonely").Should(Equal(2))
			helpers := children(server.Process.Pid)
			Expect(helpers).To(HaveLen(1))
			Expect(server.Process.Kill()).To(Succeed())
			Eventually(alive).WithArguments(strconv.Itoa(helpers[0])).Should(BeFalse())
			Eventually(running).WithArguments("lonely").Should(BeZero())
		})
	})

	When("the kernel really refuses user namespaces", func() {
		It("stands on Landlock", func() {
			if reason := rungs[0].missing(); reason != "" {
				Skip(reason)
			}
			script := fmt.Sprintf(`echo 0 >/proc/sys/user/max_user_namespaces && exec %s %s %s best-effort 'cat /etc/shadow /etc/hostname'`,
				os.Args[0], asServer, newJail())
			out, err := exec.Command("unshare", "--map-root-user", "sh", "-c", script).CombinedOutput()
			Expect(err).NotTo(HaveOccurred(), string(out))
			Expect(string(out)).To(ContainSubstring("rung 2: confined by landlock"))
			Expect(string(out)).To(And(ContainSubstring("namespaces: "), ContainSubstring("no space left on device")))
			Expect(string(out)).To(ContainSubstring("/etc/hostname: Permission denied"))
		})
	})

	When("the program does not know the helper's word", func() {
		It("is not started again and again", func() {
			GinkgoT().Setenv("SANDBOX_HELPER", "1")
			_, err := sandbox.New(sandbox.Options{Jail: newJail(), Slots: 1, Mode: sandbox.Required})
			Expect(err).To(MatchError(ContainSubstring("HelperMain")))
		})
	})
})

var _ = Describe("Options", func() {
	var jail, audit, policy string

	BeforeEach(func() {
		top := newJail()
		jail, audit, policy = filepath.Join(top, "jail"), filepath.Join(top, "state", "audit.jsonl"), filepath.Join(top, "policy.toml")
		Expect(os.Mkdir(jail, 0o700)).To(Succeed())
		Expect(os.Mkdir(filepath.Join(top, "state"), 0o700)).To(Succeed())
		Expect(os.Symlink(filepath.Join(top, "state"), filepath.Join(top, "alias"))).To(Succeed())
	})

	DescribeTable("are refused",
		func(change func(o *sandbox.Options), why string) {
			o := sandbox.Options{Jail: jail, Slots: 1, Mode: sandbox.BestEffort, Hidden: []string{audit}, ReadOnly: []string{policy}}
			change(&o)
			_, err := sandbox.New(o)
			Expect(err).To(MatchError(ContainSubstring(why)))
		},
		Entry("with a write entry over the log", func(o *sandbox.Options) { o.Write = []string{filepath.Dir(audit)} }, "would let commands change"),
		Entry("with a write entry over the log by a link", func(o *sandbox.Options) { o.Write = []string{filepath.Dir(jail) + "/alias"} }, "would let commands change"),
		Entry("with a write entry that is the policy", func(o *sandbox.Options) { o.Write = []string{policy} }, "would let commands change"),
		Entry("with a write entry above all", func(o *sandbox.Options) { o.Write = []string{filepath.Dir(jail)} }, "would let commands change"),
		Entry("with a read entry over the log", func(o *sandbox.Options) { o.Read = []string{filepath.Dir(jail)} }, "would let commands read"),
		Entry("with the log in the jail", func(o *sandbox.Options) { o.Hidden = []string{filepath.Join(jail, "log")} }, "would let commands read"),
		Entry("with everything readable", func(o *sandbox.Options) { o.Read = []string{"/"} }, "/proc"),
		Entry("with /proc readable", func(o *sandbox.Options) { o.Read = []string{"/proc/self"} }, "/proc"),
		Entry("with a relative path", func(o *sandbox.Options) { o.Read = []string{"lib"} }, "not absolute"),
		Entry("with a search path into the jail", func(o *sandbox.Options) { o.Path = []string{"/usr/bin", jail + "/bin"} }, "where commands can write"),
		Entry("with a relative search path", func(o *sandbox.Options) { o.Path = []string{"bin"} }, "not absolute"),
		Entry("with a writable path that is missing", func(o *sandbox.Options) { o.Write = []string{jail + ".cache"} }, "no such file"),
		Entry("with an unknown mode", func(o *sandbox.Options) { o.Mode = "sometimes" }, "mode"),
		Entry("with a negative limit", func(o *sandbox.Options) { o.Limits.MaxProcesses = -1 }, "negative"),
		Entry("with too few open files for the helper", func(o *sandbox.Options) { o.Limits.MaxOpenFiles = 10 }, "open files"),
		Entry("with half a second of processor time", func(o *sandbox.Options) { o.Limits.MaxCPU = time.Second / 2 }, "whole seconds"),
	)

	It("name all their faults at once", func() {
		_, err := sandbox.New(sandbox.Options{Jail: "jail", Mode: "sometimes"})
		Expect(err).To(MatchError(And(ContainSubstring("not absolute"), ContainSubstring("0 slots"), ContainSubstring("mode"))))
	})

	It("are not refused for a directory that has the log's name as a prefix", func() {
		o := sandbox.Options{Jail: jail, Slots: 1, Mode: sandbox.BestEffort, Hidden: []string{audit}, Read: []string{audit + ".d"}}
		newLauncher(o)
	})
})

// helperPID finds this process's helper, 0 when there is none.
func helperPID() int {
	for _, pid := range children(os.Getpid()) {
		cmdline, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		if err == nil && strings.HasSuffix(string(cmdline), "\x00sandbox-helper\x00") && alive(strconv.Itoa(pid)) {
			return pid
		}
	}
	return 0
}

func children(pid int) []int {
	var found []int
	files, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	for _, file := range files {
		list, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		for _, child := range strings.Fields(string(list)) {
			n, _ := strconv.Atoi(child)
			found = append(found, n)
		}
	}
	return found
}

func descriptors(pid int) int {
	entries, _ := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/fd")
	return len(entries)
}
