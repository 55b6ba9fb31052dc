package trail

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"syscall"
)

// syncer makes records durable, one fdatasync for all that were written while the one
// before it ran. It alone syncs and closes files, in the order in which they were used.
type syncer struct {
	mode Sync
	bell *bell
	busy stopwatch

	mu   sync.Mutex
	jobs []syncJob
	quit bool
	wake chan struct{}
	done chan struct{}
	lost error // of the closing sync; to be read after done
}

// syncJob asks for a file to be synced for those who wait, or to be given up.
type syncJob struct {
	file    *handle
	waiting []*request
	retire  bool
}

var errDistrusted = errors.New("an earlier fsync of this file failed")

func newSyncer(mode Sync, b *bell) *syncer {
	y := &syncer{mode: mode, bell: b, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go y.run()
	return y
}

// needs reports whether a record must be durable before its Append returns.
func (y *syncer) needs(k Kind) bool {
	return y.mode == SyncAlways || y.mode == SyncAttempt && k == Attempt
}

func (y *syncer) add(j syncJob) {
	y.mu.Lock()
	y.jobs = append(y.jobs, j)
	y.mu.Unlock()
	y.nudge()
}

// stop ends the goroutine once it has done its jobs.
func (y *syncer) stop() {
	y.mu.Lock()
	y.quit = true
	y.mu.Unlock()
	y.nudge()
}

func (y *syncer) nudge() {
	select {
	case y.wake <- struct{}{}:
	default:
	}
}

func (y *syncer) take() ([]syncJob, bool) {
	y.mu.Lock()
	defer y.mu.Unlock()
	jobs := y.jobs
	y.jobs = nil
	return jobs, y.quit
}

func (y *syncer) run() {
	defer close(y.done)
	for range y.wake {
		jobs, quit := y.take()
		y.busy.start()
		for len(jobs) > 0 {
			n := 1
			for n < len(jobs) && jobs[n].file == jobs[0].file {
				n++
			}
			y.do(jobs[:n])
			jobs = jobs[n:]
		}
		y.busy.stop()
		if quit {
			return
		}
	}
}

// do carries out jobs that concern one file with one sync.
func (y *syncer) do(jobs []syncJob) {
	h := jobs[0].file
	err := y.commit(h)
	for _, j := range jobs {
		for _, r := range j.waiting {
			r.reply(answer{err, err != nil})
		}
	}
	if !jobs[len(jobs)-1].retire {
		return
	}
	y.lost = err
	if err := guard(h.Close); err != nil {
		y.bell.warn("audit log could not be closed", slog.Any("error", err))
	}
}

// commit syncs. After a failure the kernel may have dropped the pages and report
// success next time (fsync(2), "the fsyncgate" of 2018), so the file is given up.
func (y *syncer) commit(h *handle) error {
	if y.mode == SyncNever {
		return nil
	}
	if h.distrusted.Load() {
		return errDistrusted
	}
	if err := guard(h.Sync); err != nil {
		h.distrusted.Store(true)
		y.bell.warn("audit log could not be synced; a new file will be begun", slog.Any("error", err))
		return fmt.Errorf("audit: %w", err)
	}
	if h.dirty {
		// Without its directory entry a durable file cannot be found again.
		if err := h.dir.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
			return fmt.Errorf("audit log directory: %w", err)
		}
		h.dirty = false
	}
	return nil
}

// guard turns a panic below the [File] door into an error: the goroutine that ends with
// it would take every later record along.
func guard(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return do()
}
