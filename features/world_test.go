package features_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// A world is one test's own corner: a jail, a place outside it, a directory of
// programs, a policy and an audit log, under a temporary root.
type world struct {
	root, jail, out, bin string
	policy, log          string
	env                  []string   // of the server
	cwd                  string     // of the server; root when empty
	inherits             []*os.File // descriptors that the server starts with
	wrapper              []string   // a program that starts the server
}

func newWorld() *world {
	GinkgoHelper()
	root, err := filepath.EvalSymlinks(GinkgoT().TempDir())
	Expect(err).NotTo(HaveOccurred())
	w := &world{
		root: root, jail: filepath.Join(root, "jail"), out: filepath.Join(root, "out"), bin: filepath.Join(root, "bin"),
		policy: filepath.Join(root, "policy.toml"), log: filepath.Join(root, "audit.jsonl"),
	}
	for _, d := range []string{w.jail, w.out, w.bin} {
		Expect(os.Mkdir(d, 0o755)).To(Succeed())
	}
	w.env = []string{"HOME=" + root, "XDG_STATE_HOME=" + filepath.Join(root, "state"), "XDG_CACHE_HOME=" + filepath.Join(root, "cache"), "PATH=" + os.Getenv("PATH")}
	return w
}

// allows writes a policy that allows the commands, with more of policy.toml
// behind it. Programs are looked up in the world's bin first, and may write in
// its out, to leave marks.
func (w *world) allows(names string, more ...string) {
	GinkgoHelper()
	var list []string
	for name := range strings.FieldsSeq(names) {
		list = append(list, fmt.Sprintf("%q", name))
	}
	text := fmt.Sprintf("allow = [%s]\nenv.path = %q\nsandbox.write = [%q]\n%s\n",
		strings.Join(list, ", "), w.bin+":/usr/local/bin:/usr/bin:/bin", w.out, strings.Join(more, "\n"))
	w.write(w.policy, text)
}

// write writes a file.
func (w *world) write(path, text string) {
	GinkgoHelper()
	Expect(os.WriteFile(path, []byte(text), 0o644)).To(Succeed())
}

// program puts a shell script among the programs that can be allowed.
func (w *world) program(name, script string) {
	GinkgoHelper()
	path := filepath.Join(w.bin, name)
	w.write(path, "#!/bin/sh\n"+script+"\n")
	Expect(os.Chmod(path, 0o755)).To(Succeed())
}

// settings are the variables that point the server at this world.
func (w *world) settings() []string {
	return []string{"HTMCP_POLICY_FILE=" + w.policy, "HTMCP_JAIL_ROOT=" + w.jail, "HTMCP_AUDIT_LOG=" + w.log}
}

// command is the program with these arguments, in this world.
func (w *world) command(args ...string) *exec.Cmd {
	line := append(append(slices.Clone(w.wrapper), binary), args...)
	c := exec.Command(line[0], line[1:]...)
	c.Env = append(w.env, w.settings()...)
	c.Dir, c.ExtraFiles = w.root, w.inherits
	if w.cwd != "" {
		c.Dir = w.cwd
	}
	return c
}

// do runs the program to its end.
func (w *world) do(args ...string) outcome {
	GinkgoHelper()
	return finish(w.command(args...))
}

// An outcome is what a process left behind.
type outcome struct {
	stdout, stderr string
	status         int
}

func finish(c *exec.Cmd) outcome {
	GinkgoHelper()
	var stdout, stderr strings.Builder
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	if _, exited := err.(*exec.ExitError); !exited {
		Expect(err).NotTo(HaveOccurred())
	}
	return outcome{stdout.String(), stderr.String(), c.ProcessState.ExitCode()}
}

// times is how often a spec does what it repeats: a number that an environment
// variable may raise for a long run.
func times(variable string, usual int) int {
	GinkgoHelper()
	text := os.Getenv(variable)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	Expect(err).NotTo(HaveOccurred())
	return n
}
