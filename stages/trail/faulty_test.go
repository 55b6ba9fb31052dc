package trail_test

import (
	"io"
	"sync"

	"hardened-terminal-mcp/stages/trail"
)

// fault decides what an operation does instead of its work. A nil fault lets it through.
type fault func(op string, f trail.File, p []byte) (n int, err error)

// door is the set of files a log has open, with the operations counted.
type door struct {
	mu    sync.Mutex
	count int
	at    func(n int, op string) fault // which fault the n-th operation meets, counted from 1
}

func (d *door) wrap(f trail.File) trail.File { return &doored{f, d} }

func (d *door) set(at func(n int, op string) fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.at = at
}

// every makes each operation of a kind meet a fault, until it is lifted by nil.
func (d *door) every(op string, f fault) {
	d.set(func(_ int, o string) fault {
		if o == op {
			return f
		}
		return nil
	})
}

func (d *door) next(op string) fault {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.count++
	if d.at == nil {
		return nil
	}
	return d.at(d.count, op)
}

func (d *door) operations() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.count
}

type doored struct {
	trail.File
	door *door
}

func (f *doored) Write(p []byte) (int, error) {
	if bad := f.door.next("write"); bad != nil {
		return bad("write", f.File, p)
	}
	return f.File.Write(p)
}

func (f *doored) plain(op string, do func() error) error {
	if bad := f.door.next(op); bad != nil {
		_, err := bad(op, f.File, nil)
		if err == nil {
			err = do()
		}
		return err
	}
	return do()
}

func (f *doored) ReadAt(p []byte, off int64) (n int, err error) {
	err = f.plain("read", func() error { n, err = f.File.ReadAt(p, off); return err })
	return n, err
}

func (f *doored) Stat() (st trail.Stat, err error) {
	err = f.plain("stat", func() error { st, err = f.File.Stat(); return err })
	return st, err
}

func (f *doored) TryLock() (ok bool, err error) {
	err = f.plain("lock", func() error { ok, err = f.File.TryLock(); return err })
	return ok, err
}

func (f *doored) Sync() error   { return f.plain("sync", f.File.Sync) }
func (f *doored) Unlock() error { return f.plain("unlock", f.File.Unlock) }
func (f *doored) Close() error  { return f.plain("close", f.File.Close) }
func (f *doored) Truncate(size int64) error {
	return f.plain("truncate", func() error { return f.File.Truncate(size) })
}

func (f *doored) Reserve(off, n int64) error {
	return f.plain("reserve", func() error { return f.File.Reserve(off, n) })
}

// fails is a fault that returns an error.
func fails(err error) fault {
	return func(string, trail.File, []byte) (int, error) { return 0, err }
}

// short writes half, and leaves other operations alone.
func short(_ string, f trail.File, p []byte) (int, error) {
	n, err := f.Write(p[:len(p)/2])
	if err == nil && len(p) > 0 {
		err = io.ErrShortWrite
	}
	return n, err
}

// breaks is a panic below the door.
func breaks(string, trail.File, []byte) (int, error) { panic("broken file") }
