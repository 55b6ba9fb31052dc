package trail

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
)

// Line is one line of a log file. Its bytes are valid until the next one.
type Line struct {
	N       int    // from 1
	Bytes   []byte // with the newline, if it has one; the beginning, if it is longer than MaxLine
	TooLong bool
	Err     error // reading failed; this is the last Line
}

// Lines reads a log line by line, in memory that does not depend on what it holds.
func Lines(r io.Reader) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		in := bufio.NewReaderSize(r, MaxLine)
		for n := 1; ; n++ {
			b, err := in.ReadSlice('\n')
			l := Line{N: n, Bytes: b, TooLong: errors.Is(err, bufio.ErrBufferFull)}
			if l.TooLong {
				l.Bytes = bytes.Clone(b)
				err = skipLine(in)
			}
			if err != nil && err != io.EOF {
				yield(Line{N: n, Err: err})
				return
			}
			if len(b) == 0 || !yield(l) || err == io.EOF {
				return
			}
		}
	}
}

func skipLine(in *bufio.Reader) error {
	for {
		if _, err := in.ReadSlice('\n'); !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// field returns the raw JSON value of a key. Quotes inside strings are always escaped in
// our lines, so `,"key":` can be nothing but a key.
func field(line []byte, key string) []byte {
	_, rest, found := bytes.Cut(line, []byte(`,"`+key+`":`))
	if !found {
		return nil
	}
	if len(rest) > 0 && rest[0] == '"' {
		for i := 1; i < len(rest); i++ {
			switch rest[i] {
			case '\\':
				i++
			case '"':
				return rest[1:i]
			}
		}
		return nil
	}
	if end := bytes.IndexAny(rest, ",}\n"); end >= 0 {
		return rest[:end]
	}
	return nil
}
