package sandbox_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"hardened-terminal-mcp/stages/sandbox"
)

// BenchmarkRun sets the launcher against the bare cost of the same command, os/exec with two captured pipes, turn
// about in one run. Read the "x-bare" column: the launcher's median time as a multiple of the bare one's.
func BenchmarkRun(b *testing.B) {
	for _, mode := range []sandbox.Mode{sandbox.Off, sandbox.Required} {
		b.Run(string(mode), func(b *testing.B) {
			jail := b.TempDir()
			b.Run("tiny", func(b *testing.B) { interleave(b, mode, jail, tinyProgram(b, jail)) })
			b.Run("true", func(b *testing.B) { interleave(b, mode, jail, program(b, "true")) })
			b.Run("git", func(b *testing.B) { interleave(b, mode, jail, program(b, "git"), "--version") })
		})
	}
}

// BenchmarkRunBallast is BenchmarkRun/required/true in a process with a large heap: a start must not copy it.
func BenchmarkRunBallast(b *testing.B) {
	ballast := make([]byte, 512<<20)
	for i := 0; i < len(ballast); i += 4096 {
		ballast[i] = 1
	}
	interleave(b, sandbox.Required, b.TempDir(), program(b, "true"))
	runtime.KeepAlive(ballast)
}

// BenchmarkRunParallel has eight callers at a time; the column compares wall time.
func BenchmarkRunParallel(b *testing.B) {
	const callers, rounds = 8, 25
	jail := b.TempDir()
	exe := program(b, "true")
	l, c := launcher(b, sandbox.Required, jail, callers, exe)
	var bare, ours []time.Duration
	for b.Loop() {
		bare = append(bare, together(callers, rounds, func() { runBare(b, exe, jail) }))
		ours = append(ours, together(callers, rounds, func() { runOurs(b, l, c) }))
	}
	report(b, bare, ours)
}

// BenchmarkDrain prints 100 MiB into a limit of 1 MiB, against os/exec that keeps all of it.
func BenchmarkDrain(b *testing.B) {
	jail := b.TempDir()
	exe := program(b, "head")
	arguments := []string{"-c", "104857600", "/dev/zero"}
	l, c := launcher(b, sandbox.Required, jail, 1, exe, arguments...)
	var bare, ours []time.Duration
	for b.Loop() {
		bare = append(bare, timed(func() { runBare(b, exe, jail, arguments...) }))
		ours = append(ours, timed(func() { runOurs(b, l, c) }))
	}
	report(b, bare, ours)
}

// BenchmarkKill has a program that forks away in every direction run into its time limit. The columns are the time
// from the limit to the answer, and the processes left a moment later.
func BenchmarkKill(b *testing.B) {
	const limit = 100 * time.Millisecond
	jail := b.TempDir()
	nasty, err := build(jail, nastySource)
	if err != nil {
		b.Skip(err)
	}
	l, c := launcher(b, sandbox.Required, jail, 1, nasty)
	c.Timeout = limit
	var late []time.Duration
	survivors := 0
	for b.Loop() {
		late = append(late, timed(func() {
			if res, err := l.Run(context.Background(), c); err != nil || !res.TimedOut {
				b.Error(res, err)
			}
		})-limit)
		for range 100 {
			if running("nasty") == 0 {
				break
			}
			runtime.Gosched()
		}
		survivors += running("nasty")
	}
	slices.Sort(late)
	b.ReportMetric(late[len(late)/2].Seconds()*1e3, "late-ms-p50")
	b.ReportMetric(late[len(late)-1].Seconds()*1e3, "late-ms-max")
	b.ReportMetric(float64(survivors), "survivors")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkNew is the probe, the helper's start and its end.
func BenchmarkNew(b *testing.B) {
	jail := b.TempDir()
	for b.Loop() {
		l, err := sandbox.New(sandbox.Options{Jail: jail, Slots: 8, Mode: sandbox.Required})
		if err != nil {
			b.Skip(err)
		}
		if err := l.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func interleave(b *testing.B, mode sandbox.Mode, jail string, exe sandbox.Executable, arguments ...string) {
	l, c := launcher(b, mode, jail, 1, exe, arguments...)
	runOurs(b, l, c)
	var bare, ours []time.Duration
	for b.Loop() {
		bare = append(bare, timed(func() { runBare(b, exe, jail, arguments...) }))
		ours = append(ours, timed(func() { runOurs(b, l, c) }))
	}
	report(b, bare, ours)
}

func report(b *testing.B, bare, ours []time.Duration) {
	slices.Sort(bare)
	slices.Sort(ours)
	mid, tail := len(bare)/2, len(bare)*95/100
	b.ReportMetric(float64(ours[mid])/float64(bare[mid]), "x-bare")
	b.ReportMetric(float64(ours[tail])/float64(bare[tail]), "x-bare-p95")
	b.ReportMetric(float64(bare[mid]), "bare-ns")
	b.ReportMetric(float64(ours[mid]), "ours-ns")
	b.ReportMetric(0, "ns/op") // both together; it says nothing
}

func timed(f func()) time.Duration {
	begin := time.Now()
	f()
	return time.Since(begin)
}

func together(callers, rounds int, f func()) time.Duration {
	return timed(func() {
		var all sync.WaitGroup
		for range callers {
			all.Go(func() {
				for range rounds {
					f()
				}
			})
		}
		all.Wait()
	})
}

func launcher(b *testing.B, mode sandbox.Mode, jail string, slots int, exe sandbox.Executable, arguments ...string) (*sandbox.Launcher, sandbox.Command) {
	b.Helper()
	l, err := sandbox.New(sandbox.Options{Jail: jail, Slots: slots, Mode: mode})
	if err != nil {
		b.Skip(err)
	}
	b.Cleanup(func() { _ = l.Close() })
	c := bare(append([]string{exe.Path}, arguments...)...)
	c.Exe = exe
	return l, c
}

func runBare(b *testing.B, exe sandbox.Executable, dir string, arguments ...string) {
	cmd := exec.Command(exe.Path, arguments...)
	var stdout, stderr bytes.Buffer
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = []string{"PATH=/usr/bin:/bin"}, dir, &stdout, &stderr
	if err := cmd.Run(); err != nil {
		b.Error(err)
	}
}

func runOurs(b *testing.B, l *sandbox.Launcher, c sandbox.Command) {
	res, err := l.Run(context.Background(), c)
	if err != nil || res.ExitCode == nil || *res.ExitCode != 0 {
		b.Error(res, err)
	}
}

func program(b *testing.B, name string) sandbox.Executable {
	b.Helper()
	exe, err := sandbox.Find(systemPath, name)
	if err != nil {
		b.Skip(err)
	}
	return exe
}

// tinyProgram is the smallest static program there can be: it exits. What its start costs is the launch alone.
func tinyProgram(b *testing.B, dir string) sandbox.Executable {
	b.Helper()
	if runtime.GOARCH != "amd64" {
		b.Skip("the tiny program is machine code for amd64")
	}
	code := []byte{0xb8, 60, 0, 0, 0, 0x31, 0xff, 0x0f, 0x05} // mov $60, %eax; xor %edi, %edi; syscall
	if err := os.WriteFile(filepath.Join(dir, "tiny"), elf(code), 0o700); err != nil {
		b.Fatal(err)
	}
	exe, err := sandbox.Find([]string{dir}, "tiny")
	if err != nil {
		b.Fatal(err)
	}
	return exe
}
