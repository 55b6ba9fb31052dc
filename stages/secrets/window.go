package secrets

import "strings"

// A text of any length is worked through in windows, so that memory is
// bounded and Text and Stream do exactly the same: where a window ends depends
// on the bytes alone, never on how they arrived.
const (
	windowSize  = 256 << 10
	leftContext = 4 << 10  // what is already given away, seen again for key and tool names
	holdLine    = 16 << 10 // an unfinished line is held back up to this
	holdBlock   = 64 << 10 // a key block, or lines that may be one
)

// text returns the spans of s, sorted and disjoint. The slice belongs to the
// scanner.
func (sc *scanner) text(s string) []Span {
	sc.slow = ""
	o := byteOrder(s)
	if len(s) <= windowSize {
		return sc.window(s, o)
	}
	var all []Span
	w := windows{scan: sc, order: o}
	for done := 0; done < len(s) && sc.slow == ""; {
		end := min(len(s), w.from+windowSize)
		var spans []Span
		spans, done = w.step(s[w.from:end], end == len(s))
		for _, sp := range spans {
			if sp.Name == "" {
				all[len(all)-1].End = sp.End
				continue
			}
			all = append(all, sp)
		}
	}
	return all
}

// windows walks over a text. Positions are those of the text.
type windows struct {
	scan  *scanner
	order order
	from  int  // where the window begins
	given int  // everything before it is decided
	open  bool // a span ran out of the last window and may go on
}

// step decides what it can of the window w.from... and moves on. The spans
// are absolute, sorted and disjoint; everything before next is decided. A span
// without a name goes on the last one of the window before.
func (w *windows) step(s string, final bool) (spans []Span, next int) {
	found := w.scan.window(s, w.order)

	commit := len(s)
	if !final {
		commit = w.hold(s, found)
	}
	if w.open {
		stop := swallow(s, w.given-w.from)
		if stop > w.given-w.from {
			spans = append(spans, Span{Start: w.given, End: w.from + stop, rank: byShape})
			w.given = w.from + stop
		}
		w.open = !final && stop == len(s)
	}
	for _, sp := range found {
		sp.Start, sp.End = max(sp.Start+w.from, w.given), sp.End+w.from
		if sp.Start >= sp.End || sp.Start >= w.from+commit {
			continue
		}
		w.open = w.open || !final && sp.End == w.from+len(s)
		spans = append(spans, sp)
		w.given = sp.End
	}
	w.given = max(w.given, w.from+commit)
	w.from = max(w.from, w.given-leftContext)
	if w.order != 0 {
		w.from &^= 1
	}
	return spans, w.given
}

// hold returns how much of an unfinished window can be decided: up to the last
// line whose values can be seen whole, but not past a span that reaches the end and may go on, nor past lines
// that may turn out to be the body of a key block.
func (w *windows) hold(s string, found []Span) int {
	commit := len(s) - holdLine
	if w.scan.r.extra != nil {
		commit = len(s) - holdBlock // nobody knows how long the operator's matches are
	}
	if i := strings.LastIndexByte(s[commit:len(s)-min(maxValue, holdLine)], '\n'); i >= 0 && w.scan.r.extra == nil {
		commit += i + 1
	}
	floor := len(s) - holdBlock - holdLine
	commit = min(commit, max(floor, armourTail(s, commit, floor)))
	for _, sp := range found {
		if sp.End >= len(s)-1 && sp.Start < commit {
			commit = max(floor, sp.Start)
		}
	}
	if w.order != 0 {
		commit &^= 1
	}
	return commit
}

// armourTail returns where the lines before end that look like the body of a
// key block begin.
func armourTail(s string, end, floor int) int {
	for end > floor {
		from := strings.LastIndexByte(s[floor:end-1], '\n') + 1 + floor
		if !armourLine(s[from:end]) {
			return end
		}
		end = from
	}
	return end
}

// swallow returns where a span that ran out of the last window ends: it takes
// the rest of the line and the lines after it that look like a key block.
func swallow(s string, i int) int {
	for i < len(s) {
		n := strings.IndexByte(s[i:], '\n')
		if n < 0 {
			return len(s)
		}
		i += n + 1
		rest := s[i:]
		if m := strings.IndexByte(rest, '\n'); m >= 0 {
			rest = rest[:m]
		}
		if !armourLine(rest) {
			return i
		}
	}
	return i
}

// window runs all rules over one window.
func (sc *scanner) window(s string, o order) []Span {
	sc.spans = sc.spans[:0]
	if o != 0 {
		text, back := o.decode(s)
		sc.look(text, back)
	} else {
		sc.look(s, mapping{})
	}
	sc.spans = merge(sc.spans)
	if sc.r.entropy && o == 0 {
		sc.spans = merge(highEntropy(s, sc.spans))
	}
	return sc.spans
}

// look looks at a text, and at its shadow where it has one.
func (sc *scanner) look(s string, back mapping) {
	sc.lookOnce(s, back)
	if !mayHide(s) {
		return
	}
	if text, way, ok := shadow(s); ok {
		if len(back.steps) > 0 {
			way.parent = back.kept()
		}
		sc.lookOnce(text, way)
	}
}

func (sc *scanner) lookOnce(s string, back mapping) {
	v := view{s: s, sc: sc, back: back}
	v.look()
	if sc.r.extra != nil && sc.slow == "" {
		sc.slow = sc.r.extra.look(&v)
	}
}
