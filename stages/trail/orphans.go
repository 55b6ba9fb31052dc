package trail

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strconv"
)

// Orphan is an attempt without an outcome: its server was killed, or is running the
// command now.
type Orphan struct {
	Seq         uint64
	EventID, At string
	Writer      string
	PID         int
}

// pending collects attempts until their outcomes come by.
type pending map[string]Orphan

func (p pending) note(line []byte, seq uint64) Kind {
	id := string(field(line, "event_id"))
	kind := Kind(field(line, "record_type"))
	switch kind {
	case Attempt:
		pid, _ := strconv.Atoi(string(field(line, "pid")))
		p[id] = Orphan{seq, id, string(field(line, "ts")), string(field(line, "writer")), pid}
	case Outcome:
		delete(p, id)
	}
	return kind
}

func (p pending) orphans() []Orphan {
	return slices.SortedFunc(maps.Values(p), func(a, b Orphan) int { return cmp.Compare(a.Seq, b.Seq) })
}

// Orphans lists the attempts in logs, given in the order of the chain, that have no
// outcome there.
func Orphans(logs ...io.Reader) ([]Orphan, error) {
	p := make(pending)
	for _, log := range logs {
		for l := range Lines(log) {
			if l.Err != nil {
				return nil, l.Err
			}
			if tie, err := parseLink(l.Bytes); err == nil {
				p.note(l.Bytes, tie.seq)
			}
		}
	}
	return p.orphans(), nil
}
