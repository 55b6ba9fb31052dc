package sandbox_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/sys/unix"

	"hardened-terminal-mcp/stages/sandbox"
)

// A rung is one way to confine, with the options that lead to it on a kernel that has everything.
type rung struct {
	name        string
	options     func(sandbox.Options) sandbox.Options
	confinement string
	kill        string
	namespaces  bool
	scope       bool
	landlock    int // the kernel's ABI that it takes
}

var rungs = []rung{
	{
		"namespaces and Landlock", func(o sandbox.Options) sandbox.Options { return o },
		"namespaces+landlock", "pid namespace+landlock scope", true, true, 6,
	},
	{
		"namespaces and a Landlock without scopes", func(o sandbox.Options) sandbox.Options { return o.WithLandlock(5) },
		"namespaces+landlock", "pid namespace", true, false, 2,
	},
	{
		"namespaces without Landlock", func(o sandbox.Options) sandbox.Options { return o.WithLandlock(1) },
		"namespaces", "pid namespace", true, false, 0,
	},
	{"Landlock alone", sandbox.Options.WithoutNamespaces, "landlock", "landlock scope", false, true, 6},
}

// confined starts a launcher on the rung, or skips where the kernel does not have it.
func (r rung) confined(o sandbox.Options) *sandbox.Launcher {
	GinkgoHelper()
	o.Mode = sandbox.Required
	if o.Slots == 0 {
		o.Slots = 2
	}
	if reason := r.missing(); reason != "" {
		Skip(reason)
	}
	l := newLauncher(r.options(o))
	Expect(l.Report()).To(And(HaveField("Confinement", r.confinement), HaveField("Kill", r.kill)))
	return l
}

