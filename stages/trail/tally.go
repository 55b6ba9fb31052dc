package trail

import "sync"

// tally counts the calls that open mode could not record.
type tally struct {
	mu     sync.Mutex
	untold int64           // for the next record that can be written
	calls  map[string]fate // of calls in flight whose attempt is not in the file
}

// fate is what is known of a call in open mode. Without an entry there is nothing amiss.
type fate int

const (
	undecided fate = iota + 1 // nobody waits for the attempt, but it may still be written
	counted                   // the attempt is lost
	ended                     // the outcome is lost, and counted; the attempt is undecided
)

// leave takes note that the caller of an attempt has stopped waiting.
func (t *tally) leave(r *request) {
	if !r.lenient || r.rec.Kind != Attempt {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.calls == nil {
		t.calls = make(map[string]fate)
	}
	t.calls[r.rec.EventID] = undecided
}

// lose counts a call once, whichever of its records is missing, and in whichever order
// that becomes known: behind a hang the outcome can be lost first.
func (t *tally) lose(r *request) {
	if !r.lenient {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	id, known := r.rec.EventID, t.calls[r.rec.EventID]
	delete(t.calls, id)
	if known != counted && known != ended {
		t.untold++
	}
	switch {
	case r.rec.Kind == Attempt && known != ended:
		if t.calls == nil {
			t.calls = make(map[string]fate)
		}
		t.calls[id] = counted
	case r.rec.Kind == Outcome && known == undecided:
		t.calls[id] = ended
	}
}

// told takes note of a record that is in the file, and told of n lost calls.
func (t *tally) told(r *request, n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.untold -= n
	delete(t.calls, r.rec.EventID)
}

func (t *tally) load() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.untold
}
