package trail

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// leastKey is what a key must have at least: it is the only thing that keeps whoever can
// write the log from computing the chain anew.
const leastKey = 16

// VerifyFiles verifies files in the order of the chain, whatever the order they are named
// in. A live log is read up to where it stood, with no record half written.
func VerifyFiles(c Check, paths ...string) (Report, error) {
	files, err := openSources(paths)
	defer func() {
		for _, f := range files {
			_ = f.Close()
		}
	}()
	if err != nil {
		return Report{}, err
	}
	sources := make([]Source, len(files))
	for i, f := range files {
		sources[i] = Source{f.Name(), io.NewSectionReader(f, 0, f.size)}
	}
	return Verify(c, sources...)
}

type sourceFile struct {
	*os.File
	size  int64
	first uint64
}

func openSources(paths []string) ([]sourceFile, error) {
	var files []sourceFile
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return files, err
		}
		size, err := settledSize(f)
		files = append(files, sourceFile{f, size, firstSeq(f)})
		if err != nil {
			return files, fmt.Errorf("read %s: %w", path, err)
		}
	}
	slices.SortStableFunc(files, func(a, b sourceFile) int {
		if a.size == 0 || b.size == 0 { // an empty file comes last: it has just been begun
			return cmp.Compare(b.size, a.size)
		}
		return cmp.Compare(a.first, b.first)
	})
	return files, nil
}

// Files gives the files of the log at a path in the order of the chain: those that rotation
// has finished, then the current one.
func Files(path string) ([]string, error) {
	dir, base := filepath.Split(path)
	entries, err := os.ReadDir(cmp.Or(dir, "."))
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries { // sorted by name
		if isFinished(base, e.Name()) {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return append(files, path), nil
}

// ReadKey reads the key of the HMAC. It refuses a file that others may read: with the key
// they could forge the chain.
func ReadKey(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 {
		return nil, &fs.PathError{Op: "read key", Path: path, Err: errors.New("must be a regular file of mode 0600")}
	}
	key, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(key) < leastKey {
		return nil, &fs.PathError{Op: "read key", Path: path, Err: fmt.Errorf("has %d bytes, needs at least %d", len(key), leastKey)}
	}
	return key, nil
}

// ReadHead gives the head of a log, to be kept as an anchor.
func ReadHead(path string) (Head, error) {
	f, err := os.Open(path)
	if err != nil {
		return Head{}, err
	}
	defer f.Close()
	size, err := settledSize(f)
	if err != nil {
		return Head{}, err
	}
	t, err := readTail(f, size)
	if err != nil || t.last.seq == 0 {
		return Head{}, errors.Join(err, fmt.Errorf("%s holds no record", path))
	}
	return Head{t.last.seq, t.last.hash}, nil
}
