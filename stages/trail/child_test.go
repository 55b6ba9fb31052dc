//go:build unix

package trail_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/trail"
)

// The test binary doubles as another server on the same log: what two processes do to a
// file, or one that is killed, cannot be seen within one.
const childRole = "TRAIL_CHILD"

func TestMain(m *testing.M) {
	roles := map[string]func(*trail.Log, io.Reader, io.Writer) error{"serve": serve, "load": load, "busy": busy}
	role, ok := os.LookupEnv(childRole)
	if !ok {
		os.Exit(m.Run())
	}
	if err := live(roles[role]); err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
}

// live opens the log named by the environment for a role, and closes it after.
func live(role func(*trail.Log, io.Reader, io.Writer) error) error {
	most, err := strconv.ParseInt(os.Getenv("TRAIL_MAX_BYTES"), 10, 64)
	if err != nil {
		return err
	}
	l, err := trail.Open(trail.Options{Path: os.Getenv("TRAIL_LOG"), MaxBytes: most, Sync: trail.Sync(os.Getenv("TRAIL_SYNC"))})
	if err != nil {
		return err
	}
	if err := role(l, os.Stdin, os.Stdout); err != nil {
		return err
	}
	_, err = l.Close()
	return err
}

// serve obeys lines: "attempt ID", "outcome ID" and, to show what a stopped server does,
// "hold", which keeps the lock until the process ends.
func serve(l *trail.Log, in io.Reader, out io.Writer) error {
	fmt.Fprintln(out, "ready")
	for s := bufio.NewScanner(in); s.Scan(); {
		verb, id, _ := strings.Cut(s.Text(), " ")
		var err error
		switch verb {
		case "attempt":
			err = l.Append(context.Background(), attempt(id))
		case "outcome":
			err = l.Append(context.Background(), outcome(id))
		case "hold":
			fd, openErr := syscall.Open(os.Getenv("TRAIL_LOG"), syscall.O_RDONLY, 0)
			if err = openErr; err == nil {
				err = syscall.Flock(fd, syscall.LOCK_EX)
			}
		}
		if err != nil {
			fmt.Fprintln(out, "error", err)
			continue
		}
		fmt.Fprintln(out, "ok")
	}
	return nil
}

// load makes as many calls as its input says, 32 in flight, and reports what has grown
// over the last four fifths of them.
func load(l *trail.Log, in io.Reader, out io.Writer) error {
	var calls int
	if _, err := fmt.Fscan(in, &calls); err != nil {
		return err
	}
	if err := inFlight(l, calls/5); err != nil {
		return err
	}
	before := footprint()
	if err := inFlight(l, calls-calls/5); err != nil {
		return err
	}
	after := footprint()
	_, err := fmt.Fprintln(out, after.goroutines-before.goroutines, after.files-before.files, after.heap-before.heap)
	return err
}

func inFlight(l *trail.Log, calls int) error {
	var wg sync.WaitGroup
	var once sync.Once
	var first error
	work := make(chan struct{})
	for range 32 {
		wg.Go(func() {
			for range work {
				id := trail.NewEventID()
				for _, r := range []trail.Record{attempt(id), outcome(id)} {
					if err := l.Append(context.Background(), r); err != nil {
						once.Do(func() { first = err })
					}
				}
			}
		})
	}
	for range calls {
		work <- struct{}{}
	}
	close(work)
	wg.Wait()
	return first
}

type size struct{ goroutines, files, heap int }

func footprint() size {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	files, _ := os.ReadDir("/dev/fd")
	return size{runtime.NumGoroutine(), len(files), int(m.HeapAlloc)}
}

// busy lives like a server until it is killed: attempt, run, outcome, answer, over and
// over, eight in flight. What has run and what was answered it tells on standard output,
// whose pipe outlives it.
func busy(l *trail.Log, _ io.Reader, out io.Writer) error {
	fmt.Fprintln(out, "ready")
	for range 8 {
		go func() {
			for {
				id := trail.NewEventID()
				if l.Append(context.Background(), attempt(id)) != nil {
					continue
				}
				fmt.Fprintln(out, "ran", id) // one write: lines of several goroutines do not mix
				if l.Append(context.Background(), outcome(id)) == nil {
					fmt.Fprintln(out, "answered", id)
				}
			}
		}()
	}
	select {}
}

// child is a running copy of the test binary.
type child struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func startChild(role, log string, env ...string) *child {
	GinkgoHelper()
	self, err := os.Executable()
	Expect(err).NotTo(HaveOccurred())
	cmd := exec.Command(self)
	cmd.Env = append([]string{childRole + "=" + role, "TRAIL_LOG=" + log, "TRAIL_MAX_BYTES=0", "TRAIL_SYNC=attempt"}, env...)
	in, err := cmd.StdinPipe()
	Expect(err).NotTo(HaveOccurred())
	out, err := cmd.StdoutPipe()
	Expect(err).NotTo(HaveOccurred())
	Expect(cmd.Start()).To(Succeed())
	DeferCleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return &child{cmd, in, bufio.NewScanner(out)}
}

// say sends a line and returns the answer.
func (c *child) say(line string) string {
	GinkgoHelper()
	_, err := fmt.Fprintln(c.in, line)
	Expect(err).NotTo(HaveOccurred())
	return c.hear()
}

func (c *child) hear() string {
	GinkgoHelper()
	Expect(c.out.Scan()).To(BeTrue(), "the child has ended")
	return c.out.Text()
}
