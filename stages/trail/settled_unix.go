//go:build unix

package trail

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// settledSize gives the size of a file at a moment when no server is writing to it. If the
// lock cannot be had soon, or at all, the size as it is must do.
func settledSize(f *os.File) (int64, error) {
	fd := int(f.Fd())
	for until := time.Now().Add(time.Second); time.Now().Before(until); time.Sleep(time.Millisecond) {
		if unix.Flock(fd, unix.LOCK_SH|unix.LOCK_NB) == nil {
			defer func() { _ = unix.Flock(fd, unix.LOCK_UN) }()
			break
		}
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// running reports whether a process exists.
func running(pid int) bool { return unix.Kill(pid, 0) != unix.ESRCH }
