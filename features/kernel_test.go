package features_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/envelope"
	. "hardened-terminal-mcp/pipeline/pipelinetest"
)

// rung is what the server says of its kernel jail in _meta.
func (s *server) rung() int {
	GinkgoHelper()
	c := s.call("run_command", map[string]any{"command": "no-such-command"})
	Expect(c.meta).To(HaveKey("sandbox"))
	return int(c.meta["sandbox"].(map[string]any)["rung"].(float64))
}

// needs skips a spec when a program is not installed.
func needs(programs ...string) {
	GinkgoHelper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			Skip(p + " is not installed")
		}
	}
}

var _ = Describe("Guarantee: the kernel enforces the jail", func() {
	var w *world

	// confined starts a server whose commands run at the highest rung.
	confined := func(names string, more ...string) *server {
		GinkgoHelper()
		w.allows(names, more...)
		text, err := os.ReadFile(w.policy)
		Expect(err).NotTo(HaveOccurred())
		w.write(w.policy, strings.Replace(string(text), fmt.Sprintf("sandbox.write = [%q]\n", w.out), "", 1)) // out is outside here
		s := w.serve()
		if s.rung() != 1 {
			Skip("this kernel or container has no user namespaces or no Landlock: " + string(s.stderr.Contents()))
		}
		return s
	}

	BeforeEach(func() {
		if runtime.GOOS != "linux" {
			Skip("the kernel jail is Linux's")
		}
		w = newWorld()
		w.write(filepath.Join(w.out, "secret.txt"), "OUTSIDE-SECRET\n")
		w.write(filepath.Join(w.jail, "inside.txt"), "inside\n")
	})

	Describe("on files", func() {
		DescribeTable("nothing outside is read", func(script string) {
			Expect(os.Symlink("../out", filepath.Join(w.jail, "link"))).To(Succeed())
			w.program("try", strings.NewReplacer("{OUT}", w.out, "{LOG}", w.log, "{POLICY}", w.policy, "{HOME}", w.root).Replace(script))
			s := confined("try")
			r := s.run("try")
			Expect(r.Stdout + r.Stderr).NotTo(ContainSubstring("OUTSIDE-SECRET"))
			Expect(r.ExitCode).To(HaveValue(Not(BeZero())), "%s%s", r.Stdout, r.Stderr)
		},
			Entry("by absolute path", "cat {OUT}/secret.txt"),
			Entry("by dot-dot", "cat ../out/secret.txt"),
			Entry("by a symlink in the jail", "cat link/secret.txt"),
			Entry("by /proc/self/root", "cat /proc/self/root{OUT}/secret.txt"),
			Entry("by the working directory of another process", "cat /proc/1/cwd{OUT}/secret.txt"),
			Entry("by a hard link into the jail", "ln {OUT}/secret.txt here && cat here"),
			Entry("a system file that is nobody's business", "cat /etc/shadow"),
			Entry("the home directory", "ls {HOME}"),
			Entry("the audit log", "cat {LOG}"),
			Entry("the policy", "cat {POLICY}"),
		)

		DescribeTable("nothing outside is changed", func(script string) {
			target := filepath.Join(w.out, "secret.txt")
			before, err := os.Stat(target)
			Expect(err).NotTo(HaveOccurred())
			w.program("try", strings.NewReplacer("{OUT}", w.out, "{LOG}", w.log, "{POLICY}", w.policy).Replace(script))
			s := confined("try")
			policy, err := os.ReadFile(w.policy)
			Expect(err).NotTo(HaveOccurred())
			Expect(s.run("try").ExitCode).To(HaveValue(Not(BeZero())))

			after, err := os.Stat(target)
			Expect(err).NotTo(HaveOccurred())
			Expect(after.Mode()).To(Equal(before.Mode()))
			Expect(after.ModTime()).To(Equal(before.ModTime()))
			Expect(os.ReadFile(target)).To(BeEquivalentTo("OUTSIDE-SECRET\n"))
			Expect(filepath.Join(w.out, "new")).NotTo(BeAnExistingFile())
			Expect(os.ReadFile(w.policy)).To(Equal(policy))
			w.records() // the log still parses
		},
			Entry("written", "echo x > {OUT}/secret.txt"),
			Entry("appended to", "echo x >> {OUT}/secret.txt"),
			Entry("created", "echo x > {OUT}/new"),
			Entry("removed", "rm {OUT}/secret.txt"),
			Entry("renamed into the jail", "mv {OUT}/secret.txt here"),
			Entry("truncated", "truncate -s 0 {OUT}/secret.txt"),
			Entry("chmodded", "chmod 777 {OUT}/secret.txt"),
			Entry("touched", "touch -d 2003-01-01 {OUT}/secret.txt"),
			Entry("the audit log", "echo x >> {LOG}"),
			Entry("the policy", "echo x >> {POLICY}"),
			Entry("in /tmp", "echo x > /tmp/htmcp-feature-$$"),
			Entry("by a mount", "mount -t tmpfs none {OUT}"),
			Entry("by remounting", "mount -o remount,rw / && echo x > {OUT}/new"),
		)

		It("the jail, the cache and what the policy names are there", func() {
			extra, shown := filepath.Join(w.root, "extra"), filepath.Join(w.root, "shown")
			for _, d := range []string{extra, shown} {
				Expect(os.Mkdir(d, 0o755)).To(Succeed())
				w.write(filepath.Join(d, "f"), "granted\n")
			}
			w.program("use", strings.Join([]string{
				"set -e", "cat inside.txt", "echo x > made", "cat " + shown + "/f", "echo x > " + extra + "/made",
				"echo x > $KEEP/made", "echo x > /dev/null", "head -c 1 /dev/zero > z",
			}, "\n"))
			w.program("write-shown", "echo x > "+shown+"/new")
			s := confined("use write-shown", fmt.Sprintf("sandbox.read = [%q]", shown), fmt.Sprintf("sandbox.write = [%q]", extra), `env.set.KEEP = "{CACHE}"`)
			r := s.run("use")
			Expect(r).To(HaveRun(0), r.Stderr)
			Expect(r.Stdout).To(Equal("inside\ngranted\n"))
			Expect(filepath.Join(extra, "made")).To(BeARegularFile())
			Expect(s.run("write-shown").ExitCode).To(HaveValue(Not(BeZero())))
		})

		It("git's hooks and config and a policy in the jail cannot be written, and git commit works", func() {
			needs("git")
			w.bash("git init -q jail && cp policy.toml jail/policy.toml 2>/dev/null || echo 'allow = []' > jail/policy.toml")
			w.program("plant", "echo x > .git/hooks/pre-commit; echo x >> .git/config; echo x > .git/info/attributes; echo x >> policy.toml; true")
			w.program("commit", "git add inside.txt && git -c user.name=t -c user.email=t@example.invalid commit -q -m one && git log --oneline | wc -l")
			w.allows("plant commit git")
			w.write(filepath.Join(w.jail, "policy.toml"), strings.ReplaceAll(string(mustRead(w.policy)), fmt.Sprintf("sandbox.write = [%q]\n", w.out), ""))
			s := w.serve("--policy", filepath.Join(w.jail, "policy.toml"))
			if s.rung() != 1 {
				Skip("needs mount namespaces")
			}
			config, policy := mustRead(filepath.Join(w.jail, ".git/config")), mustRead(filepath.Join(w.jail, "policy.toml"))
			s.run("plant")
			Expect(filepath.Join(w.jail, ".git/hooks/pre-commit")).NotTo(BeAnExistingFile())
			Expect(filepath.Join(w.jail, ".git/info/attributes")).NotTo(BeAnExistingFile())
			Expect(mustRead(filepath.Join(w.jail, ".git/config"))).To(Equal(config))
			Expect(mustRead(filepath.Join(w.jail, "policy.toml"))).To(Equal(policy))
			r := s.run("commit")
			Expect(r).To(HaveRun(0), r.Stderr)
			Expect(strings.TrimSpace(r.Stdout)).To(Equal("1"))
		})

		DescribeTable("a write entry that would open what must be closed refuses the start:", func(key func() string) {
			w.allows("ls")
			text := strings.Replace(string(mustRead(w.policy)), fmt.Sprintf("[%q]", w.out), fmt.Sprintf("[%q]", key()), 1)
			w.write(w.policy, text)
			o := w.do("serve")
			Expect(o.status).To(Equal(2), o.stderr)
			Expect(o.stderr).To(ContainSubstring(key()))
		},
			Entry("the policy", func() string { return w.policy }),
			Entry("the directory of the log", func() string { return w.root }),
			Entry("the server's binary", func() string { return filepath.Dir(binary) }),
		)
	})

	Describe("on the network", func() {
		connect := `python3 -c 'import socket,sys; s=socket.create_connection((sys.argv[1],int(sys.argv[2])),2); print(s.recv(9).decode())' `

		listen := func() (host, port string) {
			GinkgoHelper()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			Expect(err).NotTo(HaveOccurred())
			DeferCleanup(l.Close)
			go func() {
				for {
					c, err := l.Accept()
					if err != nil {
						return
					}
					c.Write([]byte("REACHED"))
					c.Close()
				}
			}()
			host, port, err = net.SplitHostPort(l.Addr().String())
			Expect(err).NotTo(HaveOccurred())
			return host, port
		}

		It("there is none", func() {
			needs("python3")
			host, port := listen()
			w.program("connect", connect+host+" "+port)
			r := confined("connect").run("connect")
			Expect(r.Stdout).NotTo(ContainSubstring("REACHED"))
			Expect(r.ExitCode).To(HaveValue(Not(BeZero())))
		})

		It("there is IP and nothing else when the policy opens it, with a warning", func() {
			needs("python3")
			host, port := listen()
			path := filepath.Join(w.jail, "sock")
			l, err := net.Listen("unix", path)
			Expect(err).NotTo(HaveOccurred())
			DeferCleanup(l.Close)
			w.program("connect", connect+host+" "+port)
			w.program("unix", `python3 -c 'import socket; s=socket.socket(socket.AF_UNIX); s.connect("sock"); print("REACHED")'`)
			s := confined("connect unix", "sandbox.network = true")
			Expect(s.run("connect").Stdout).To(Equal("REACHED\n"))
			r := s.run("unix")
			Expect(r.Stdout).NotTo(ContainSubstring("REACHED"))
			Expect(r.ExitCode).To(HaveValue(Not(BeZero())))
			Eventually(s.stderr.Contents).Should(ContainSubstring("sandbox.network is true"))
		})
	})

	Describe("on processes", func() {
		nasty := `trap '' TERM HUP INT
(setsid sh -c 'trap "" TERM; (setsid sh -c "trap \"\" TERM; while :; do sleep 61; done" &) ; while :; do sleep 62; done' &)
echo started`

		It("nothing outlives the time limit: setsid, double fork, SIGTERM ignored, stdout held", func() {
			w.program("nasty", nasty+"; sleep 60")
			s := confined("nasty", `limits.timeout = "500ms"`)
			for range 5 {
				r := s.run("nasty")
				Expect(r.Code).To(Equal(envelope.Timeout))
				Expect(r.Stdout).To(Equal("started\n"))
				Eventually(w.commands).Should(BeEmpty())
			}
		})

		It("nothing is left by a command that exits, and the answer does not wait", func() {
			w.program("nasty", nasty)
			s := confined("nasty")
			r := s.run("nasty")
			Expect(r).To(HaveRun(0))
			Expect(r.DurationMS).To(BeNumerically("<", 10000))
			Eventually(w.commands).Should(BeEmpty())
		})

		DescribeTable("nothing outlives", func(end func(s *server, id int)) {
			w.program("nasty", nasty+"; sleep 60")
			s := confined("nasty")
			id, _ := s.tool("run_command", map[string]any{"command": "nasty"})
			w.started()
			end(s, id)
			Eventually(w.commands).WithTimeout(6 * time.Second).Should(BeEmpty())
		},
			Entry("a cancellation", func(s *server, id int) {
				s.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": map[string]any{"requestId": id}})
			}),
			Entry("the end of the server", func(s *server, _ int) { s.signal(15) }),
			Entry("the death of the server", func(s *server, _ int) { s.signal(9) }),
		)

		It("nobody else's is seen, nor is there a terminal", func() {
			w.program("look", "ls -d /proc/[0-9]* | wc -l; cat /proc/[0-9]*/cmdline | tr '\\0' ' '; cat /proc/1/environ; ls -l /proc/1/fd; cat /proc/1/mem | head -c 1; true")
			w.program("tty", "exec 3<>/dev/tty && echo terminal")
			w.env = append(w.env, "SECRET_TOKEN=srv-secret-1")
			s := confined("look tty")
			r := s.run("look")
			Expect(r.Stdout).NotTo(ContainSubstring("srv-secret-1"))
			Expect(r.Stdout).NotTo(ContainSubstring("features.test"))
			Expect(r.Stdout).NotTo(ContainSubstring(w.policy))
			Expect(s.run("tty").Stdout).To(BeEmpty())
		})

		It("a command cannot signal the server or its helper", func() {
			w.program("kills", "kill -9 -1; kill -9 1; kill -9 $PPID; echo still here")
			s := confined("kills")
			s.run("kills")
			Expect(s.request("ping", map[string]any{}).Error).To(BeNil())
			Expect(s.run("kills").Code).NotTo(Equal(envelope.InternalError))
			Expect(w.outcomes()).To(HaveLen(3), "the rung was asked for once")
		})
	})

	Describe("on resources", func() {
		It("processes: many children stay bounded, and the server answers", func() {
			w.program("bomb", "i=0; while [ $i -lt 300 ]; do sleep 30 & i=$((i+1)); done; wait")
			w.program("fine", "echo fine")
			s := confined("bomb fine", `limits.max_processes = 64`, `limits.timeout = "3s"`)
			_, answer := s.tool("run_command", map[string]any{"command": "bomb"})
			w.started()
			Consistently(func() int { return len(w.commands()) }).WithTimeout(time.Second).Should(BeNumerically("<", 200), "64, and the room that the helper has for its own threads")
			Expect(s.explain("fine").OK).To(BeTrue())
			result(await(answer))
			Eventually(w.commands).Should(BeEmpty())
			Expect(s.run("fine").Stdout).To(Equal("fine\n"))
		})

		It("files: none grows over the limit", func() {
			w.program("grow", "head -c 10000000 /dev/zero > big")
			r := confined("grow", "limits.max_file_bytes = 1000000").run("grow")
			Expect(r.ExitCode).To(HaveValue(Not(BeZero())))
			info, err := os.Stat(filepath.Join(w.jail, "big"))
			Expect(err).NotTo(HaveOccurred())
			Expect(info.Size()).To(BeNumerically("<=", 1000000))
		})

		It("memory: an allocation over the limit fails", func() {
			needs("python3")
			s := confined("python3", "limits.max_memory_bytes = 1073741824")
			Expect(s.run(`python3 -c "x=bytearray(100000000)"`)).To(HaveRun(0))
			Expect(s.run(`python3 -c "x=bytearray(2000000000)"`).ExitCode).To(HaveValue(Not(BeZero())))
		})

		It("memory: a limit lower than the launcher itself could live with takes no rung away", func() {
			w.program("try", "cat "+w.out+"/secret.txt")
			confined("try") // this machine has the highest rung
			w.allows("try", "limits.max_memory_bytes = 10000000")
			w.write(w.policy, strings.Replace(string(mustRead(w.policy)), fmt.Sprintf("sandbox.write = [%q]\n", w.out), "", 1))
			s := w.serve()
			Expect(s.rung()).To(Equal(1))
			Expect(s.run("try").Stdout).NotTo(ContainSubstring("OUTSIDE-SECRET"))
		})

		It("processor time: many short commands use none of each other's", func() {
			w.program("work", "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done")
			s := confined("work", `limits.max_cpu = "1s"`)
			for range 20 {
				Expect(s.run("work")).To(HaveRun(0))
			}
		})

		It("processor time: a loop ends", func() {
			w.program("spin", "while :; do :; done")
			r := confined("spin", `limits.max_cpu = "1s"`).run("spin")
			Expect(r.Code).To(Equal(envelope.OK))
			Expect(r.PolicyReason).To(Or(ContainSubstring("SIGXCPU"), ContainSubstring("SIGKILL")))
		})

		It("descriptors: as many as the policy says", func() {
			w.program("fds", "ulimit -n")
			Expect(confined("fds", "limits.max_open_files = 256").run("fds").Stdout).To(Equal("256\n"))
		})
	})

	Describe("and ordinary work goes on inside:", func() {
		DescribeTable("it works", func(programs, setup, script string) {
			needs(strings.Fields(programs)...)
			w.bash("cd jail\n" + setup)
			w.program("work", "set -e\nexport TMPDIR=$KEEP npm_config_cache=$KEEP/npm GOCACHE="+goCache()+" GOFLAGS=-mod=mod GOPROXY=off\n"+script)
			s := confined("work", `env.set.KEEP = "{CACHE}"`, `limits.timeout = "120s"`, fmt.Sprintf("sandbox.write = [%q]", goCache()))
			_, answer := s.tool("run_command", map[string]any{"command": "work"})
			var r reply
			Eventually(answer).WithTimeout(150 * time.Second).Should(Receive(&r))
			Expect(result(r).CommandResult).To(HaveRun(0), r.line)
		},
			Entry("ls, grep, find", "find", "mkdir d && echo hay > d/f", "ls -la; grep -rn hay .; find . -name f"),
			Entry("git", "git", "", "git init -q r; cd r; echo x > f; git add f; git -c user.name=t -c user.email=t@example.invalid commit -q -m m; git log --oneline; git diff"),
			Entry("go", "go", `printf 'module m\n\ngo 1.26\n' > go.mod; printf 'package m\n\nfunc F() int { return 1 }\n' > m.go; printf 'package m\n\nimport "testing"\n\nfunc TestF(t *testing.T) {\n\tif F() != 1 {\n\t\tt.Fatal()\n\t}\n}\n' > m_test.go`,
				"export PATH=/usr/local/go/bin:$PATH; go build ./...; go vet ./...; go test ./..."),
			Entry("node", "node", `printf 'console.log(1+1)\n' > a.js`, "node a.js"),
			Entry("npm run", "npm", `printf '{"scripts":{"hi":"node -e 1"}}\n' > package.json`, "npm run hi"),
			Entry("python3 with a subprocess", "python3", "", `python3 -c 'import subprocess; print(subprocess.check_output(["ls"]))'`),
			Entry("gcc and make", "gcc make", `printf 'int main(void){return 0;}\n' > a.c; printf 'a: a.c\n\tgcc -o a a.c\n' > Makefile`, "make a; ./a"),
		)
	})

	Describe("as far as the machine lets it", func() {
		It("says which rung it took and what that leaves open, on stderr and with each result", func() {
			s := confined("ls")
			Eventually(s.stderr.Contents).Should(ContainSubstring("kernel jail: rung 1"))
			c := s.call("run_command", map[string]any{"command": "ls"})
			Expect(c.meta["sandbox"]).To(And(HaveKey("confinement"), HaveKey("kill"), HaveKey("open")))
		})

		It("is switched off only by the policy, with a warning", func() {
			w.program("try", "cat "+w.out+"/secret.txt")
			w.allows("try", `sandbox.mode = "off"`)
			s := w.serve()
			Expect(s.run("try").Stdout).To(Equal("OUTSIDE-SECRET\n"))
			Expect(s.rung()).To(Equal(5))
			Eventually(s.stderr.Contents).Should(ContainSubstring("sandbox.mode is off"))
		})

		Context("without user namespaces, as in many containers", func() {
			// denied starts the server in a user namespace that may have no further ones.
			denied := func(names string, more ...string) *server {
				GinkgoHelper()
				needs("unshare")
				w.allows(names, more...)
				w.write(w.policy, strings.Replace(string(mustRead(w.policy)), fmt.Sprintf("sandbox.write = [%q]\n", w.out), "", 1))
				w.wrapper = []string{"unshare", "--user", "--map-current-user", "--keep-caps", "sh", "-c", `echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"`, "sh"}
				probe := exec.Command(w.wrapper[0], append(w.wrapper[1:], "true")...)
				if out, err := probe.CombinedOutput(); err != nil {
					Skip("cannot take user namespaces away here: " + string(out))
				}
				return w.serve()
			}

			It("takes Landlock alone, and still keeps files and the network closed", func() {
				w.program("try", "cat "+w.out+"/secret.txt; echo x > "+w.out+"/new; cat inside.txt; echo x > made")
				s := denied("try")
				if s.rung() != 2 {
					Skip("no Landlock here: " + string(s.stderr.Contents()))
				}
				r := s.run("try")
				Expect(r.Stdout).To(Equal("inside\n"))
				Expect(filepath.Join(w.out, "new")).NotTo(BeAnExistingFile())
				Expect(filepath.Join(w.jail, "made")).To(BeARegularFile())
				Eventually(s.stderr.Contents).Should(ContainSubstring("not confined: "))
			})

			It("still ends the whole tree", func() {
				w.program("nasty", "(setsid sh -c 'trap \"\" TERM; while :; do sleep 61; done' &); echo started; sleep 60")
				s := denied("nasty", `limits.timeout = "500ms"`)
				if s.rung() != 2 {
					Skip("no Landlock here")
				}
				Expect(s.run("nasty").Code).To(Equal(envelope.Timeout))
				Eventually(w.commands).Should(BeEmpty())
			})
		})
	})
})

// goCache is this machine's build cache: compiling the library anew takes
// minutes on a small machine.
func goCache() string {
	GinkgoHelper()
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	Expect(err).NotTo(HaveOccurred())
	return strings.TrimSpace(string(out))
}

func mustRead(path string) []byte {
	GinkgoHelper()
	data, err := os.ReadFile(path)
	Expect(err).NotTo(HaveOccurred())
	return data
}
