package trail

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

const followEvery = 200 * time.Millisecond

// Follow hands each line of a log to a function, then each that is added, until ctx ends
// or the function fails. It goes on in the new file when the log is rotated, and reads
// from the beginning again when it is emptied. A line is handed over when it is whole.
func Follow(ctx context.Context, path string, each func(line []byte) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	var read int64
	for {
		// Looked at before reading: a file that is no longer at the path grows no more.
		next, err := successor(path, f)
		if err != nil {
			return err
		}
		n, err := wholeLines(io.NewSectionReader(f, read, 1<<62), each)
		read += n
		if err != nil {
			if next != nil {
				_ = next.Close()
			}
			return err
		}
		if next != nil {
			_ = f.Close()
			f, read = next, 0
			continue
		}
		if info, err := f.Stat(); err == nil && info.Size() < read {
			read = 0
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// successor opens the file at the path if it is another than f.
func successor(path string, f *os.File) (*os.File, error) {
	next, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // being rotated
	}
	if err != nil {
		return nil, err
	}
	was, err := f.Stat()
	if err == nil {
		var is os.FileInfo
		if is, err = next.Stat(); err == nil && !os.SameFile(was, is) {
			return next, nil
		}
	}
	return nil, errors.Join(err, next.Close())
}

// wholeLines returns how many bytes the lines handed over have.
func wholeLines(r io.Reader, each func([]byte) error) (int64, error) {
	var n int64
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		n += int64(len(line))
		if err := each(line); err != nil {
			return n, err
		}
	}
}
