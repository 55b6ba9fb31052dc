package sandbox

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// apply sets the limits on the calling process; what it starts inherits them. RLIMIT_NPROC counts the processes of a
// user, which in a user namespace of its own are the commands' alone; others is how many it has besides. Memory is
// never limited to less than the helper lives in, and processor time not at all, for it would add up over the helper's
// life; see [slotThread.tighten].
func (l Limits) apply(others, slots int) error {
	memory := l.MaxMemoryBytes
	if memory != 0 {
		memory = max(memory, leastMemory(slots))
	}
	limits := []limit{
		{"open files", unix.RLIMIT_NOFILE, int64(l.MaxOpenFiles)},
		{"file size", unix.RLIMIT_FSIZE, l.MaxFileBytes},
		{"memory", unix.RLIMIT_DATA, memory},
	}
	if l.MaxProcesses > 0 {
		limits = append(limits, limit{"processes", unix.RLIMIT_NPROC, int64(l.MaxProcesses + others)})
	}
	for _, one := range limits {
		if one.value == 0 {
			continue
		}
		if err := lower(one.resource, uint64(one.value)); err != nil {
			return fmt.Errorf("limit %s to %d: %w", one.name, one.value, err)
		}
	}
	return lower(unix.RLIMIT_CORE, 0)
}

// leastMemory is what the helper itself may need: its heap, and 8 MiB of stack for each of its threads.
func leastMemory(slots int) int64 { return 512<<20 + int64(slots)*(16<<20) }

// tighten sets on the command that was just started what the helper itself could not live with, microseconds after its
// start: until then it has [leastMemory] and no limit of processor time.
func (t *slotThread) tighten(pid int) error {
	l := t.setup.Limits
	set := func() error {
		if l.MaxCPU != 0 {
			if err := limitOf(pid, unix.RLIMIT_CPU, uint64(l.MaxCPU/time.Second)); err != nil {
				return err
			}
		}
		if l.MaxMemoryBytes != 0 && l.MaxMemoryBytes < leastMemory(t.setup.Slots) {
			return limitOf(pid, unix.RLIMIT_DATA, uint64(l.MaxMemoryBytes))
		}
		return nil
	}
	if t.setup.Namespaces {
		return set()
	}
	// The filter of this thread refuses limits of other processes; a thread without it may.
	done := make(chan error)
	go func() { done <- set() }()
	return <-done
}

// limitOf sets a limit of another process of the user, unless that has ended already.
func limitOf(pid, resource int, value uint64) error {
	err := unix.Prlimit(pid, resource, &unix.Rlimit{Cur: value, Max: value}, nil)
	if err != nil && err != unix.ESRCH {
		return fmt.Errorf("limit %d to %d: %w", resource, value, err)
	}
	return nil
}

type limit struct {
	name     string
	resource int
	value    int64
}

// lower sets a limit for good, or leaves a lower one that is there already.
func lower(resource int, value uint64) error {
	var now syscall.Rlimit
	if err := syscall.Getrlimit(resource, &now); err != nil {
		return err
	}
	value = min(value, now.Max)
	return syscall.Setrlimit(resource, &syscall.Rlimit{Cur: value, Max: value})
}

// limitPIDs bounds all processes and threads of the PID namespace, also for root, whom RLIMIT_NPROC does not hold.
// Since Linux 6.14 a PID namespace has a pid_max of its own; before, the file is the whole machine's.
func limitPIDs(proc string, most, slots int) bool {
	if most == 0 || !kernelAtLeast(6, 14) {
		return false
	}
	value := strconv.Itoa(reservedPIDs + ownTasks(slots) + most)
	return os.WriteFile(filepath.Join(proc, "sys/kernel/pid_max"), []byte(value), 0) == nil
}

// reservedPIDs are numbers the kernel does not give out a second time.
const reservedPIDs = 300

// ownTasks is room for the helper's threads.
func ownTasks(slots int) int { return 64 + 2*slots }

func kernelAtLeast(major, minor int) bool {
	var name unix.Utsname
	if unix.Uname(&name) != nil {
		return false
	}
	var haveMajor, haveMinor int
	if n, _ := fmt.Sscanf(unix.ByteSliceToString(name.Release[:]), "%d.%d", &haveMajor, &haveMinor); n != 2 {
		return false
	}
	return haveMajor > major || haveMajor == major && haveMinor >= minor
}

// tasksOf counts the threads of a user's processes on the machine, as RLIMIT_NPROC does.
func tasksOf(uid int) int {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	count := 0
	for _, dir := range dirs {
		var st unix.Stat_t
		if unix.Stat(dir, &st) != nil || int(st.Uid) != uid {
			continue
		}
		tasks, _ := os.ReadDir(filepath.Join(dir, "task"))
		count += max(1, len(tasks))
	}
	return min(count, math.MaxInt32)
}
