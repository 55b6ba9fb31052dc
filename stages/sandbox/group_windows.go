package sandbox

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// ownGroup does nothing: only the command's own process is ended on Windows; what it started goes on.
func ownGroup(*exec.Cmd) {}

func killGroup(*exec.Cmd) {}

// startable refuses batch files: cmd.exe would parse their arguments as a command line of its own (CVE-2024-24576).
func startable(path string) error {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".bat", ".cmd":
		return fmt.Errorf("%w %s: batch files are not run", ErrStart, path)
	}
	return nil
}

func ending(cmd *exec.Cmd) (*int, string) {
	code := cmd.ProcessState.ExitCode()
	return &code, ""
}
