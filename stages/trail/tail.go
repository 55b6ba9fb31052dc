package trail

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// tail is what the end of a log file says.
type tail struct {
	last link   // the last record; seq 0 when there is none
	line []byte // its bytes
	keep int64  // up to here nothing is torn
}

var errForeign = errors.New("holds something other than audit records; name another file")

// readTail looks back from the end for the last whole record and for damage behind it:
// an unended line, or bytes that were never written (a power cut leaves runs of NUL).
// Whole lines that are no records are not damage but somebody's doing; they stay, for
// Verify to name.
func readTail(f io.ReaderAt, size int64) (tail, error) {
	for window := int64(2 * MaxLine); ; window *= 4 {
		start := max(0, size-window)
		b := make([]byte, size-start)
		if _, err := f.ReadAt(b, start); err != nil {
			return tail{}, fmt.Errorf("read the end of the log: %w", err)
		}
		if start > 0 { // the window begins inside a line
			skip := bytes.IndexByte(b, '\n') + 1
			b, start = b[skip:], start+int64(skip)
		}
		t := scanTail(b, start)
		if t.last.seq > 0 {
			return t, nil
		}
		if size > window {
			continue
		}
		if t.keep > 0 || len(b) > 0 && b[0] != 0 && !bytes.HasPrefix([]byte(lineHead), b[:min(len(b), len(lineHead))]) {
			return tail{}, errForeign
		}
		return t, nil
	}
}

// scanTail reads lines that start at an offset.
func scanTail(b []byte, at int64) tail {
	t := tail{keep: at}
	torn := false
	for len(b) > 0 {
		n := bytes.IndexByte(b, '\n') + 1
		if n == 0 {
			n = len(b)
		}
		line := b[:n]
		b, at = b[n:], at+int64(n)
		if l, err := parseLink(line); err == nil {
			t, torn = tail{l, line, at}, false
			continue
		}
		torn = torn || damaged(line)
		if !torn {
			t.keep = at
		}
	}
	return t
}

// firstSeq gives the number of a file's first record, or 0.
func firstSeq(f io.ReaderAt) uint64 {
	b := make([]byte, len(lineHead)+20)
	n, _ := f.ReadAt(b, 0)
	if !bytes.HasPrefix(b[:n], []byte(lineHead)) {
		return 0
	}
	var seq uint64
	for _, c := range b[len(lineHead):n] {
		if c < '0' || c > '9' {
			break
		}
		seq = seq*10 + uint64(c-'0')
	}
	return seq
}
