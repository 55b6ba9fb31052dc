package sandbox

import (
	"errors"
	"time"
)

// A Command is everything that one run depends on; nothing else of the server reaches it.
type Command struct {
	Exe  Executable
	Argv []string // from argv[0] on
	Env  []string // the whole environment, as "KEY=value"
	Dir  string   // relative to the jail's root, slash separated, free of symbolic links and ".."; "." is the root

	Timeout              time.Duration // wall clock, more than zero
	MaxStdout, MaxStderr int           // bytes kept of each stream; what comes after is drained and counted
}

// A Capture is the beginning of an output stream, and how long the stream was in all.
type Capture struct {
	Bytes []byte
	Total int64
}

// A Result tells how a command that was started came to its end.
type Result struct {
	Stdout, Stderr Capture
	ExitCode       *int   // nil when it did not run to its own end; 128+n when signal n ended it, as shells show it
	Signal         string // the name of that signal, such as "SIGSEGV", or ""
	TimedOut       bool
	Cancelled      bool // the context or [Launcher.Close] ended it, perhaps before it began
	Duration       time.Duration
}

// What [Launcher.Run] and [Find] answer when nothing was run.
var (
	ErrNotFound     = errors.New("sandbox: no such executable in the search path")
	ErrChanged      = errors.New("sandbox: the executable is not the one found at startup")
	ErrEscapes      = errors.New("sandbox: the working directory leads out of the jail")
	ErrDirMissing   = errors.New("sandbox: the working directory does not exist")
	ErrNotDirectory = errors.New("sandbox: the working directory is not a directory")
	ErrGone         = errors.New("sandbox: the jail's root was removed or replaced")
	ErrStart        = errors.New("sandbox: cannot start") // wraps the errno of execve(2): ENOEXEC, E2BIG, EACCES
	ErrClosed       = errors.New("sandbox: the launcher is closed")
)

// ErrHelper says that the helper died, or could not be started again. Nothing of the command runs any more; what it
// had done until then is not known.
var ErrHelper = errors.New("sandbox: the helper is gone")
