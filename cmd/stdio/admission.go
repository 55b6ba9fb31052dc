package stdio

import (
	"context"
	"time"

	"golang.org/x/time/rate"
)

// What a call over max_concurrent meets: a queue of this length, for so long.
const (
	queueLength = 64
	queueWait   = 30 * time.Second
)

// admission lets at most so many commands run at the same time, and start in a
// second. Only run_command passes through it.
type admission struct {
	slots chan struct{}
	queue chan struct{}
	rate  *rate.Limiter
	wait  time.Duration
}

func newAdmission(concurrent, perSecond int) *admission {
	limit := rate.Inf
	if perSecond > 0 {
		limit = rate.Limit(perSecond)
	}
	return &admission{
		slots: make(chan struct{}, concurrent),
		queue: make(chan struct{}, queueLength),
		rate:  rate.NewLimiter(limit, max(perSecond, 1)),
		wait:  queueWait,
	}
}

// enter waits for a slot. busy says why there is none; then leave is nil. When
// ctx ends first both are zero: the chain will say so.
func (a *admission) enter(ctx context.Context) (leave func(), busy string) {
	if !a.rate.Allow() {
		return nil, "busy: more calls than max_calls_per_second allows; try again in a second"
	}
	leave = func() { <-a.slots }
	select {
	case a.slots <- struct{}{}:
		return leave, ""
	default:
	}
	select {
	case a.queue <- struct{}{}:
		defer func() { <-a.queue }()
	default:
		return nil, "busy: too many calls wait already; try again when some have been answered"
	}
	timer := time.NewTimer(a.wait)
	defer timer.Stop()
	select {
	case a.slots <- struct{}{}:
		return leave, ""
	case <-timer.C:
		return nil, "busy: every slot was taken for too long; try again later"
	case <-ctx.Done():
		return nil, ""
	}
}
