package trail

import (
	"sync/atomic"
	"time"
)

// stopwatch tells from outside how long a goroutine has been at one task.
type stopwatch struct{ since atomic.Pointer[time.Time] }

func (w *stopwatch) start() { now := time.Now(); w.since.Store(&now) }

func (w *stopwatch) stop() { w.since.Store(nil) }

func (w *stopwatch) over(d time.Duration) bool {
	since := w.since.Load()
	return since != nil && time.Since(*since) > d
}
