package secrets

import (
	"slices"
	"strings"
)

// rank orders the names of overlapping spans: the more a rule knows about
// what it found, the higher.
type rank uint8

const (
	byEntropy rank = iota
	byName         // a key, a flag or a header named it
	byPlace        // a URL or a connection string held it
	byShape        // it is shaped like what it is
	byExtra        // the operator named it
)

const markerOpen = "[REDACTED:"

func marker(name string) string { return markerOpen + name + "]" }

// markerLen is the length of the marker at the start of s, 0 for none.
func markerLen(s string) int {
	if !strings.HasPrefix(s, markerOpen) {
		return 0
	}
	for i := len(markerOpen); i < len(s) && i < 100; i++ {
		switch c := s[i]; {
		case c == ']' && i > len(markerOpen):
			return i + 1
		case !isLower(c) && !isDigit(c) && c != '_' && c != ' ':
			return 0
		}
	}
	return 0
}

// insideMarker reports whether s[at] is part of a marker.
func insideMarker(s string, at int) bool { return markerAround(s, at) >= 0 }

// markerAround returns where the marker that holds s[at] begins, -1 if none
// does.
func markerAround(s string, at int) int {
	from := max(0, at-100)
	i := strings.LastIndex(s[from:min(len(s), at+len(markerOpen))], markerOpen)
	if i < 0 || from+i > at || at >= from+i+markerLen(s[from+i:]) {
		return -1
	}
	return from + i
}

// outsideMarkers moves the ends of a span that lie inside a marker out of it,
// so that what was redacted once stays as it is.
func outsideMarkers(s string, start, end int) (int, int) {
	if i := markerAround(s, start); i >= 0 && i < start {
		start = i + markerLen(s[i:])
	}
	if i := markerAround(s, end); i >= 0 && i < end {
		end = i
	}
	return start, end
}

// merge sorts spans and joins those that overlap. The joined span bears the
// name of the highest rank, then of the longest.
func merge(spans []Span) []Span {
	if len(spans) < 2 {
		return spans
	}
	slices.SortFunc(spans, func(a, b Span) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
	out := spans[:1]
	best := spans[0] // the span whose name out's last bears
	for _, sp := range spans[1:] {
		last := &out[len(out)-1]
		if sp.Start >= last.End {
			out = append(out, sp)
			best = sp
			continue
		}
		last.End = max(last.End, sp.End)
		if sp.rank > best.rank || sp.rank == best.rank && sp.End-sp.Start > best.End-best.Start {
			best = sp
			last.Name, last.rank = sp.Name, sp.rank
		}
	}
	return out
}

// CutAt returns the largest n <= limit at which text may be cut: at a rune
// boundary and not inside a marker.
func CutAt(text string, limit int) int {
	if limit >= len(text) {
		return len(text)
	}
	n := max(0, limit)
	for back := 0; back < 3 && n > 0 && text[n]&0xC0 == 0x80; back++ {
		n--
	}
	if i := markerAround(text, n); i >= 0 {
		return i
	}
	return n
}
