//go:build !linux

package sandbox

// Harden does nothing here: Go opens every descriptor close-on-exec, and what the parent left open stays open.
func Harden() error { return nil }
