package sandbox

import (
	"fmt"
	"math"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Harden closes two ways from a command into the process that started it. Descriptors that came from our own parent
// without close-on-exec would be open in every command (close_range(2)); and /proc/PID/environ, mem and fd of a
// process of the same user are readable unless it is not dumpable (PR_SET_DUMPABLE(2const)). Call it once, at startup, before [New].
// Afterwards an ordinary user's process cannot open its own /proc/self/fd either.
func Harden() error {
	if err := closeOnExec(); err != nil {
		return fmt.Errorf("mark inherited descriptors: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("set not dumpable: %w", err)
	}
	return nil
}

// closeOnExec marks every descriptor from 3 on. CLOSE_RANGE_CLOEXEC came with Linux 5.11.
func closeOnExec() error {
	if unix.CloseRange(3, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return nil
	}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}
