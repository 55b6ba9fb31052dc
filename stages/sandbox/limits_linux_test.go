package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/sandbox"
)

var _ = Describe("A limit", func() {
	for _, r := range []rung{rungs[0], rungs[len(rungs)-1]} {
		Context("by "+r.name, func() { limitSpecs(r) })
	}
})

func limitSpecs(r rung) {
	run := func(ctx SpecContext, limits sandbox.Limits, c sandbox.Command) sandbox.Result {
		GinkgoHelper()
		res, err := r.confined(sandbox.Options{Jail: newJail(), Limits: limits}).Run(ctx, c)
		Expect(err).NotTo(HaveOccurred())
		return res
	}

	It("of memory holds", func(ctx SpecContext) {
		c := command("dd", "bs=600M", "count=1", "if=/dev/zero", "of=/dev/null")
		res := run(ctx, sandbox.Limits{MaxMemoryBytes: 512 << 20}, c)
		Expect(string(res.Stderr.Bytes)).To(ContainSubstring("memory"))
	})

	It("of memory holds also below what the helper needs for itself", func(ctx SpecContext) {
		res := run(ctx, sandbox.Limits{MaxMemoryBytes: 64 << 20}, command("dd", "bs=300M", "count=1", "if=/dev/zero", "of=/dev/null"))
		Expect(string(res.Stderr.Bytes)).To(ContainSubstring("memory"))
		Expect(run(ctx, sandbox.Limits{MaxMemoryBytes: 64 << 20}, command("dd", "bs=1M", "count=1", "if=/dev/zero", "of=/dev/null")).ExitCode).To(HaveValue(BeZero()))
	})

	It("of a file's size holds", func(ctx SpecContext) {
		res := run(ctx, sandbox.Limits{MaxFileBytes: 1 << 20}, sh(`head -c 5000000 /dev/zero >file; stat -c %s file`))
		Expect(string(res.Stdout.Bytes)).To(Equal("1048576\n"))
	})

	It("of open files holds", func(ctx SpecContext) {
		res := run(ctx, sandbox.Limits{MaxOpenFiles: 100}, sh(`ulimit -n; ulimit -Hn`))
		Expect(string(res.Stdout.Bytes)).To(Equal("100\n100\n"))
	})

	It("of processor time holds", func(ctx SpecContext) {
		res := run(ctx, sandbox.Limits{MaxCPU: time.Second}, sh(`while :; do :; done`))
		Expect(res.ExitCode).To(HaveValue(Equal(137)))
	})

	It("cannot be raised", func(ctx SpecContext) {
		res := run(ctx, sandbox.Limits{MaxFileBytes: 1 << 20}, sh(`ulimit -f unlimited`))
		Expect(res.ExitCode).NotTo(HaveValue(BeZero()))
	})

	It("keeps cores from being written", func(ctx SpecContext) {
		res := run(ctx, sandbox.Limits{}, sh(`ulimit -c; ulimit -Hc`))
		Expect(string(res.Stdout.Bytes)).To(Equal("0\n0\n"))
	})

	It("of processes holds a fork bomb, and the next command runs", func(ctx SpecContext) {
		if !r.namespaces {
			Skip("it would have to run outside a PID namespace")
		}
		const most = 50
		jail := newJail()
		l := r.confined(sandbox.Options{Jail: jail, Limits: sandbox.Limits{MaxProcesses: most}})
		for _, open := range l.Report().Open {
			if strings.Contains(open, "max_processes") {
				Skip(open)
			}
		}
		// Each process keeps forking and so does each child, but none for more than ten seconds.
		bomb := compile(jail, `
			#include <sys/prctl.h>
			#include <time.h>
			#include <unistd.h>
			int main(void) {
				time_t begin = time(0);
				prctl(PR_SET_NAME, "bomb");
				while (time(0) - begin < 10)
					if (fork() < 0)
						usleep(1000);
			}`)
		c := bare(bomb.Path)
		c.Exe, c.Timeout = bomb, 1500*time.Millisecond
		done := make(chan sandbox.Result)
		go func() {
			defer GinkgoRecover()
			res, err := l.Run(ctx, c)
			Expect(err).NotTo(HaveOccurred())
			done <- res
		}()
		highest := 0
		Eventually(func() bool {
			highest = max(highest, running("bomb"))
			select {
			case res := <-done:
				return res.TimedOut
			default:
				return false
			}
		}, 10*time.Second).Should(BeTrue())
		Expect(highest).To(And(BeNumerically(">", 10), BeNumerically("<=", bombBound(most))))
		Eventually(running).WithArguments("bomb").Should(BeZero())
		res, err := l.Run(ctx, command("true"))
		Expect(err).NotTo(HaveOccurred())
		Expect(res.ExitCode).To(HaveValue(BeZero()))
	})
}

// goCache is where the standard library is compiled already: from nothing it takes a minute.
func goCache(goExe sandbox.Executable) string {
	GinkgoHelper()
	out, err := exec.Command(goExe.Path, "env", "GOCACHE").Output()
	Expect(err).NotTo(HaveOccurred())
	dir := strings.TrimSpace(string(out))
	Expect(os.MkdirAll(dir, 0o700)).To(Succeed())
	return dir
}

