package sandbox_test

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// asCommand as the first argument has the test binary play a command that tries the named thing with the system call
// itself. It prints "done", or the errno that refused it.
const asCommand = "as-command"

func attempt(what string, args []string) {
	err := attempts[what](args)
	if err == nil {
		fmt.Println("done")
		return
	}
	fmt.Println(err)
	os.Exit(1)
}

var attempts = map[string]func(args []string) error{
	"chmod":       func(a []string) error { return os.Chmod(a[0], 0o777) },
	"chmod-stdin": func([]string) error { return os.Stdin.Chmod(0o666) }, // which is its mode already
	"utime":       func(a []string) error { return os.Chtimes(a[0], time.Unix(1, 0), time.Unix(1, 0)) },
	"setxattr":    func(a []string) error { return unix.Setxattr(a[0], "user.mark", []byte("x"), 0) },
	"stat":        func(a []string) error { _, err := os.Stat(a[0]); return err },
	"link":        func(a []string) error { return os.Link(a[0], a[1]) },
	"read":        func(a []string) error { _, err := os.ReadFile(a[0]); return err },
	"signal":      func(a []string) error { return syscall.Kill(number(a[0]), 0) },
	"signal-threads": func(a []string) error {
		tasks, err := os.ReadDir("/proc/" + a[0] + "/task")
		for _, task := range tasks {
			for s := syscall.Signal(1); s < 32; s++ {
				_ = unix.Tgkill(number(a[0]), number(task.Name()), s)
			}
		}
		return err
	},
	"socket": func(a []string) error { return socket(number(a[0]), unix.SOCK_STREAM) },
	"dial": func(a []string) error {
		c, err := net.DialTimeout(a[0], a[1], 5*time.Second)
		if err == nil {
			c.Close()
		}
		return err
	},
	"ptrace":      func(a []string) error { return unix.PtraceAttach(number(a[0])) },
	"prlimit":     func(a []string) error { return unix.Prlimit(number(a[0]), unix.RLIMIT_FSIZE, nil, &unix.Rlimit{}) },
	"prlimit-own": func([]string) error { return unix.Prlimit(0, unix.RLIMIT_FSIZE, nil, &unix.Rlimit{}) },
	"setpriority": func(a []string) error { return unix.Setpriority(unix.PRIO_PROCESS, number(a[0]), 10) },
	"nice":        func([]string) error { return unix.Setpriority(unix.PRIO_PROCESS, 0, 10) },
	"mount":       func(a []string) error { return unix.Mount("tmpfs", a[0], "tmpfs", 0, "") },
	"remount":     func([]string) error { return unix.Mount("", "/usr", "", unix.MS_REMOUNT|unix.MS_BIND, "") },
	"chroot":      func(a []string) error { return unix.Chroot(a[0]) },
	"unshare":     func([]string) error { return unix.Unshare(unix.CLONE_NEWUSER) },
	"clone-user":  func([]string) error { return start(unix.CLONE_NEWUSER) },
	"clone-pid":   func([]string) error { return start(unix.CLONE_NEWPID) },
	"io-uring":    func([]string) error { return call(unix.SYS_IO_URING_SETUP, 1, 0) },
	"bpf":         func([]string) error { return call(unix.SYS_BPF, 0, 0) },
	"keyctl":      func([]string) error { return call(unix.SYS_KEYCTL, 0, 0) },
	"semget":      func([]string) error { return call(unix.SYS_SEMGET, 0, 1) },
	"open-handle": func([]string) error { return call(unix.SYS_OPEN_BY_HANDLE_AT, 0, 0) },
	"clone3":      func([]string) error { return call(unix.SYS_CLONE3, 0, 0) },
	"tiocsti": func([]string) error {
		c := byte('x')
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, 0, unix.TIOCSTI, uintptr(unsafe.Pointer(&c)))
		return result(errno)
	},
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

func socket(family, kind int) error {
	fd, err := unix.Socket(family, kind, 0)
	if err == nil {
		unix.Close(fd)
	}
	return err
}

func start(flags uintptr) error {
	p, err := os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{Sys: &syscall.SysProcAttr{Cloneflags: flags}})
	if err == nil {
		_, err = p.Wait()
	}
	return err
}

func call(trap, a, b uintptr) error {
	_, _, errno := unix.Syscall(trap, a, b, 0)
	return result(errno)
}

func result(errno syscall.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}
