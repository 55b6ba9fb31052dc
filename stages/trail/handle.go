package trail

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
)

// handle is one opening of the log file.
type handle struct {
	File
	dir folder
	is  Stat // at the opening: which file it is does not change

	dirty      bool        // the directory entry is not durable yet; the syncer's
	distrusted atomic.Bool // an fsync failed: pages may be lost although a later one succeeds
}

// openHandle opens or creates the log, checking where it lies and what it is.
func openHandle(o Options) (*handle, error) {
	dir, err := openFolder(o.Path)
	if err != nil {
		return nil, err
	}
	h, err := openIn(dir, o)
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return h, nil
}

func openIn(dir folder, o Options) (*handle, error) {
	if err := dir.outside(o.trees()); err != nil {
		return nil, err
	}
	f, created, err := dir.open()
	if err != nil {
		return nil, err
	}
	h := &handle{File: o.Wrap(osFile{f}), dir: dir, dirty: created}
	err = guard(func() (err error) {
		if h.is, err = h.Stat(); err != nil {
			return err
		}
		return h.is.check(os.Geteuid())
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("audit log %s: %w", o.Path, err), h.File.Close())
	}
	return h, nil
}

// Close gives up the file, its lock and its directory.
func (h *handle) Close() error { return errors.Join(h.File.Close(), h.dir.Close()) }
