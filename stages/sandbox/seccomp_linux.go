package sandbox

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets in struct seccomp_data (seccomp(2)).
const (
	offNumber = 0
	offArch   = 4
	offArg0   = 16
	offArg1   = 24
)

// Actions (seccomp(2)).
const (
	actAllow = 0x7fff0000
	actErrno = 0x00050000
	actKill  = 0x80000000
)

// x32Bit marks the system calls of the x32 ABI, which share the architecture of x86-64 and would pass by a filter that
// knows only its numbers.
const x32Bit = 0x40000000

// A filter is a classic BPF program for seccomp(2) that refuses what it lists and allows the rest. Every rule ends in
// its own return, so no jump is longer than a rule.
type filter struct{ program []unix.SockFilter }

func (f *filter) op(code uint16, k uint32) {
	f.program = append(f.program, unix.SockFilter{Code: code, K: k})
}

// skipUnless jumps over n instructions unless the loaded word equals k.
func (f *filter) skipUnless(k uint32, n uint8) {
	f.program = append(f.program, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: n, K: k})
}

func (f *filter) load(offset uint32) { f.op(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, offset) }
func (f *filter) ret(action uint32)  { f.op(unix.BPF_RET|unix.BPF_K, action) }

// refuse answers errno to a call.
func (f *filter) refuse(call uint32, errno unix.Errno) {
	f.skipUnless(call, 1)
	f.ret(actErrno | uint32(errno))
}

// onlyIf answers errno to a call unless the low word of an argument is one of values: the kernel takes an int there.
func (f *filter) onlyIf(call, argument uint32, errno unix.Errno, values ...uint32) {
	f.skipUnless(call, uint8(2+2*len(values)))
	f.load(argument)
	for _, v := range values {
		f.skipUnless(v, 1)
		f.ret(actAllow)
	}
	f.ret(actErrno | uint32(errno))
}

// neverIf answers errno to a call when the low word of an argument is one of values.
func (f *filter) neverIf(call, argument uint32, errno unix.Errno, values ...uint32) {
	f.skipUnless(call, uint8(2+2*len(values)))
	f.load(argument)
	for _, v := range values {
		f.skipUnless(v, 1)
		f.ret(actErrno | uint32(errno))
	}
	f.ret(actAllow)
}

// neverWith answers errno to a call when an argument has any of the bits.
func (f *filter) neverWith(call, argument uint32, errno unix.Errno, bits uint32) {
	f.skipUnless(call, 4)
	f.load(argument)
	f.program = append(f.program, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jf: 1, K: bits})
	f.ret(actErrno | uint32(errno))
	f.ret(actAllow)
}

// newFilter builds what every command lives under. Alone says that there is no PID namespace, so that calls which
// reach other processes of the same user are let through for the caller itself only.
func newFilter(network, alone bool) (*filter, error) {
	if auditArch == 0 {
		return nil, fmt.Errorf("no system call filter for %s", runtime.GOARCH)
	}
	f := &filter{}
	f.load(offArch)
	f.skipUnless(auditArch, 1)
	f.program = append(f.program, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JA, K: 1})
	f.ret(actKill) // 32-bit calls have other numbers: none of the rules below would see them
	f.load(offNumber)
	f.program = append(f.program, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, Jf: 1, K: x32Bit})
	f.ret(actErrno | uint32(unix.ENOSYS))
	for _, call := range refusedCalls {
		f.refuse(call, unix.EPERM)
	}
	for _, call := range refusedCallsHere {
		f.refuse(call, unix.EPERM)
	}
	f.refuse(unix.SYS_CLONE3, unix.ENOSYS) // its flags lie in memory; libraries then take clone, whose flags can be seen
	f.neverWith(unix.SYS_CLONE, offArg0, unix.EPERM, unix.CLONE_NEWUSER)
	f.neverIf(unix.SYS_IOCTL, offArg1, unix.EPERM, unix.TIOCSTI, tioclinux) // CVE-2017-5226: typing into the terminal
	if network {
		f.onlyIf(unix.SYS_SOCKET, offArg0, unix.EACCES, unix.AF_INET, unix.AF_INET6)
	} else {
		f.refuse(unix.SYS_SOCKET, unix.EACCES)
	}
	if alone {
		for _, call := range selfOnlyCalls {
			f.onlyIf(call, offArg0, unix.EPERM, 0)
		}
		f.onlyIf(unix.SYS_SETPRIORITY, offArg1, unix.EPERM, 0)
		f.onlyIf(unix.SYS_IOPRIO_SET, offArg1, unix.EPERM, 0)
	}
	f.ret(actAllow)
	return f, nil
}

// tioclinux is TIOCLINUX, which pastes into a virtual console (ioctl_console(2)).
const tioclinux = 0x541c

// refusedCalls are what no ordinary tool calls and what has opened kernels before, or what reaches around the jail.
var refusedCalls = []uint32{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
	unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_SETNS, unix.SYS_UNSHARE,
	unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK,
	unix.SYS_MOUNT_SETATTR, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_FANOTIFY_INIT,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, // opens sockets past this filter
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_REBOOT,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_VHANGUP, unix.SYS_SYSLOG,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME,
	unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES,
	unix.SYS_SHMGET, unix.SYS_MSGGET, unix.SYS_SEMGET, unix.SYS_MQ_OPEN, // System V objects outlive their command
}

// selfOnlyCalls take a process first. Of another process of the same user they could stop the audit trail
// (prlimit(2) with RLIMIT_FSIZE) or starve the server.
var selfOnlyCalls = []uint32{
	unix.SYS_PRLIMIT64, unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM,
	unix.SYS_SCHED_SETATTR,
}

// apply puts the calling thread, and what it starts, under the filter; no_new_privs must be set.
func (f *filter) apply() error {
	program := unix.SockFprog{Len: uint16(len(f.program)), Filter: &f.program[0]}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, 1 /* SECCOMP_SET_MODE_FILTER */, 0, uintptr(unsafe.Pointer(&program)))
	runtime.KeepAlive(f)
	if errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	return nil
}
