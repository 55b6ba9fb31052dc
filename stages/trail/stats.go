package trail

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Count is one row of a statistic.
type Count struct {
	Name  string
	N     int
	Total time.Duration // of the calls counted, where that makes sense
}

// Stats sums up the outcomes of a log.
type Stats struct {
	Calls    int
	Unlogged int64   // calls that open mode says it could not record
	Slowest  []Entry // at most [Slow], the slowest first

	codes, commands, redactions map[string]Count
}

// Slow is how many of the slowest calls are kept.
const Slow = 10

// Add counts a record.
func (s *Stats) Add(e Entry) {
	s.Unlogged += e.Unlogged
	if e.Kind != Outcome {
		return
	}
	s.Calls++
	took := time.Duration(e.DurationMS) * time.Millisecond
	s.codes = count(s.codes, e.Code, 1, took)
	if len(e.Argv) > 0 {
		s.commands = count(s.commands, e.Argv[0], 1, took)
	}
	for name, n := range e.Redactions {
		s.redactions = count(s.redactions, name, n, 0)
	}
	s.slow(e)
}

func (s *Stats) slow(e Entry) {
	if e.ExecArgv == nil {
		return
	}
	at, _ := slices.BinarySearchFunc(s.Slowest, e, func(a, b Entry) int { return cmp.Compare(b.DurationMS, a.DurationMS) })
	s.Slowest = slices.Insert(s.Slowest, at, e)
	s.Slowest = s.Slowest[:min(len(s.Slowest), Slow)]
}

// Codes counts calls by result code, the most frequent first.
func (s *Stats) Codes() []Count { return ranking(s.codes) }

// Commands counts calls by the name of the command, the most frequent first.
func (s *Stats) Commands() []Count { return ranking(s.commands) }

// Redactions counts what was redacted by pattern, the most frequent first.
func (s *Stats) Redactions() []Count { return ranking(s.redactions) }

func count(m map[string]Count, name string, n int, took time.Duration) map[string]Count {
	if m == nil {
		m = make(map[string]Count)
	}
	c := m[name]
	m[name] = Count{name, c.N + n, c.Total + took}
	return m
}

func ranking(m map[string]Count) []Count {
	return slices.SortedFunc(maps.Values(m), func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Name, b.Name))
	})
}
