//go:build unix && !linux

package trail_test

import "os"

func datasync(f *os.File) error { return f.Sync() }
