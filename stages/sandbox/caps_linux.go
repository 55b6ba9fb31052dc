package sandbox

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// secureNoRoot makes an execve(2) by uid 0 give nothing, and locks that (capabilities(7), "The securebits flags").
const secureNoRoot = 1<<0 | 1<<1 | 1<<2 | 1<<3 | 1<<6 | 1<<7 // NOROOT, NO_SETUID_FIXUP, NO_CAP_AMBIENT_RAISE, each locked

// dropCapabilities leaves the calling thread, and what it starts, with no privilege and no way to any.
func dropCapabilities() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("clear ambient capabilities: %w", err)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var has [2]unix.CapUserData
	if err := unix.Capget(&header, &has[0]); err != nil {
		return fmt.Errorf("read capabilities: %w", err)
	}
	if has[0].Effective&(1<<unix.CAP_SETPCAP) != 0 { // without it there is nothing that could come back
		for c := uintptr(0); unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0) == nil; c++ {
		}
		if err := unix.Prctl(unix.PR_SET_SECUREBITS, secureNoRoot, 0, 0, 0); err != nil {
			return fmt.Errorf("set securebits: %w", err)
		}
	}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	return nil
}
