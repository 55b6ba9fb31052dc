//go:build unix

package stdio

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// watch calls hangUp when the reader of out has closed its end, also while
// nothing is written: poll(2) reports POLLERR on a pipe without a reader. The
// returned function ends the watch.
func watch(out io.Writer, hangUp func()) (stop func()) {
	f, ok := out.(*os.File)
	if !ok {
		return func() {}
	}
	r, w, err := os.Pipe()
	if err != nil {
		return func() {}
	}
	fds := []unix.PollFd{{Fd: int32(f.Fd())}, {Fd: int32(r.Fd()), Events: unix.POLLIN}}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			_, err := unix.Poll(fds, -1)
			switch {
			case err == unix.EINTR:
				continue
			case err == nil && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0:
				hangUp()
			}
			return
		}
	}()
	return func() {
		w.Close()
		<-ended
		r.Close()
	}
}

// Claim takes standard output for the protocol: it returns a file that writes
// there and points descriptor 1 at standard error, so that a stray print cannot
// break the stream. Commands get neither.
func Claim() (*os.File, error) {
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, os.NewSyscallError("dup stdout", err)
	}
	if err := unix.Dup2(2, 1); err != nil {
		return nil, os.NewSyscallError("redirect stdout", err)
	}
	return os.NewFile(uintptr(fd), "stdout"), nil
}
