package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// helperWord as the first argument makes the program the helper. It is no command of the program's own.
const helperWord = "sandbox-helper"

// Descriptors that the helper is started with.
const (
	controlFD   = 3
	firstSlotFD = 4
)

// A setup is all that the helper is told: nothing of the policy, the audit trail or the environment.
type setup struct {
	Jail        string
	Slots       int
	Namespaces  bool // the helper was cloned into namespaces of its own
	Network     bool
	Read, Write []string
	ReadOnly    []string
	Home        string
	Limits      Limits
	Landlock    int // the highest ABI to use, 0 for the kernel's
}

// A readiness is the helper's answer to its setup.
type readiness struct {
	Err      string // why it cannot confine anything; then it ends
	Landlock int    // the ABI in use, 0 without
	Proc     bool   // there is a /proc of the commands' own
	PIDs     bool   // the PID namespace has a limit of its own
	Sweep    bool   // a slot can kill all that is left of its command, and only that
}

// HelperMain must be called first thing in main, with os.Args, by every program that uses a [Launcher] with a [Mode]
// other than [Off]. It returns at once, unless the program was started by a Launcher as its helper; then it confines
// itself, starts commands until the Launcher is gone, and never returns.
func HelperMain(args []string) {
	if len(args) != 2 || args[1] != helperWord || os.Getenv(helperGuard) == "" {
		return
	}
	runtime.LockOSThread() // for reapOrphans, and before anything can move this goroutine
	if unix.Gettid() != unix.Getpid() {
		_ = syscall.Exec("/proc/self/exe", args, os.Environ()) // something did: begin again
		os.Exit(1)
	}
	h := &helper{}
	if err := h.prepare(); err != nil {
		h.answer(readiness{Err: err.Error()})
		os.Exit(1)
	}
	h.answer(h.ready)
	go h.endWithServer()
	h.reapOrphans()
}

// helperGuard in the environment marks the helper, so that a program which forgot to call HelperMain, and would
// start one helper in the other, is stopped at the first.
const helperGuard = "SANDBOX_HELPER"

// A helper is the process that starts the commands. In a PID namespace it is process 1, so all ends with it.
type helper struct {
	setup setup
	ready readiness
	root  *root
	null  int
	rules *ruleset
	calls *filter
	slots sync.WaitGroup // the threads that serve
}

func (h *helper) prepare() error {
	if err := closeOnExec(); err != nil {
		return fmt.Errorf("mark descriptors: %w", err)
	}
	message := make([]byte, maxSetup)
	n, err := unix.Read(controlFD, message)
	if err != nil {
		return fmt.Errorf("read setup: %w", err)
	}
	if err := json.Unmarshal(message[:n], &h.setup); err != nil {
		return fmt.Errorf("read setup: %w", err)
	}
	if _, err := unix.Setsid(); err != nil {
		return fmt.Errorf("leave session: %w", err) // with it goes the controlling terminal
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("set not dumpable: %w", err)
	}
	others := 0
	if h.setup.Namespaces {
		if err := buildView(h.setup, &h.ready); err != nil {
			return err
		}
		others = ownTasks(h.setup.Slots)
	} else {
		// Orphans then come to us and not to a process 1 that may not collect them.
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("become subreaper: %w", err)
		}
		others = tasksOf(os.Getuid()) + roomForOthers
	}
	if err := h.open(); err != nil {
		return err
	}
	if err := h.setup.Limits.apply(others, h.setup.Slots); err != nil {
		return err
	}
	return h.startSlots()
}

// roomForOthers is how many more processes the user may start outside before commands cannot start theirs, where
// RLIMIT_NPROC counts both.
const roomForOthers = 1024

// open takes hold of all that the commands need, in the tree that they will see: a descriptor from outside would lead
// back out (fchmod(2) through it changed files there).
func (h *helper) open() (err error) {
	if h.root, err = openRoot(h.setup.Jail); err != nil {
		return fmt.Errorf("open jail: %w", err)
	}
	if h.null, err = unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0); err != nil {
		return fmt.Errorf("open /dev/null: %w", err)
	}
	if h.calls, err = newFilter(h.setup.Network, !h.setup.Namespaces); err != nil {
		return err
	}
	abi := landlockABI(h.setup.Landlock)
	rules, err := newRuleset(h.setup, abi, h.ready.Proc)
	switch {
	case err == nil:
		h.rules, h.ready.Landlock = &rules, abi
	case !h.setup.Namespaces:
		return err
	}
	// A PID namespace that holds a single slot's commands is as good a border as Landlock's.
	h.ready.Sweep = h.ready.Landlock >= scopedABI || h.setup.Namespaces && h.setup.Slots == 1
	return nil
}

func (h *helper) startSlots() error {
	started := make(chan error)
	for i := range h.setup.Slots {
		t := &slotThread{helper: h, socket: firstSlotFD + i}
		h.slots.Add(1)
		onOwnThread(func() {
			defer h.slots.Done()
			err := t.restrict()
			started <- err
			if err == nil {
				t.serve()
			}
		})
	}
	var err error
	for range h.setup.Slots {
		err = errors.Join(err, <-started)
	}
	return err
}

func (h *helper) answer(r readiness) {
	b, err := json.Marshal(r)
	if err == nil {
		_, err = unix.Write(controlFD, b)
	}
	if err != nil {
		os.Exit(1)
	}
}

// endWithServer ends the helper when the server closes its end or dies. In a PID namespace everything ends with it;
// elsewhere each slot first kills what it runs, which it does when its own socket is closed.
func (h *helper) endWithServer() {
	for {
		n, err := unix.Read(controlFD, make([]byte, 1))
		if err == unix.EINTR || n > 0 {
			continue
		}
		if !h.setup.Namespaces {
			h.slots.Wait()
		}
		os.Exit(0)
	}
}

// reapOrphans collects what commands left behind and what was then killed. It must not collect the commands
// themselves, whose slots wait for their status: those are children of the slots' threads, orphans become children of
// the main thread (__WNOTHREAD in wait(2)).
//
// All other signals are caught and dropped, for a command can send them to the thread that started it, with which it
// shares a Landlock domain; process 1 is safe only from those it does not catch.
func (h *helper) reapOrphans() {
	dropped := make(chan os.Signal, 1)
	for s := syscall.Signal(1); s < 65; s++ {
		if s != unix.SIGCHLD && s != unix.SIGURG && s != unix.SIGKILL && s != unix.SIGSTOP {
			signal.Notify(dropped, s)
		}
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, unix.SIGCHLD)
	for range ended {
		for {
			pid, err := syscall.Wait4(-1, nil, unix.WNOHANG|unix.WNOTHREAD, nil)
			if err != syscall.EINTR && pid <= 0 {
				break
			}
		}
	}
}
