package secrets

import "sort"

// A mapping leads from the bytes of a view back to those of the text. The
// zero mapping is the identity.
type mapping struct {
	steps  []step
	base   int  // added to every position, when there are no steps
	fixed  bool // every span is [from, to)
	from   int
	to     int
	parent *mapping // the view was made from another view
}

// A step says that from view position at on, view byte at+i comes from the
// width bytes at origin+i*width.
type step struct{ at, origin, width int }

// span maps bytes [start, end) of the view.
func (m *mapping) span(start, end int) (from, to int) {
	switch {
	case m.fixed:
		from, to = m.from, m.to
	case len(m.steps) == 0:
		from, to = m.base+start, m.base+end
	default:
		from, _ = m.byteAt(start)
		_, to = m.byteAt(end - 1)
	}
	if m.parent != nil {
		return m.parent.span(from, to)
	}
	return from, to
}

// kept is a copy for a view that is made from this one.
func (m *mapping) kept() *mapping {
	c := *m
	return &c
}

// byteAt returns where the view's byte i comes from.
func (m *mapping) byteAt(i int) (from, to int) {
	n := sort.Search(len(m.steps), func(k int) bool { return m.steps[k].at > i }) - 1
	st := m.steps[n]
	from = st.origin + (i-st.at)*st.width
	return from, from + st.width
}

// put notes that the view's next byte, at position at, comes from the width
// bytes at origin.
func (m *mapping) put(at, origin, width int) {
	if n := len(m.steps); n > 0 {
		last := m.steps[n-1]
		if last.width == width && last.origin+(at-last.at)*width == origin {
			return
		}
	}
	m.steps = append(m.steps, step{at, origin, width})
}
