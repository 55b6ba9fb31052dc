//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"
)

// afterEnd is how long a background child that holds the streams can delay the answer.
const afterEnd = 100 * time.Millisecond

// A groupSlot runs one command at a time by os/exec. Only what stays in the command's process group is killed with it.
type groupSlot struct {
	root *root

	mu     sync.Mutex
	cancel context.CancelFunc // of the running command
	over   bool
}

func newGroupSlot(r *root) (*groupSlot, error) { return &groupSlot{root: r}, nil }

func (s *groupSlot) run(ctx context.Context, c Command) (Result, error) {
	dir, err := s.root.resolve(c.Dir)
	if err != nil {
		return Result{}, err
	}
	timed, cancel := context.WithTimeout(s.interruptible(ctx), c.Timeout)
	defer cancel()
	stdout, stderr := keeper{max: c.MaxStdout}, keeper{max: c.MaxStderr}
	cmd := exec.CommandContext(timed, c.Exe.Path)
	cmd.Args, cmd.Env, cmd.Dir = c.Argv, c.Env, dir
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &stdout, &stderr, afterEnd
	ownGroup(cmd)
	if err := startable(c.Exe.Path); err != nil {
		return Result{}, err
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return Result{}, fmt.Errorf("%w %s: %w", ErrStart, c.Exe.Path, err)
	}
	_ = cmd.Wait() // what it would say is in ProcessState
	killGroup(cmd)
	res := Result{Duration: time.Since(begin), Stdout: stdout.capture(), Stderr: stderr.capture()}
	res.TimedOut = errors.Is(timed.Err(), context.DeadlineExceeded)
	res.Cancelled = errors.Is(timed.Err(), context.Canceled)
	if !res.TimedOut && !res.Cancelled {
		res.ExitCode, res.Signal = ending(cmd)
	}
	return res, nil
}

// interruptible returns a context that also ends with [groupSlot.interrupt].
func (s *groupSlot) interruptible(ctx context.Context) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, s.cancel = context.WithCancel(ctx)
	if s.over {
		s.cancel()
	}
	return ctx
}

func (s *groupSlot) interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	if s.cancel != nil {
		s.cancel()
	}
}

func (s *groupSlot) close() {}

// A keeper is a writer that keeps its first max bytes and counts the rest.
type keeper struct {
	max   int
	kept  []byte
	total int64
	mu    sync.Mutex // os/exec may still copy when WaitDelay has passed
}

var _ io.Writer = (*keeper)(nil)

func (k *keeper) Write(b []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept = append(k.kept, b[:min(len(b), max(0, k.max-len(k.kept)))]...)
	k.total += int64(len(b))
	return len(b), nil
}

func (k *keeper) capture() Capture {
	k.mu.Lock()
	defer k.mu.Unlock()
	return Capture{Bytes: k.kept, Total: k.total}
}
