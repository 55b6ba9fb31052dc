package trail

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"
)

// Sync says when records are forced to the disk. A record survives the death of the
// server without it; fdatasync is for loss of power.
type Sync string

const (
	// SyncAttempt makes each attempt durable before its command runs; outcomes are
	// carried by the next sync. It is the default.
	SyncAttempt Sync = "attempt"
	// SyncAlways makes every record durable before Append returns.
	SyncAlways Sync = "always"
	// SyncNever leaves it to the kernel.
	SyncNever Sync = "never"
)

// Options describe a log. Only Path is required.
type Options struct {
	Path string
	// Jail and Forbidden are trees through which the log must not be reachable:
	// what a command can write it can forge.
	Jail      string
	Forbidden []string

	Sync     Sync
	MaxBytes int64  // size at which a new file is begun; 0 is never
	Keep     int    // finished files kept besides the current one; 0 is all
	Key      []byte // HMAC-SHA256 instead of SHA-256

	// Timeout bounds each Append and Close, LockTimeout the part of it spent waiting
	// for another server. 0 is 4 s and 2 s.
	Timeout, LockTimeout time.Duration

	Now    func() time.Time // nil is time.Now; only for the ts of records
	Logger *slog.Logger     // nil is silence; never waited for

	// Wrap stands between the log and its files, so that faults can be injected.
	Wrap func(File) File
}

func (o Options) withDefaults() (Options, error) {
	if o.Sync == "" {
		o.Sync = SyncAttempt
	}
	if o.Timeout == 0 {
		o.Timeout = 4 * time.Second
	}
	if o.LockTimeout == 0 {
		o.LockTimeout = 2 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Wrap == nil {
		o.Wrap = func(f File) File { return f }
	}
	if err := o.validate(); err != nil {
		return o, err
	}
	path, err := filepath.Abs(o.Path) // a later chdir must not move the log
	if err != nil {
		return o, fmt.Errorf("audit log %s: %w", o.Path, err)
	}
	o.Path = path
	return o, nil
}

func (o Options) validate() error {
	var faults []error
	if o.Path == "" {
		faults = append(faults, errors.New("audit log: no path given"))
	}
	switch o.Sync {
	case SyncAttempt, SyncAlways, SyncNever:
	default:
		faults = append(faults, fmt.Errorf("audit sync %q: use attempt, always or never", o.Sync))
	}
	if o.MaxBytes != 0 && o.MaxBytes < MaxLine {
		faults = append(faults, fmt.Errorf("audit max_bytes %d: at least %d", o.MaxBytes, MaxLine))
	}
	if o.Keep < 0 {
		faults = append(faults, fmt.Errorf("audit keep %d: must not be negative", o.Keep))
	}
	return errors.Join(faults...)
}

// trees are the places the log must not be reachable from.
func (o Options) trees() []string { return append([]string{o.Jail}, o.Forbidden...) }
