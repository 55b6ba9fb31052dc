//go:build unix

package trail_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"hardened-terminal-mcp/stages/trail"
)

func benchLog(b *testing.B, sync trail.Sync) *trail.Log {
	b.Helper()
	l, err := trail.Open(trail.Options{Path: filepath.Join(b.TempDir(), "audit.jsonl"), Sync: sync})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _, _ = l.Close() })
	return l
}

// BenchmarkRecord is the price of encoding, chain, lock and write, without a sync.
func BenchmarkRecord(b *testing.B) {
	l := benchLog(b, trail.SyncNever)
	r := outcome("0123456789abcdef0123456789abcdef")
	b.ReportAllocs()
	for b.Loop() {
		if err := l.Append(context.Background(), r); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDurable compares a durable attempt with the same number of bytes written and
// synced by hand. Rounds alternate, so that both meet the same disk.
func BenchmarkDurable(b *testing.B) {
	l := benchLog(b, trail.SyncAttempt)
	bare, err := os.OpenFile(filepath.Join(b.TempDir(), "bare"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	defer bare.Close()
	line := make([]byte, 520)
	var byHand, ours time.Duration
	for b.Loop() {
		start := time.Now()
		if _, err := bare.Write(line); err != nil {
			b.Fatal(err)
		}
		if err := datasync(bare); err != nil {
			b.Fatal(err)
		}
		middle := time.Now()
		if err := l.Append(context.Background(), attempt("0123456789abcdef0123456789abcdef")); err != nil {
			b.Fatal(err)
		}
		byHand += middle.Sub(start)
		ours += time.Since(middle)
	}
	b.ReportMetric(float64(ours)/float64(byHand), "x-bare")
}

// BenchmarkCallers compares the calls (attempt and outcome) of several callers at once with
// and without a sync: what is left of the rate is what group commit saves.
func BenchmarkCallers(b *testing.B) {
	for _, callers := range []int{1, 8, 32} {
		b.Run(fmt.Sprint(callers), func(b *testing.B) {
			durable, never := benchLog(b, trail.SyncAttempt), benchLog(b, trail.SyncNever)
			var synced, unsynced time.Duration
			const each = 20
			for b.Loop() {
				synced += together(b, durable, callers, each)
				unsynced += together(b, never, callers, each)
			}
			records := float64(2 * callers * each * b.N)
			b.ReportMetric(records/synced.Seconds(), "records/s-synced")
			b.ReportMetric(records/unsynced.Seconds(), "records/s-never")
			b.ReportMetric(float64(synced)/float64(unsynced), "x-never")
		})
	}
}

func together(b *testing.B, l *trail.Log, callers, each int) time.Duration {
	start := time.Now()
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for range each {
				id := trail.NewEventID()
				for _, r := range []trail.Record{attempt(id), outcome(id)} {
					if err := l.Append(context.Background(), r); err != nil {
						b.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	return time.Since(start)
}

// BenchmarkVerify is the speed of Verify on a log of ordinary records.
func BenchmarkVerify(b *testing.B) {
	path := filepath.Join(b.TempDir(), "audit.jsonl")
	l, err := trail.Open(trail.Options{Path: path, Sync: trail.SyncNever})
	if err != nil {
		b.Fatal(err)
	}
	together(b, l, 8, 250)
	if _, err := l.Close(); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	for b.Loop() {
		if r, err := trail.VerifyFiles(trail.Check{}, path); err != nil || !r.Sound() {
			b.Fatal(r.Problems, err)
		}
	}
}
