package sandbox

import (
	"time"

	"golang.org/x/sys/unix"
)

// A watch follows a command that has been started until its main process has ended. One poll(2) on one thread sees
// both streams, the end, the caller's wish to stop and the clock, so nothing is handed between goroutines.
type watch struct {
	pipes   *pipes
	ended   int    // readable once the main process has ended
	stop    int    // readable once the caller wants no more
	kill    func() // ends the command; ended follows
	force   func() // ends whoever was to end the command and did not within patience; may be nil
	scratch []byte
	null    int
}

// patience is how long a kill may take. More is a helper that hangs, or a process that the kernel cannot end yet.
const patience = 3 * time.Second

// until returns once the main process has ended, by itself or killed, and the streams hold all that it wrote.
func (w *watch) until(deadline time.Time) (timedOut, cancelled bool) {
	for {
		fds := [4]unix.PollFd{
			{Fd: int32(w.ended), Events: unix.POLLIN},
			{Fd: int32(w.stop), Events: unix.POLLIN},
			{Fd: int32(w.pipes.stdout.fd), Events: unix.POLLIN},
			{Fd: int32(w.pipes.stderr.fd), Events: unix.POLLIN},
		}
		wait := -1
		killed := timedOut || cancelled
		if killed {
			fds[1].Fd = -1 // negative descriptors are passed over
		}
		if !killed || w.force != nil {
			wait = int((remaining(deadline) + time.Millisecond - 1) / time.Millisecond)
		}
		n, err := unix.Poll(fds[:], wait)
		if err == unix.EINTR {
			continue
		}
		w.read(&w.pipes.stdout, fds[2].Revents)
		w.read(&w.pipes.stderr, fds[3].Revents)
		switch {
		case fds[0].Revents != 0:
			return timedOut, cancelled
		case killed:
			if w.force != nil && remaining(deadline) == 0 {
				w.force()
				w.force = nil
			}
		case fds[1].Revents != 0:
			cancelled = true
			deadline = w.end()
		case n == 0 || remaining(deadline) == 0: // a command that never stops printing never lets poll time out
			timedOut = true
			deadline = w.end()
		}
	}
}

// end kills the command and returns when that should be done.
func (w *watch) end() time.Time {
	w.kill()
	return time.Now().Add(patience)
}

func (w *watch) read(s *stream, events int16) {
	switch {
	case events&unix.POLLIN != 0:
		s.pull(w.scratch, w.null)
	case events != 0: // hung up and empty
		s.close()
	}
}

func (w *watch) settle() {
	w.pipes.stdout.settle(w.scratch, w.null)
	w.pipes.stderr.settle(w.scratch, w.null)
}

// remaining is the time until deadline, never negative.
func remaining(deadline time.Time) time.Duration { return max(0, time.Until(deadline)) }
