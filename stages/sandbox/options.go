package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// A Mode says how much confinement a launcher insists on.
type Mode string

// BestEffort takes the highest rung the kernel offers, perhaps the lowest; Required refuses to start without
// confinement of the file system; Off, which is also the zero Mode, is a process group and nothing else.
//
// With Required and BestEffort the program must call [HelperMain] first thing in main.
const (
	Off        Mode = "off"
	BestEffort Mode = "best-effort"
	Required   Mode = "required"
)

// Options say where commands run, how many at once, and what they can reach. All paths are absolute. Only Jail and
// Slots matter on the lowest rung.
type Options struct {
	Jail  string // the jail's root, free of symbolic links; readable, writable and executable
	Slots int    // commands that run at the same time; further ones wait

	// Path is the search path that programs were found in. Its directories are readable and executable besides the
	// system's; one that commands could write is refused, for there a command could choose what the next one is.
	Path []string

	Mode    Mode
	Network bool     // AF_INET and AF_INET6 in the host's network, loopback and metadata services included
	Read    []string // readable and executable besides the system's programs; what is missing is passed over
	Write   []string // readable, writable and executable besides the jail, such as the jail's cache
	Home    string   // the commands' empty HOME; readable

	// ReadOnly is what no command may write, such as the policy and the server's program. A Write entry that covers
	// one is refused. Inside the jail it is mounted read-only where there are mount namespaces, if it exists at the
	// start; on other rungs it is not protected there, and the [Report] says so. Git's config, hooks and info in the
	// jail's root are always on the list.
	ReadOnly []string
	// Hidden is what no command may even read, such as the audit log. Whatever would make it reachable is refused.
	Hidden []string

	Limits Limits

	// What specs take away from the kernel they run on.
	noNamespaces bool
	landlock     int // the highest Landlock ABI to use, 0 for the kernel's
}

// Limits are the kernel's limits on what commands use (setrlimit(2)). Zero leaves the server's own limit. All but
// MaxProcesses are per process, so a command with many processes gets that many times as much.
type Limits struct {
	MaxProcesses   int           // in all commands together, threads included
	MaxMemoryBytes int64         // private writable memory (RLIMIT_DATA): not what is only reserved, as Go and node do, nor shared
	MaxFileBytes   int64         // size of a file that is written
	MaxOpenFiles   int           // at least 64 and 8 a slot, because the launcher's helper lives with it too
	MaxCPU         time.Duration // processor time, in whole seconds
}

func (l Limits) check(slots int) error {
	if l.MaxProcesses < 0 || l.MaxMemoryBytes < 0 || l.MaxFileBytes < 0 || l.MaxOpenFiles < 0 || l.MaxCPU < 0 {
		return errors.New("sandbox: a limit is negative")
	}
	if least := 64 + 8*slots; l.MaxOpenFiles != 0 && l.MaxOpenFiles < least {
		return fmt.Errorf("sandbox: %d open files, but %d slots need at least %d", l.MaxOpenFiles, slots, least)
	}
	if l.MaxCPU%time.Second != 0 {
		return fmt.Errorf("sandbox: processor time %v is not in whole seconds", l.MaxCPU)
	}
	return nil
}

// check finds every fault that can be seen without asking the kernel.
func (o Options) check() error {
	faults := []error{o.Limits.check(o.Slots)}
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf("sandbox: "+format, args...)) }
	if !filepath.IsAbs(o.Jail) {
		fault("jail root %q is not absolute", o.Jail)
	}
	if o.Slots < 1 {
		fault("%d slots", o.Slots)
	}
	for _, dir := range o.Path {
		for _, write := range append([]string{o.Jail}, o.Write...) {
			if covers(write, dir) {
				fault("search path entry %q is where commands can write", dir)
			}
		}
	}
	switch o.Mode {
	case "", Off, BestEffort, Required:
	default:
		fault("mode %q is none of required, best-effort and off", o.Mode)
	}
	if !o.confined() {
		return errors.Join(faults...)
	}
	for _, path := range slices.Concat(o.Path, o.Read, o.Write, o.ReadOnly, o.Hidden) {
		if !filepath.IsAbs(path) {
			fault("path %q is not absolute", path)
		}
	}
	for _, open := range slices.Concat(o.Path, o.Read, o.Write, []string{o.Jail, o.Home}) {
		if covers(open, "/proc") || open != "" && within("/proc", resolved(open)) {
			fault("%q would let commands read /proc, and with it other processes", open)
		}
	}
	for _, write := range o.Write {
		if _, err := os.Stat(write); err != nil {
			fault("writable path: %w", err)
		}
		for _, path := range slices.Concat(o.ReadOnly, o.Hidden) {
			if covers(write, path) {
				fault("write %q would let commands change %s", write, path)
			}
		}
	}
	for _, open := range slices.Concat(o.Path, o.Read, []string{o.Jail, o.Home}) {
		for _, path := range o.Hidden {
			if covers(open, path) {
				fault("%q would let commands read %s", open, path)
			}
		}
	}
	return errors.Join(faults...)
}

func (o Options) confined() bool { return o.Mode == BestEffort || o.Mode == Required }

// covers tells whether path is dir or lies beneath it, by whatever links either is reached.
func covers(dir, path string) bool {
	if dir == "" {
		return false
	}
	return within(resolved(dir), resolved(path))
}

// within tells whether path is dir or lies beneath it, by name.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// resolved follows the symbolic links of as much of path as exists.
func resolved(path string) string {
	path = filepath.Clean(path)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(resolved(parent), filepath.Base(path))
}
