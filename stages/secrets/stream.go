package secrets

import (
	"io"
	"strings"
)

// A Finding is one replacement in a stream. It never holds the value.
type Finding struct {
	Name string
	Line int // counted from 1
}

// A Stream redacts what is written to it, in bounded memory, and writes it on.
// The result is what [Redactor.Text] makes of the whole, however it arrives.
// Output is held back until it can be decided, so Close must be called.
type Stream struct {
	r       *Redactor
	w       io.Writer
	windows windows
	buf     []byte // the text from windows.from on
	written int    // position in the text up to which output is out
	started bool
	line    int
	report  func(Finding)
	counts  map[string]int
	err     error
}

// Stream returns a stream that writes to w.
func (r *Redactor) Stream(w io.Writer) *Stream {
	return &Stream{r: r, w: w, windows: windows{scan: &scanner{r: r}}, line: 1, counts: map[string]int{}}
}

// Report has f called for every replacement, in order. Call it before Write.
func (st *Stream) Report(f func(Finding)) { st.report = f }

// Counts returns the replacements so far, by pattern.
func (st *Stream) Counts() map[string]int { return st.counts }

// Write takes more of the text.
func (st *Stream) Write(p []byte) (int, error) {
	if st.err != nil {
		return 0, st.err
	}
	if !st.r.enabled {
		return st.w.Write(p)
	}
	n := len(p)
	for len(p) > 0 {
		k := min(len(p), windowSize+1-len(st.buf))
		st.buf = append(st.buf, p[:k]...)
		p = p[k:]
		if len(st.buf) <= windowSize {
			break
		}
		if st.step(string(st.buf[:windowSize]), false); st.err != nil {
			return n - len(p), st.err
		}
	}
	return n, nil
}

// Close decides and writes the rest. It does not close the writer.
func (st *Stream) Close() error {
	if st.err != nil || !st.r.enabled {
		return st.err
	}
	if len(st.buf) > 0 {
		st.step(string(st.buf), true)
	}
	st.buf = nil
	return st.err
}

// step decides what it can of the window s and writes that out.
func (st *Stream) step(s string, final bool) {
	if !st.started {
		st.started = true
		st.windows.order = byteOrder(s)
	}
	from := st.windows.from
	spans, next := st.windows.step(s, final)
	var b strings.Builder
	if slow := st.windows.scan.slow; slow != "" {
		st.found(slow + timedOut)
		b.WriteString(marker(slow + timedOut))
		st.buf, st.r = nil, &Redactor{}
		st.w, st.err = io.Discard, writeAll(st.w, b.String())
		return
	}
	for _, sp := range spans {
		st.raw(&b, s[st.written-from:sp.Start-from])
		if sp.Name != "" {
			st.found(sp.Name)
			b.WriteString(st.windows.order.encode(marker(sp.Name)))
		}
		st.line += strings.Count(s[sp.Start-from:sp.End-from], "\n")
		st.written = sp.End
	}
	if next > st.written {
		st.raw(&b, s[st.written-from:next-from])
		st.written = next
	}
	st.buf = append(st.buf[:0], st.buf[st.windows.from-from:]...)
	st.err = writeAll(st.w, b.String())
}

func (st *Stream) raw(b *strings.Builder, s string) {
	st.line += strings.Count(s, "\n")
	b.WriteString(s)
}

func (st *Stream) found(name string) {
	st.counts[name]++
	if st.report != nil {
		st.report(Finding{Name: name, Line: st.line})
	}
}

func writeAll(w io.Writer, s string) error {
	if s == "" {
		return nil
	}
	_, err := io.WriteString(w, s)
	return err
}

// Held is how many bytes wait to be decided. It never exceeds 256 KiB and one.
func (st *Stream) Held() int { return len(st.buf) }
