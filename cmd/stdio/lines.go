package stdio

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLine bounds one JSON-RPC message. Longer ones are read to their end,
// thrown away and answered with an error, in constant memory.
const maxLine = 1 << 20

// idWindow is how much of a line that is too long is kept, to find its id.
const idWindow = 4 << 10

// errTooLong comes with the beginning of a line over maxLine.
var errTooLong = errors.New("a message is longer than 1 MiB")

// lineReader reads messages of one line each.
type lineReader struct {
	r *bufio.Reader
}

func newLineReader(r io.Reader) *lineReader { return &lineReader{bufio.NewReaderSize(r, 64<<10)} }

// next returns the next line that is not blank, without its end. The last line
// needs none. The slice is the caller's to keep.
func (l *lineReader) next() ([]byte, error) {
	for {
		line, err := l.line()
		if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 {
			return trimmed, err
		}
		if err != nil {
			return nil, err
		}
	}
}

// line reads up to a newline or the end of input. An error that comes after
// part of a line is given on the next call.
func (l *lineReader) line() ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		piece, err := l.r.ReadSlice('\n')
		switch {
		case tooLong:
		case len(line)+len(piece) > maxLine+1: // and its newline
			tooLong = true
			line = append(line, piece...)
			line = bytes.Clone(line[:idWindow])
		default:
			line = append(line, piece...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case tooLong:
			return line, errTooLong
		case err != nil && len(line) > 0:
			return line, nil
		}
		return line, err
	}
}
