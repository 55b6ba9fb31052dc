//go:build unix && !linux

package sandbox

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup puts the command into a process group of its own and has its end by context end the group.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// killGroup ends what the command left behind. The command itself is reaped by now, so when nothing is left its
// group's number could in theory be another's.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

func startable(string) error { return nil }

// ending puts a wait status as shells do.
func ending(cmd *exec.Cmd) (*int, string) {
	code, signal := cmd.ProcessState.ExitCode(), ""
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		code, signal = 128+int(status.Signal()), unix.SignalName(status.Signal())
	}
	return &code, signal
}
