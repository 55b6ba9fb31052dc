package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A host keeps one helper process alive, and starts another when it died. It never starts commands any other way.
type host struct {
	setup setup

	mu     sync.Mutex
	now    *generation
	closed bool
}

// A generation is one helper process.
type generation struct {
	process *os.Process
	ready   readiness
	control int
	sockets []int // one a slot, -1 once the slot has taken it
	dead    chan struct{}
	lost    atomic.Bool // it was killed and did not end
}

const (
	maxSetup     = 128 << 10
	startTimeout = 4 * time.Second // a mount on a dead network file system hangs
)

// errSilent is a helper that crashed or hangs before it is ready. That says nothing about the kernel, so it must not
// lead to a lower rung: a limit that is too tight, or a slow machine, would otherwise take the jail away.
var errSilent = errors.New("helper does not answer")

// claim hands a slot the socket to the current helper, starting one when there is none. The socket is the slot's to
// close; have is the generation the slot has a socket of.
func (h *host) claim(slot int, have *generation) (*generation, int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, -1, ErrClosed
	}
	if h.now != nil && h.now.ended() {
		h.now.release()
		h.now = nil
	}
	if h.now == nil {
		g, err := startHelper(h.setup)
		if err != nil {
			return nil, -1, fmt.Errorf("%w: %w", ErrHelper, err)
		}
		h.now = g
	}
	if h.now == have {
		return have, -1, nil
	}
	socket := h.now.sockets[slot]
	h.now.sockets[slot] = -1
	return h.now, socket, nil
}

func (h *host) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	if h.now != nil {
		h.now.kill()
		h.now.release()
		h.now = nil
	}
}

func (g *generation) ended() bool {
	if g.lost.Load() {
		return true
	}
	select {
	case <-g.dead:
		return true
	default:
		return false
	}
}

// kill ends the helper, and with it all commands, and waits for that, but not for what the kernel cannot end.
func (g *generation) kill() {
	_ = g.process.Kill()
	select {
	case <-g.dead:
	case <-time.After(patience):
		g.lost.Store(true)
	}
}

func (g *generation) release() {
	for _, socket := range append(g.sockets, g.control) {
		if socket >= 0 {
			unix.Close(socket)
		}
	}
}

// startHelper starts the program itself as a helper and waits until that is ready.
func startHelper(s setup) (_ *generation, err error) {
	if os.Getenv(helperGuard) != "" {
		return nil, errors.New("sandbox: this program does not call HelperMain first in main")
	}
	g := &generation{control: -1, dead: make(chan struct{})}
	defer func() {
		if err != nil {
			g.release()
		}
	}()
	theirs, err := g.connect(s.Slots)
	if err == nil {
		err = g.start(helperCommand(s, theirs))
	}
	for _, f := range theirs { // or we would not see the helper's end come
		f.Close()
	}
	if err != nil {
		return nil, err
	}
	if err := g.handshake(s); err != nil {
		g.kill()
		return nil, err
	}
	return g, nil
}

// connect makes the sockets, the control's first, and returns the helper's ends.
func (g *generation) connect(slots int) (theirs []*os.File, err error) {
	for i := range 1 + slots {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return theirs, fmt.Errorf("socketpair: %w", err)
		}
		theirs = append(theirs, os.NewFile(uintptr(pair[1]), "helper"))
		if i == 0 {
			g.control = pair[0]
		} else {
			g.sockets = append(g.sockets, pair[0])
		}
	}
	return theirs, nil
}

// helperCommand is the running program once more, which /proc/self/exe names even after an upgrade replaced the file.
func helperCommand(s setup, files []*os.File) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", helperWord)
	cmd.Env = []string{helperGuard + "=1", "GOMAXPROCS=2"}
	cmd.ExtraFiles, cmd.Stderr = files, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if !s.Namespaces {
		return cmd // it has something to do when we die, see endWithServer
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	uid, gid := os.Geteuid(), os.Getegid()
	cmd.SysProcAttr.Cloneflags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWIPC | unix.CLONE_NEWPID
	if !s.Network {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWNET
	}
	cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
	cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	cmd.SysProcAttr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP}
	return cmd
}

// start starts the helper from a thread that lives as long as the helper: the parent-death signal comes when the
// thread ends, not the process.
func (g *generation) start(cmd *exec.Cmd) error {
	started := make(chan error)
	onOwnThread(func() {
		err := startDumpable(cmd)
		started <- err
		if err == nil {
			_ = cmd.Wait()
			close(g.dead)
		}
	})
	if err := <-started; err != nil {
		return fmt.Errorf("start helper: %w", err)
	}
	g.process = cmd.Process
	return nil
}

// startDumpable starts a command while this process is dumpable: the child's /proc/PID/uid_map, which we have to
// write, belongs to root as long as it is not. No command runs meanwhile that could make use of it, since the helper
// that would have started it is dead or not there yet.
func startDumpable(cmd *exec.Cmd) error {
	was, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	if err != nil {
		return err
	}
	if was != 1 {
		if err := unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0); err != nil {
			return err
		}
		defer func() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, uintptr(was), 0, 0, 0) }()
	}
	return cmd.Start()
}

func (g *generation) handshake(s setup) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if len(b) > maxSetup {
		return fmt.Errorf("a setup of %d bytes", len(b))
	}
	if err := unix.Send(g.control, b, unix.MSG_NOSIGNAL); err != nil {
		return fmt.Errorf("send setup: %w", err)
	}
	limit := unix.NsecToTimeval(startTimeout.Nanoseconds())
	if err := unix.SetsockoptTimeval(g.control, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit); err != nil {
		return err
	}
	answer := make([]byte, 4<<10)
	n, err := unix.Read(g.control, answer)
	for err == unix.EINTR {
		n, err = unix.Read(g.control, answer)
	}
	if err != nil || n == 0 {
		return errors.Join(errSilent, err)
	}
	if err := json.Unmarshal(answer[:n], &g.ready); err != nil {
		return fmt.Errorf("helper's answer: %w", err)
	}
	if g.ready.Err != "" {
		return errors.New(g.ready.Err)
	}
	return nil
}
