package sandbox

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A groupSlot runs one command at a time in a process group, on a thread with a working directory of its own
// (unshare(2), CLONE_FS), so that directories are entered by descriptor: with PR_SET_DUMPABLE off an ordinary user
// cannot name them by /proc/self/fd. The thread stays for good, because a command gets SIGKILL when the thread that
// started it ends (PR_SET_PDEATHSIG).
type groupSlot struct {
	*bell
	root    *root
	null    int // /dev/null, the commands' standard input
	scratch []byte
	work    chan func()
}

func newGroupSlot(r *root) (*groupSlot, error) {
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open /dev/null: %w", err)
	}
	b, err := newBell()
	if err != nil {
		return nil, errors.Join(err, unix.Close(null))
	}
	s := &groupSlot{bell: b, root: r, null: null, scratch: make([]byte, chunk), work: make(chan func())}
	ready := make(chan error)
	onOwnThread(func() {
		if err := unix.Unshare(unix.CLONE_FS); err != nil {
			ready <- fmt.Errorf("unshare working directory: %w", err)
		} else {
			ready <- r.enter(".")
		}
		for f := range s.work {
			f()
		}
	})
	if err := <-ready; err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *groupSlot) run(ctx context.Context, c Command) (res Result, err error) {
	done := make(chan struct{})
	release := s.interruptOn(ctx)
	s.work <- func() {
		res, err = s.carry(c)
		close(done)
	}
	<-done
	release()
	return res, err
}

// carry takes a command from its start to its end, on the slot's own thread.
func (s *groupSlot) carry(c Command) (Result, error) {
	if err := s.root.enter(c.Dir); err != nil {
		return Result{}, err
	}
	p, err := openPipes(c)
	if err != nil {
		return Result{}, fmt.Errorf("%w %s: %w", ErrStart, c.Exe.Path, err)
	}
	defer p.closeRead()
	begin := time.Now()
	pidfd := -1
	pid, err := syscall.ForkExec(c.Exe.Path, c.Argv, &syscall.ProcAttr{
		Env:   c.Env,
		Files: []uintptr{uintptr(s.null), uintptr(p.write[0]), uintptr(p.write[1])},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, PidFD: &pidfd},
	})
	p.closeWrite()
	if err != nil {
		return Result{}, fmt.Errorf("%w %s: %w", ErrStart, c.Exe.Path, err)
	}
	defer unix.Close(pidfd)
	killGroup := func() {
		_ = unix.Kill(-pid, unix.SIGKILL)
		_ = unix.Kill(pid, unix.SIGKILL) // it may have joined another group
	}
	w := watch{pipes: p, ended: pidfd, stop: s.fd, kill: killGroup, scratch: s.scratch, null: s.null}
	var res Result
	res.TimedOut, res.Cancelled = w.until(begin.Add(c.Timeout))
	killGroup() // before the main process is reaped: until then nobody else can have the group's number
	w.settle()
	status := reap(pid)
	res.Duration = time.Since(begin)
	res.Stdout, res.Stderr = p.stdout.capture(), p.stderr.capture()
	if !res.TimedOut && !res.Cancelled {
		res.ExitCode, res.Signal = ending(status)
	}
	return res, nil
}

func reap(pid int) syscall.WaitStatus {
	var status syscall.WaitStatus
	for {
		if _, err := syscall.Wait4(pid, &status, 0, nil); err != syscall.EINTR {
			return status
		}
	}
}

// ending puts a wait status as shells do.
func ending(status syscall.WaitStatus) (*int, string) {
	code, signal := status.ExitStatus(), ""
	if status.Signaled() {
		code, signal = 128+int(status.Signal()), unix.SignalName(status.Signal())
	}
	return &code, signal
}

// close ends the slot's thread; no command may be running.
func (s *groupSlot) close() {
	close(s.work)
	unix.Close(s.null)
	s.bell.close()
}
