package sandbox_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/sandbox"
)

// asServer as the first argument has the test binary play the server in a process of its own:
// JAIL MODE SCRIPT, which it runs by /bin/sh, hardened, and prints.
const asServer = "as-server"

func TestMain(m *testing.M) {
	sandbox.HelperMain(os.Args)
	if len(os.Args) > 4 && os.Args[1] == asServer {
		serve(sandbox.Options{Jail: os.Args[2], Slots: 1, Mode: sandbox.Mode(os.Args[3])}, os.Args[4])
		return
	}
	if len(os.Args) > 2 && os.Args[1] == asCommand {
		attempt(os.Args[2], os.Args[3:])
		return
	}
	os.Exit(m.Run())
}

func serve(o sandbox.Options, script string) {
	if err := sandbox.Harden(); err != nil {
		panic(err)
	}
	l, err := sandbox.New(o)
	if err != nil {
		panic(err)
	}
	exe, err := sandbox.Find(systemPath, "sh")
	if err != nil {
		panic(err)
	}
	c := shell(script)
	c.Exe = exe
	res, err := l.Run(noContext{}, c)
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(os.Stderr, l.Report())
	fmt.Printf("%s%s", res.Stdout.Bytes, res.Stderr.Bytes)
}

// noContext is what a process without a spec has for a context.
type noContext struct{}

func (noContext) Deadline() (time.Time, bool) { return time.Time{}, false }
func (noContext) Done() <-chan struct{}       { return nil }
func (noContext) Err() error                  { return nil }
func (noContext) Value(any) any               { return nil }

var systemPath = []string{"/usr/bin", "/bin"}

// find is Find in the system's directories; a spec that needs a program the system lacks is skipped.
func find(name string) sandbox.Executable {
	GinkgoHelper()
	exe, err := sandbox.Find(systemPath, name)
	if err != nil {
		Skip(err.Error())
	}
	return exe
}

// command is a run of a system program with roomy limits, in the jail's root.
func command(argv ...string) sandbox.Command {
	GinkgoHelper()
	c := bare(argv...)
	c.Exe = find(argv[0])
	return c
}

func bare(argv ...string) sandbox.Command {
	return sandbox.Command{
		Argv: argv, Env: []string{"PATH=/usr/bin:/bin"}, Dir: ".",
		Timeout: 20 * time.Second, MaxStdout: 1 << 20, MaxStderr: 1 << 20,
	}
}

// shell is a script in argv; Exe is the caller's to fill.
func shell(script string) sandbox.Command { return bare("sh", "-c", script) }

func sh(script string) sandbox.Command {
	GinkgoHelper()
	c := shell(script)
	c.Exe = find("sh")
	return c
}

// newJail is a directory free of symbolic links.
func newJail() string {
	GinkgoHelper()
	jail, err := filepath.EvalSymlinks(GinkgoT().TempDir())
	Expect(err).NotTo(HaveOccurred())
	return jail
}

func newLauncher(o sandbox.Options) *sandbox.Launcher {
	GinkgoHelper()
	l, err := sandbox.New(o)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(l.Close)
	return l
}

func writeFile(path, content string, mode os.FileMode) {
	GinkgoHelper()
	Expect(os.WriteFile(path, []byte(content), 0o600)).To(Succeed())
	Expect(os.Chmod(path, mode)).To(Succeed())
}
