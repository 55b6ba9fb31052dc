package sandbox

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// A slotThread is one slot's thread in the helper: confined once, it starts one command after the other, which
// inherit its confinement. That is what makes a confined start cost little more than a bare one.
type slotThread struct {
	*helper
	socket int  // to the server
	sweeps bool // what is left of a command is killed by kill(-1), and that hits nothing else
}

// restrict confines the calling thread for good. The order is the kernel's: privileges go before Landlock, which needs
// no_new_privs, and the filter comes last, since it refuses some of these very calls.
func (t *slotThread) restrict() error {
	if err := unix.Unshare(unix.CLONE_FS); err != nil {
		return fmt.Errorf("unshare working directory: %w", err)
	}
	if err := dropCapabilities(); err != nil {
		return err
	}
	if t.rules != nil {
		if err := t.rules.apply(); err != nil {
			return err
		}
	}
	if err := t.calls.apply(); err != nil {
		return err
	}
	t.sweeps = t.ready.Sweep && t.scopeHolds()
	if t.ready.Sweep && !t.sweeps {
		return errors.New("landlock does not keep signals inside")
	}
	return nil
}

// scopeHolds makes sure that kill(-1) will end at the domain's border, before it is ever tried: without the scope it
// would end every process of the user. Inside a PID namespace there is no parent to try it on, and nobody to hit.
func (t *slotThread) scopeHolds() bool {
	return os.Getpid() == 1 || unix.Kill(os.Getppid(), 0) == unix.EPERM
}

// serve carries out the server's requests until it closes the socket.
func (t *slotThread) serve() {
	defer unix.Close(t.socket) // the server then knows
	message := make([]byte, maxRequest+1)
	control := make([]byte, unix.CmsgSpace(2*4))
	for {
		n, cn, _, _, err := unix.Recvmsg(t.socket, message, control, unix.MSG_CMSG_CLOEXEC)
		switch {
		case err == unix.EINTR:
		case err != nil || n == 0:
			return
		case string(message[:n]) == killRequest: // came too late: the command had ended
		default:
			if t.reply(t.carry(message[:n], control[:cn])) != nil {
				return
			}
		}
	}
}

func (t *slotThread) reply(r reply) error {
	for {
		if _, err := unix.Write(t.socket, r.bytes()); err != unix.EINTR {
			return err
		}
	}
}

// carry takes one command from its start until nothing of it is left.
func (t *slotThread) carry(message, control []byte) reply {
	out, err := receivedFiles(control)
	if err != nil {
		return refusal(err)
	}
	defer func() {
		for _, fd := range out {
			unix.Close(fd)
		}
	}()
	c, err := parseRequest(message)
	if err != nil {
		return refusal(err)
	}
	if err := t.root.enter(c.Dir); err != nil {
		return refusal(err)
	}
	pidfd := -1
	pid, err := syscall.ForkExec(c.Exe.Path, c.Argv, &syscall.ProcAttr{
		Env:   c.Env,
		Files: []uintptr{uintptr(t.null), uintptr(out[0]), uintptr(out[1])},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, PidFD: &pidfd},
	})
	if err != nil {
		return refusal(err)
	}
	unlimited := t.tighten(pid)
	if unlimited != nil {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
	t.await(pid, pidfd)
	t.sweep(pid)
	status := reap(pid)
	unix.Close(pidfd)
	if unlimited != nil {
		return refusal(unlimited)
	}
	return reply{replyEnded, uint32(status)}
}

func receivedFiles(control []byte) ([]int, error) {
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil || len(messages) != 1 {
		return nil, errors.Join(errors.New("request without descriptors"), err)
	}
	files, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(files) != 2 {
		return nil, errors.Join(errors.New("request without two descriptors"), err)
	}
	return files, nil
}

// await returns when the main process has ended; when the server asks for it, or is gone, it kills the command first.
func (t *slotThread) await(pid, pidfd int) {
	fds := []unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}, {Fd: int32(t.socket), Events: unix.POLLIN}}
	for {
		if _, err := unix.Poll(fds, -1); err == unix.EINTR {
			continue
		}
		if fds[0].Revents != 0 {
			return
		}
		if fds[1].Revents != 0 {
			_, _ = unix.Read(t.socket, make([]byte, 1))
			t.sweep(pid)
			_ = unix.Kill(pid, unix.SIGKILL) // it may have joined another group
			fds = fds[:1]
		}
	}
}

// sweep kills whatever the command started. One kill(2) is enough: the kernel signals all of them before any can
// fork, and a fork that is under way fails. Where it would hit others, too, only the command's group is killed.
func (t *slotThread) sweep(pid int) {
	if t.sweeps {
		_ = unix.Kill(-1, unix.SIGKILL)
		return
	}
	_ = unix.Kill(-pid, unix.SIGKILL) // until it is reaped, the group's number is its own
}
