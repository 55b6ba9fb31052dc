package sandbox

import (
	"errors"

	"golang.org/x/sys/unix"
)

const (
	chunk    = 64 << 10 // what a fresh pipe holds (pipe(7))
	widePipe = 1 << 20  // the most that /proc/sys/fs/pipe-max-size lets everybody have
)

// A stream is the reading end of a command's stdout or stderr. It keeps the first max bytes and counts the rest.
type stream struct {
	fd    int // -1 once the stream is at its end
	max   int
	kept  []byte
	total int64
	wide  bool
}

// pull takes what is there, blocking when nothing is, and tells how much it was.
func (s *stream) pull(scratch []byte, null int) int {
	n, err := s.take(scratch, null)
	if err == unix.EINTR {
		return 0
	}
	if err != nil || n == 0 {
		s.close()
		return 0
	}
	s.total += int64(n)
	if s.total >= chunk && !s.wide {
		// A command that prints much wakes us less often with a wide pipe. Refused when the user has too many; then not.
		s.wide = true
		_, _ = unix.FcntlInt(uintptr(s.fd), unix.F_SETPIPE_SZ, widePipe)
	}
	return n
}

// take reads into what is kept or, once that is full, lets the kernel throw the bytes away without copying them.
func (s *stream) take(scratch []byte, null int) (int, error) {
	room := s.max - len(s.kept)
	if room <= 0 {
		n, err := unix.Splice(s.fd, nil, null, nil, widePipe, 0)
		return int(n), err
	}
	n, err := unix.Read(s.fd, scratch)
	if n > 0 {
		s.kept = append(s.kept, scratch[:min(n, room)]...)
	}
	return n, err
}

// settle takes what is in the pipe now and no more: that is all the main process wrote before it ended, and a process
// that still holds the other end cannot keep us.
func (s *stream) settle(scratch []byte, null int) {
	if s.fd < 0 {
		return
	}
	left, err := unix.IoctlGetInt(s.fd, unix.TIOCINQ) // FIONREAD by its other name
	if err != nil {
		left = 0
	}
	for left > 0 && s.fd >= 0 {
		left -= s.pull(scratch, null)
	}
	s.close()
}

func (s *stream) close() {
	if s.fd >= 0 {
		unix.Close(s.fd)
		s.fd = -1
	}
}

func (s *stream) capture() Capture { return Capture{Bytes: s.kept, Total: s.total} }

// pipes are the two streams of a command, and the ends that the command writes to.
type pipes struct {
	stdout, stderr stream
	write          [2]int
}

func openPipes(c Command) (*pipes, error) {
	var out, err [2]int
	if e := unix.Pipe2(out[:], unix.O_CLOEXEC); e != nil {
		return nil, e
	}
	if e := unix.Pipe2(err[:], unix.O_CLOEXEC); e != nil {
		return nil, errors.Join(e, unix.Close(out[0]), unix.Close(out[1]))
	}
	return &pipes{
		stdout: stream{fd: out[0], max: c.MaxStdout},
		stderr: stream{fd: err[0], max: c.MaxStderr},
		write:  [2]int{out[1], err[1]},
	}, nil
}

// closeWrite leaves the command alone with the writing ends, so that its end is the streams' end.
func (p *pipes) closeWrite() {
	unix.Close(p.write[0])
	unix.Close(p.write[1])
}

func (p *pipes) closeRead() {
	p.stdout.close()
	p.stderr.close()
}
