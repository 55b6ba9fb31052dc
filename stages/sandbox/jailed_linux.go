package sandbox

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A jailedSlot runs one command at a time through its thread in the helper.
type jailedSlot struct {
	*bell
	host    *host
	index   int
	root    *root
	null    int
	scratch []byte
	request []byte

	generation *generation // of the helper that socket leads to
	socket     int
}

func newJailedSlot(h *host, index int, r *root) (*jailedSlot, error) {
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open /dev/null: %w", err)
	}
	b, err := newBell()
	if err != nil {
		return nil, errors.Join(err, unix.Close(null))
	}
	return &jailedSlot{bell: b, host: h, index: index, root: r, null: null, scratch: make([]byte, chunk), socket: -1}, nil
}

func (s *jailedSlot) run(ctx context.Context, c Command) (Result, error) {
	if err := s.root.check(); err != nil { // in the helper's view the jail is always there
		return Result{}, err
	}
	if err := s.connect(); err != nil {
		return Result{}, err
	}
	request, err := appendRequest(s.request[:0], c)
	if err != nil {
		return Result{}, err
	}
	s.request = request
	p, err := openPipes(c)
	if err != nil {
		return Result{}, fmt.Errorf("%w %s: %w", ErrStart, c.Exe.Path, err)
	}
	defer p.closeRead()
	release := s.interruptOn(ctx)
	defer release()
	begin := time.Now()
	err = unix.Sendmsg(s.socket, request, unix.UnixRights(p.write[:]...), nil, unix.MSG_NOSIGNAL)
	p.closeWrite()
	if err != nil {
		return Result{}, s.lost(err)
	}
	kill := func() { _ = unix.Send(s.socket, []byte(killRequest), unix.MSG_NOSIGNAL) }
	w := watch{
		pipes: p, ended: s.socket, stop: s.fd, kill: kill, force: s.generation.kill, scratch: s.scratch, null: s.null,
	}
	var res Result
	res.TimedOut, res.Cancelled = w.until(begin.Add(c.Timeout))
	answer, err := s.receive()
	if err != nil {
		return Result{}, s.lost(err)
	}
	if err := answer.err(c); err != nil {
		return Result{}, err
	}
	w.settle()
	res.Duration = time.Since(begin)
	res.Stdout, res.Stderr = p.stdout.capture(), p.stderr.capture()
	if !res.TimedOut && !res.Cancelled {
		res.ExitCode, res.Signal = ending(syscall.WaitStatus(answer.detail))
	}
	return res, nil
}

// connect makes sure that the slot's socket leads to the helper that lives.
func (s *jailedSlot) connect() error {
	g, socket, err := s.host.claim(s.index, s.generation)
	if err != nil {
		return err
	}
	if g != s.generation {
		s.disconnect()
		s.generation, s.socket = g, socket
	}
	return nil
}

func (s *jailedSlot) disconnect() {
	if s.socket >= 0 {
		unix.Close(s.socket)
		s.socket = -1
	}
}

func (s *jailedSlot) receive() (reply, error) {
	b := make([]byte, replySize+1)
	for {
		n, err := unix.Read(s.socket, b)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return reply{}, err
		}
		return parseReply(b[:n])
	}
}

// lost gives the helper up, if it is not dead already, so that the next run starts another.
func (s *jailedSlot) lost(err error) error {
	s.generation.kill()
	return fmt.Errorf("%w: %w", ErrHelper, err)
}

// close frees the slot; no command may be running.
func (s *jailedSlot) close() {
	s.disconnect()
	s.bell.close()
	unix.Close(s.null)
}