// bombBound is how many processes the limit lets through: of root only the PID namespace's own limit is a limit, and
// that has the numbers below 300 on top.
func bombBound(most int) int {
	if os.Geteuid() == 0 {
		return most + 64 + 300
	}
	return most + 64
}

var _ = Describe("Ordinary work", func() {
	for _, r := range []rung{rungs[0], rungs[len(rungs)-1]} {
		Context("by "+r.name, func() { workSpecs(r) })
	}
})

func workSpecs(r rung) {
	DescribeTable("goes on",
		func(ctx SpecContext, tool, script, want string) {
			find(tool)
			jail, cache := newJail(), newJail()
			l := r.confined(sandbox.Options{
				Jail: jail, Write: []string{cache}, Home: newJail(),
				Limits: sandbox.Limits{
					MaxProcesses: 512, MaxMemoryBytes: 4 << 30, MaxFileBytes: 1 << 30, MaxOpenFiles: 1024, MaxCPU: 300 * time.Second,
				},
			})
			c := sh("set -e\n" + script)
			c.Timeout = 2 * time.Minute
			c.Env = append(c.Env, "LANG=C.UTF-8", "HOME=/nonexistent", "TMPDIR="+cache, "GOCACHE="+cache, "GOFLAGS=-mod=mod", "GOPATH="+cache+"/go",
				"GOTOOLCHAIN=local", "npm_config_cache="+cache+"/npm", "npm_config_update_notifier=false")
			c.Env[0] = "PATH=/usr/local/go/bin:/usr/bin:/bin"
			res, err := l.Run(ctx, c)
			Expect(err).NotTo(HaveOccurred())
			Expect(res.ExitCode).To(HaveValue(BeZero()), "%s%s", res.Stdout.Bytes, res.Stderr.Bytes)
			Expect(string(res.Stdout.Bytes)).To(ContainSubstring(want), string(res.Stderr.Bytes))
		},
		Entry("ls, grep and find", "find", `echo text >f; ls -la; grep -rn text .; find . -name f -newermt 2000-01-01`, "./f:1:text"),
		Entry("git", "git", `git init -q; echo a >a; git add a; git -c user.name=n -c user.email=e commit -qm first; echo b >>a; git diff --stat; git log --oneline`, "1 file changed"),
		Entry("python with a child process", "python3", `python3 -c 'import subprocess as s; print(s.run(["echo", "child"], capture_output=True, text=True).stdout)'`, "child"),
		Entry("gcc and make", "make", `printf '#include <stdio.h>\nint main(void){puts("built");}\n' >m.c; printf 'm: m.c\n\tcc -o m m.c\n' >Makefile; make -s; ./m`, "built"),
		Entry("node with a child process", "node", `node -e 'console.log(require("child_process").execFileSync("echo", ["child"]).toString())'`, "child"),
		Entry("npm run", "npm", `echo '{"name":"x","version":"1.0.0","scripts":{"hello":"echo from-npm"}}' >package.json; npm run -s hello`, "from-npm"),
		Entry("perl and sort", "perl", `perl -e 'print "b\na\n"' | sort | head -1`, "a"),
		Entry("ps", "ps", `ps ax >list 2>&1 || true; echo survived`, "survived"),
	)

	It("goes on with go build, vet and test", func(ctx SpecContext) {
		goExe, err := sandbox.Find([]string{"/usr/local/go/bin", "/usr/bin"}, "go")
		if err != nil {
			Skip(err.Error())
		}
		jail, cache, built := newJail(), newJail(), goCache(goExe)
		writeFile(filepath.Join(jail, "go.mod"), "module example\n\ngo 1.26\n", 0o600)
		writeFile(filepath.Join(jail, "m.go"), "package example\n\nfunc Two() int { return 2 }\n", 0o600)
		writeFile(filepath.Join(jail, "m_test.go"), "package example\n\nimport \"testing\"\n\nfunc TestTwo(t *testing.T) { if Two() != 2 { t.Fail() } }\n", 0o600)
		l := r.confined(sandbox.Options{
			Jail: jail, Write: []string{cache, built},
			Limits: sandbox.Limits{MaxProcesses: 512, MaxMemoryBytes: 4 << 30, MaxFileBytes: 1 << 30, MaxOpenFiles: 1024},
		})
		for _, verb := range []string{"vet", "build", "test"} {
			c := bare("go", verb, "./...")
			c.Exe, c.Timeout = goExe, 4*time.Minute
			c.Env = []string{"PATH=/usr/local/go/bin:/usr/bin:/bin", "HOME=/nonexistent", "TMPDIR=" + cache, "GOCACHE=" + built, "GOTOOLCHAIN=local"}
			res, err := l.Run(ctx, c)
			Expect(err).NotTo(HaveOccurred())
			Expect(res.ExitCode).To(HaveValue(BeZero()), "%s: %s%s", verb, res.Stdout.Bytes, res.Stderr.Bytes)
		}
	})
}