// missing says what the rung needs and the kernel lacks, found out without the code under test.
func (r rung) missing() string {
	if r.namespaces {
		out, err := exec.Command("unshare", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/tmp").CombinedOutput()
		if err != nil {
			return "user namespaces are refused: " + string(out)
		}
	}
	abi, _, _ := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if int(abi) < r.landlock {
		return fmt.Sprintf("landlock ABI is %d, not %d", int(abi), r.landlock)
	}
	return ""
}

// try is the test binary as a command that tries something.
func try(what string, args ...string) sandbox.Command {
	GinkgoHelper()
	exe, err := sandbox.Find([]string{filepath.Dir(testBinary())}, filepath.Base(testBinary()))
	Expect(err).NotTo(HaveOccurred())
	c := bare(append([]string{testBinary(), asCommand, what}, args...)...)
	c.Exe = exe
	return c
}

func testBinary() string {
	GinkgoHelper()
	self, err := filepath.Abs(os.Args[0])
	Expect(err).NotTo(HaveOccurred())
	return self
}

var _ = Describe("A confined command", func() {
	for _, r := range rungs {
		Context("by "+r.name, func() { confinedSpecs(r) })
	}
})

func confinedSpecs(r rung) {
	var (
		jail, outside string
		options       sandbox.Options
		l             *sandbox.Launcher
	)

	BeforeEach(func() {
		top := newJail()
		jail, outside = filepath.Join(top, "jail"), filepath.Join(top, "jail-evil")
		Expect(os.Mkdir(jail, 0o700)).To(Succeed())
		Expect(os.Mkdir(outside, 0o700)).To(Succeed())
		writeFile(filepath.Join(outside, "secret"), "outside the jail\n", 0o644)
		Expect(os.Symlink(outside, filepath.Join(jail, "out"))).To(Succeed())
		options = sandbox.Options{Jail: jail, Read: []string{testBinary()}}
	})

	JustBeforeEach(func() { l = r.confined(options) })

	run := func(ctx SpecContext, c sandbox.Command) sandbox.Result {
		GinkgoHelper()
		res, err := l.Run(ctx, c)
		Expect(err).NotTo(HaveOccurred())
		return res
	}
	output := func(ctx SpecContext, c sandbox.Command) string {
		GinkgoHelper()
		res := run(ctx, c)
		return string(res.Stdout.Bytes) + string(res.Stderr.Bytes)
	}

	It("does its work in the jail", func(ctx SpecContext) {
		script := `set -e; mkdir d; echo text >d/f; chmod 700 d/f; ln d/f g; mv g d/g; ln -s f d/h; cat d/h; mkfifo p; rm -r d p`
		Expect(output(ctx, sh(script))).To(Equal("text\n"))
	})

	DescribeTable("cannot read outside",
		func(ctx SpecContext, script string) {
			c := sh(script)
			c.Env = append(c.Env, "OUT="+outside)
			res := run(ctx, c)
			Expect(string(res.Stdout.Bytes)).To(BeEmpty())
			Expect(res.ExitCode).NotTo(HaveValue(BeZero()))
		},
		Entry("by absolute path", `cat $OUT/secret`),
		Entry("by ..", `cat ../jail-evil/secret`),
		Entry("by a symbolic link in the jail", `cat out/secret`),
		Entry("by a symbolic link it makes", `ln -s $OUT here 2>/dev/null; cat here/secret`),
		Entry("by changing into it", `cd $OUT && cat secret`),
		Entry("by /proc", `cat /proc/self/root$OUT/secret /proc/self/cwd/../jail-evil/secret`),
		Entry("by a hard link", `ln $OUT/secret here; cat here`),
		Entry("by listing it", `ls $OUT`),
		Entry("the password hashes", `cat /etc/shadow`),
		Entry("by copying it", `cp -r $OUT copy; cat copy/secret`),
		Entry("what is none of its business", `ls /var/log /etc/ssh /boot`),
	)

	DescribeTable("cannot write outside",
		func(ctx SpecContext, script string) {
			c := sh(script)
			c.Env = append(c.Env, "OUT="+outside)
			run(ctx, c)
			Expect(os.ReadFile(filepath.Join(outside, "secret"))).To(BeEquivalentTo("outside the jail\n"))
			Expect(os.ReadDir(outside)).To(HaveLen(1))
			Expect(os.ReadDir(filepath.Dir(jail))).To(HaveLen(2))
		},
		Entry("over a file", `echo x >$OUT/secret`),
		Entry("over a file by a symbolic link", `echo x >out/secret`),
		Entry("at the end of a file", `echo x >>$OUT/secret`),
		Entry("by truncating", `truncate -s 0 $OUT/secret`),
		Entry("a new file", `: >$OUT/new`),
		Entry("a new file by ..", `: >../jail-evil/new; : >../new`),
		Entry("a new directory", `mkdir $OUT/new`),
		Entry("a new fifo", `mkfifo $OUT/new`),
		Entry("a new symbolic link", `ln -s x $OUT/new`),
		Entry("by moving a file out", `: >f; mv f $OUT/f`),
		Entry("by moving a file in", `mv $OUT/secret .`),
		Entry("by removing", `rm -rf $OUT/secret`),
		Entry("by moving the jail", `mv $PWD $PWD.moved`),
	)

	It("cannot write the system", func(ctx SpecContext) {
		Expect(run(ctx, sh(`touch /usr/bin/mark /etc/mark /mark /dev/mark`)).ExitCode).NotTo(HaveValue(BeZero()))
		Expect("/usr/bin/mark").NotTo(BeAnExistingFile())
		Expect("/etc/mark").NotTo(BeAnExistingFile())
	})

	It("cannot set the kernel's parameters, which uid 0 may write without any privilege", func(ctx SpecContext) {
		const file = "/proc/sys/kernel/core_pattern"
		res := run(ctx, sh(`v=$(cat `+file+`); echo "$v" >`+file))
		Expect(res.ExitCode).NotTo(HaveValue(BeZero()))
	})

	It("cannot change files through its standard input", func(ctx SpecContext) {
		if !r.namespaces {
			Skip("Landlock does not cover it, and the report says so")
		}
		Expect(output(ctx, try("chmod-stdin"))).NotTo(ContainSubstring("done"))
	})

	if !r.scope {
		killSpecs(r, func() string { return jail }, run)
		return // the filter and the view are the first rung's
	}

	DescribeTable("is refused",
		func(ctx SpecContext, c func() sandbox.Command, errno string) {
			Expect(output(ctx, c())).To(ContainSubstring(errno))
		},
		Entry("an Internet socket", func() sandbox.Command { return try("socket", "2") }, "permission denied"),
		Entry("an IPv6 socket", func() sandbox.Command { return try("socket", "10") }, "permission denied"),
		Entry("a Unix socket", func() sandbox.Command { return try("socket", "1") }, "permission denied"),
		Entry("a netlink socket", func() sandbox.Command { return try("socket", "16") }, "permission denied"),
		Entry("a packet socket", func() sandbox.Command { return try("socket", "17") }, "permission denied"),
		Entry("tracing", func() sandbox.Command { return try("ptrace", "1") }, "not permitted"),
		Entry("mounting", func() sandbox.Command { return try("mount", "/usr") }, "not permitted"),
		Entry("making the system writable again", func() sandbox.Command { return try("remount") }, "not permitted"),
		Entry("chroot, from which root gets out", func() sandbox.Command { return try("chroot", ".") }, "not permitted"),
		Entry("a user namespace", func() sandbox.Command { return try("unshare") }, "not permitted"),
		Entry("a user namespace by clone", func() sandbox.Command { return try("clone-user") }, "not permitted"),
		Entry("a PID namespace", func() sandbox.Command { return try("clone-pid") }, "not permitted"),
		Entry("clone3, whose flags a filter cannot see", func() sandbox.Command { return try("clone3") }, "not implemented"),
		Entry("io_uring, which opens sockets past the filter", func() sandbox.Command { return try("io-uring") }, "not permitted"),
		Entry("bpf", func() sandbox.Command { return try("bpf") }, "not permitted"),
		Entry("the kernel's key rings", func() sandbox.Command { return try("keyctl") }, "not permitted"),
		Entry("semaphores, which outlive their process", func() sandbox.Command { return try("semget") }, "not permitted"),
		Entry("files by handle, which cross directories", func() sandbox.Command { return try("open-handle") }, "not permitted"),
		Entry("typing into a terminal", func() sandbox.Command { return try("tiocsti") }, "not permitted"),
		Entry("a signal to the server", func() sandbox.Command { return try("signal", strconv.Itoa(os.Getpid())) },
			map[bool]string{true: "no such process", false: "not permitted"}[r.namespaces]),
		Entry("limits on the server", func() sandbox.Command { return try("prlimit", strconv.Itoa(os.Getpid())) },
			map[bool]string{true: "no such process", false: "not permitted"}[r.namespaces]),
		Entry("priority of the server", func() sandbox.Command { return try("setpriority", strconv.Itoa(os.Getpid())) },
			map[bool]string{true: "no such process", false: "not permitted"}[r.namespaces]),
	)

	It("may do to itself what it may not do to others", func(ctx SpecContext) {
		Expect(output(ctx, try("prlimit-own"))).To(Equal("done\n"))
		Expect(output(ctx, try("nice"))).To(Equal("done\n"))
	})

	It("is killed for a 32-bit system call, whose number would mean another call", func(ctx SpecContext) {
		if runtime.GOARCH != "amd64" {
			Skip("int $0x80 is amd64's")
		}
		// mov $1, %eax; mov $7, %ebx; int $0x80: exit(7) in the 32-bit numbering.
		exe := machineCode(jail, 0xb8, 1, 0, 0, 0, 0xbb, 7, 0, 0, 0, 0xcd, 0x80)
		if err := exec.Command(exe.Path).Run(); err == nil || err.Error() != "exit status 7" {
			Skip("this kernel has no 32-bit system calls")
		}
		c := bare("code")
		c.Exe = exe
		Expect(run(ctx, c).Signal).To(Equal("SIGSYS"))
	})

	It("is without privileges, whoever the server runs as", func(ctx SpecContext) {
		status := output(ctx, sh(`cat /proc/self/status || { echo CapEff: 0000000000000000; echo NoNewPrivs: 1; }`))
		Expect(status).To(MatchRegexp(`CapEff:\s+0000000000000000\n`))
		Expect(status).To(MatchRegexp(`NoNewPrivs:\s+1\n`))
	})

	It("has the three descriptors and no terminal", func(ctx SpecContext) {
		Expect(output(ctx, sh(`for fd in 0 1 2 3 4 5 6 7 8 9; do (eval ": >&$fd") 2>/dev/null && echo -n $fd; done`))).To(Equal("012"))
		Expect(run(ctx, sh(`: </dev/tty`)).ExitCode).NotTo(HaveValue(BeZero()))
	})

	It("sees no process from outside", func(ctx SpecContext) {
		Expect(output(ctx, sh(`cat /proc/[0-9]*/cmdline | tr '\0' ' '`))).NotTo(ContainSubstring(filepath.Base(os.Args[0]) + " "))
		Expect(output(ctx, sh(`cat /proc/1/environ /proc/1/maps /proc/1/mem`))).NotTo(ContainSubstring("SANDBOX"))
	})

	It("is told what keeps it from starting", func(ctx SpecContext) {
		c := command("true")
		c.Dir = "out"
		_, err := l.Run(ctx, c)
		Expect(err).To(MatchError(sandbox.ErrEscapes))
		c.Dir = "missing"
		_, err = l.Run(ctx, c)
		Expect(err).To(MatchError(sandbox.ErrDirMissing))
		_, err = l.Run(ctx, command("true", strings.Repeat("x", 150<<10)))
		Expect(err).To(MatchError(sandbox.ErrStart))
		_, err = l.Run(ctx, command("true", strings.Repeat("x", 1<<20)))
		Expect(err).To(MatchError(sandbox.ErrStart))
		_, err = l.Run(ctx, command("true", "a\x00b"))
		Expect(err).To(MatchError(sandbox.ErrStart))
		Expect(run(ctx, command("true")).ExitCode).To(HaveValue(BeZero()))
	})

	It("is refused once the jail's root is another directory", func(ctx SpecContext) {
		Expect(os.Rename(jail, jail+".old")).To(Succeed())
		Expect(os.Mkdir(jail, 0o700)).To(Succeed())
		_, err := l.Run(ctx, command("true"))
		Expect(err).To(MatchError(sandbox.ErrGone))
	})

	Describe("what is allowed besides", func() {
		var read, write string

		BeforeEach(func() {
			read, write = newJail(), newJail()
			writeFile(filepath.Join(read, "tool"), "#!/bin/sh\necho a tool\n", 0o755)
			options.Read = append(options.Read, read)
			options.Write = append(options.Write, write)
		})

		It("can be read and run, or written, and no more", func(ctx SpecContext) {
			c := sh(`$READ/tool; echo x >$WRITE/f; chmod 755 $WRITE/f; cat $WRITE/f; echo y >$READ/tool || echo refused`)
			c.Env = append(c.Env, "READ="+read, "WRITE="+write)
			Expect(output(ctx, c)).To(And(HavePrefix("a tool\nx\n"), ContainSubstring("refused\n")))
			Expect(os.ReadDir(read)).To(HaveLen(1))
		})
	})

	When("the network is allowed", func() {
		var listener net.Listener

		BeforeEach(func() {
			options.Network = true
			var err error
			listener, err = net.Listen("tcp", "127.0.0.1:0")
			Expect(err).NotTo(HaveOccurred())
			DeferCleanup(listener.Close)
		})

		It("reaches this machine, and still no Unix socket", func(ctx SpecContext) {
			Expect(output(ctx, try("dial", "tcp", listener.Addr().String()))).To(Equal("done\n"))
			Expect(output(ctx, try("socket", "1"))).To(Equal("permission denied\n"))
			Expect(output(ctx, try("socket", "16"))).To(Equal("permission denied\n"))
			Expect(l.Report().Open).To(ContainElement(ContainSubstring("metadata")))
		})
	})

	Describe("metadata outside", func() {
		DescribeTable("cannot be changed",
			func(ctx SpecContext, what string) {
				if !r.namespaces {
					Skip("Landlock does not cover it, and the report says so")
				}
				secret := filepath.Join(outside, "secret")
				before, err := os.Stat(secret)
				Expect(err).NotTo(HaveOccurred())
				Expect(output(ctx, try(what, secret))).NotTo(ContainSubstring("done"))
				Expect(output(ctx, try(what, "/dev/null"))).NotTo(ContainSubstring("done"))
				after, err := os.Stat(secret)
				Expect(err).NotTo(HaveOccurred())
				Expect(after.Mode()).To(Equal(before.Mode()))
				Expect(after.ModTime()).To(Equal(before.ModTime()))
			},
			Entry("mode", "chmod"), Entry("times", "utime"), Entry("attributes", "setxattr"),
		)

		It("cannot be read", func(ctx SpecContext) {
			if !r.namespaces {
				Skip("Landlock does not cover it, and the report says so")
			}
			Expect(output(ctx, try("stat", filepath.Join(outside, "secret")))).To(ContainSubstring("no such file"))
		})
	})

	Describe("files that must stay as they are", func() {
		BeforeEach(func() {
			for _, dir := range []string{".git/hooks", ".git/info", ".git/refs"} {
				Expect(os.MkdirAll(filepath.Join(jail, dir), 0o700)).To(Succeed())
			}
			writeFile(filepath.Join(jail, ".git", "config"), "[core]\n", 0o600)
			writeFile(filepath.Join(jail, "policy.toml"), "allow = []\n", 0o600)
			Expect(os.Symlink(filepath.Join(outside, "secret"), filepath.Join(jail, "link"))).To(Succeed())
			Expect(os.Symlink("policy.toml", filepath.Join(jail, "inner"))).To(Succeed())
			options.ReadOnly = []string{
				filepath.Join(jail, "policy.toml"), filepath.Join(jail, "missing"),
				filepath.Join(jail, "link"), filepath.Join(jail, "inner"),
			}
		})

		DescribeTable("do",
			func(ctx SpecContext, script string) {
				if !r.namespaces {
					Skip("Landlock cannot take a file out of a writable tree, and the report says so")
				}
				run(ctx, sh(script))
				Expect(os.ReadFile(filepath.Join(jail, "policy.toml"))).To(BeEquivalentTo("allow = []\n"))
				Expect(os.ReadFile(filepath.Join(jail, ".git", "config"))).To(BeEquivalentTo("[core]\n"))
				Expect(os.ReadDir(filepath.Join(jail, ".git", "hooks"))).To(BeEmpty())
			},
			Entry("when written", `echo x >policy.toml; echo x >.git/config; echo x >.git/hooks/pre-commit`),
			Entry("when replaced", `echo x >n; mv n policy.toml; echo x >n; mv n .git/config`),
			Entry("when removed", `rm -rf policy.toml .git`),
			Entry("when their directory is moved", `mv .git old; mkdir -p .git/hooks; echo x >.git/config; : >.git/hooks/pre-commit`),
			Entry("when mounts are undone", `umount policy.toml .git/config .git/hooks .git; echo x >policy.toml`),
		)

		It("do not keep the rest of a repository from being written", func(ctx SpecContext) {
			Expect(output(ctx, sh(`echo x >.git/refs/head && cat .git/refs/head`))).To(Equal("x\n"))
		})

		It("leave git its work in a repository that was there before", func(ctx SpecContext) {
			find("git")
			Expect(os.RemoveAll(filepath.Join(jail, ".git"))).To(Succeed())
			Expect(exec.Command("git", "init", "-q", jail).Run()).To(Succeed())
			l := r.confined(options)
			res, err := l.Run(ctx, sh(`echo a >a && git add a && git -c user.name=n -c user.email=e commit -qm first && git checkout -qb other && git gc -q && git status --short && git log --oneline`))
			Expect(err).NotTo(HaveOccurred())
			Expect(string(res.Stdout.Bytes)).To(ContainSubstring("first"), string(res.Stderr.Bytes))
			if r.namespaces {
				res, err = l.Run(ctx, sh(`git config core.pager ./evil`))
				Expect(err).NotTo(HaveOccurred())
				Expect(res.ExitCode).NotTo(HaveValue(BeZero()))
			}
		})

		It("are not a way to read what a link in their place leads to", func(ctx SpecContext) {
			Expect(output(ctx, sh(`cat link`))).NotTo(ContainSubstring("outside the jail"))
		})
	})

	killSpecs(r, func() string { return jail }, run)
}

func killSpecs(r rung, jail func() string, run func(SpecContext, sandbox.Command) sandbox.Result) {
	It("ends with the status it would have elsewhere", func(ctx SpecContext) {
		Expect(run(ctx, sh("exit 3")).ExitCode).To(HaveValue(Equal(3)))
		Expect(run(ctx, sh("kill -SEGV $$")).Signal).To(Equal("SIGSEGV"))
		Expect(run(ctx, sh("sh -c 'kill -SEGV $$'; exit $?")).ExitCode).To(HaveValue(Equal(139)))
	})

	Describe("what it leaves behind", func() {
		DescribeTable("is ended with it and not waited for",
			func(ctx SpecContext, script string) {
				name := "left" + strconv.FormatInt(time.Now().UnixNano()%1e9, 36)
				c := sh(`cp /bin/sleep ` + name + `; S=./` + name + `; ` + script)
				c.Timeout = 10 * time.Second
				if !strings.Contains(script, "wait") {
					Expect(run(ctx, c).TimedOut).To(BeFalse())
				} else {
					c.Timeout = time.Second
					Expect(run(ctx, c).TimedOut).To(BeTrue())
				}
				Eventually(running).WithArguments(name).Should(BeZero())
			},
			Entry("in the background", `$S 60 & echo`),
			Entry("in a session of its own", `setsid $S 60 & sleep 0.2`),
			Entry("as a daemon", `(setsid sh -c "$S 60 & $S 60 &" &) ; sleep 0.2`),
			Entry("deaf to signals, at the time limit", `trap "" TERM INT HUP; (setsid $S 60 &) ; $S 60 & wait`),
		)

		It("and so with a program that leaves its own group", func(ctx SpecContext) {
			turncoat := compile(jail(), turncoatSource)
			c := bare(turncoat.Path)
			c.Exe, c.Timeout = turncoat, 300*time.Millisecond
			Expect(run(ctx, c).Duration).To(BeNumerically("<", 2*time.Second))
			Eventually(running).WithArguments("renegade").Should(BeZero())
		})

		It("and so with a program that forks away again and again", func(ctx SpecContext) {
			nasty := compile(jail(), nastySource)
			c := bare(nasty.Path)
			c.Exe, c.Timeout = nasty, 300*time.Millisecond
			for range 3 {
				Expect(run(ctx, c).TimedOut).To(BeTrue())
				Eventually(running).WithArguments("nasty").Should(BeZero())
			}
		})
	})
}

// running counts the machine's processes of that name.
func running(name string) int {
	files, _ := filepath.Glob("/proc/[0-9]*/comm")
	count := 0
	for _, file := range files {
		comm, err := os.ReadFile(file)
		if err == nil && strings.TrimSpace(string(comm)) == name && alive(filepath.Base(filepath.Dir(file))) {
			count++
		}
	}
	return count
}
