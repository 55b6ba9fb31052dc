package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Probe finds the rung that a launcher with these options would stand on, and leaves nothing running.
func Probe(o Options) (Report, error) {
	l, err := New(o)
	if err != nil {
		return Report{}, err
	}
	return l.Report(), l.Close()
}

// An Attempt is a harmless escape that [SelfTest] tried, and what came of it.
type Attempt struct {
	What    string
	Refused bool
	Skipped string // why it was not tried, "" when it was
}

// SelfTest tries an escape of each kind with the system's own programs, as an allowed command would, and reports what
// happened; it judges nothing by what the [Report] promises. It touches a temporary directory and nothing in the jail.
func SelfTest(ctx context.Context, l *Launcher) ([]Attempt, error) {
	outside, err := os.MkdirTemp("", "selftest")
	if err != nil {
		return nil, fmt.Errorf("make a place to escape to: %w", err)
	}
	defer os.RemoveAll(outside)
	t := tester{ctx: ctx, launcher: l, outside: outside, canary: filepath.Join(outside, "canary")}
	if err := os.WriteFile(t.canary, []byte(canaryText), 0o644); err != nil {
		return nil, fmt.Errorf("make something to read: %w", err)
	}
	return []Attempt{
		t.attempt("read a file outside the jail", t.read),
		t.attempt("write a file outside the jail", t.write),
		t.attempt("change the mode of a file outside the jail", t.chmod),
		t.attempt("run in a directory outside the jail", t.leave),
		t.attempt("look at the server's process", t.look),
		t.attempt("signal the server's process", t.signal),
		t.attempt("connect to a port of this machine", t.connect),
		t.attempt("leave a daemon behind", t.outlive),
	}, nil
}

const canaryText = "a command could read this"

type tester struct {
	ctx             context.Context
	launcher        *Launcher
	outside, canary string
}

// attempt puts one try into words; a program that the system lacks, or a launcher that cannot run, proves nothing.
func (t *tester) attempt(what string, try func() (escaped bool, err error)) Attempt {
	escaped, err := try()
	if err != nil {
		return Attempt{What: what, Skipped: err.Error()}
	}
	return Attempt{What: what, Refused: !escaped}
}

func (t *tester) run(dir string, argv ...string) (Result, error) {
	exe, err := Find([]string{"/usr/bin", "/bin"}, argv[0])
	if err != nil {
		return Result{}, err
	}
	return t.launcher.Run(t.ctx, Command{
		Exe: exe, Argv: argv, Env: []string{"PATH=/usr/bin:/bin"}, Dir: dir,
		Timeout: 5 * time.Second, MaxStdout: 64 << 10, MaxStderr: 64 << 10,
	})
}

func (t *tester) read() (bool, error) {
	res, err := t.run(".", "cat", t.canary)
	return bytes.Contains(res.Stdout.Bytes, []byte(canaryText)), err
}

func (t *tester) write() (bool, error) {
	file := filepath.Join(t.outside, "new")
	_, err := t.run(".", "touch", file)
	if err != nil {
		return false, err
	}
	_, err = os.Lstat(file)
	return err == nil, nil
}

func (t *tester) chmod() (bool, error) {
	if _, err := t.run(".", "chmod", "600", t.canary); err != nil {
		return false, err
	}
	info, err := os.Stat(t.canary)
	return err == nil && info.Mode().Perm() == 0o600, err
}

func (t *tester) leave() (bool, error) {
	_, err := t.run("..", "pwd")
	if errors.Is(err, ErrEscapes) {
		return false, nil
	}
	return err == nil, err
}

func (t *tester) look() (bool, error) {
	own, err := os.ReadFile("/proc/self/cmdline")
	if err != nil {
		return false, err
	}
	res, err := t.run(".", "cat", "/proc/"+strconv.Itoa(os.Getpid())+"/cmdline")
	return bytes.Equal(res.Stdout.Bytes, own), err
}

func (t *tester) signal() (bool, error) {
	res, err := t.run(".", "kill", "-0", strconv.Itoa(os.Getpid()))
	return res.ExitCode != nil && *res.ExitCode == 0, err
}

func (t *tester) connect() (bool, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return false, err
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return false, err
	}
	res, err := t.run(".", "bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/"+port) // bash opens sockets itself
	return res.ExitCode != nil && *res.ExitCode == 0, err
}

// outlive starts a daemon that is told from every other by its argument.
func (t *tester) outlive() (bool, error) {
	seconds := "20." + strconv.Itoa(os.Getpid())
	if _, err := t.run(".", "setsid", "-f", "sleep", seconds); err != nil {
		return false, err
	}
	for range 20 { // it has been killed, but may not have ended yet
		if !sleeping(seconds) {
			return false, nil
		}
		select {
		case <-t.ctx.Done():
			return false, t.ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	return true, nil
}

func sleeping(seconds string) bool {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		if line, err := os.ReadFile(file); err == nil && string(line) == "sleep\x00"+seconds+"\x00" {
			return true
		}
	}
	return false
}
