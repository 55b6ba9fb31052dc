package config

import "time"

// A Policy is policy.toml, with the defaults filled in.
type Policy struct {
	Version       int       `koanf:"version"`         // of the schema; 1
	Allow         []string  `koanf:"allow"`           // command names that may run, compared exactly
	Deny          []string  `koanf:"deny"`            // names that may not, compared without regard to case; wins over Allow
	RequireRules  bool      `koanf:"require_rules"`   // argument rules are not part of this version: always false
	AuditLog      string    `koanf:"audit_log"`       // path; HTMCP_AUDIT_LOG wins
	AuditFailMode FailMode  `koanf:"audit_fail_mode"` // HTMCP_AUDIT_FAIL_MODE wins
	Limits        Limits    `koanf:"limits"`
	Env           Env       `koanf:"env"`
	Output        Output    `koanf:"output"`
	Sandbox       Sandbox   `koanf:"sandbox"`
	Redaction     Redaction `koanf:"redaction"`
	Audit         Audit     `koanf:"audit"`
}

// A FailMode says what happens to a call that cannot be recorded.
type FailMode string

// Closed refuses it; Open runs it and warns.
const (
	Closed FailMode = "closed"
	Open   FailMode = "open"
)

// Limits bound one call, and the calls together.
type Limits struct {
	Timeout           time.Duration `koanf:"timeout"`              // wall clock of one command; "30s" in the file
	MaxStdoutBytes    int           `koanf:"max_stdout_bytes"`     // returned of stdout
	MaxStderrBytes    int           `koanf:"max_stderr_bytes"`     // returned of stderr
	MaxCommandBytes   int           `koanf:"max_command_bytes"`    // length of a command line
	MaxArgs           int           `koanf:"max_args"`             // words behind the command's name
	MaxConcurrent     int           `koanf:"max_concurrent"`       // commands that run at the same time
	MaxCallsPerSecond int           `koanf:"max_calls_per_second"` // of run_command; 0 is no limit

	// The kernel's limits, see setrlimit(2). They hold where the kernel jail
	// does; 0 leaves the server's own limit.
	MaxProcesses   int           `koanf:"max_processes"`    // of all commands together, threads included
	MaxMemoryBytes int64         `koanf:"max_memory_bytes"` // private writable memory of a process (RLIMIT_DATA)
	MaxFileBytes   int64         `koanf:"max_file_bytes"`   // of a file that is written
	MaxOpenFiles   int           `koanf:"max_open_files"`   // of a process
	MaxCPU         time.Duration `koanf:"max_cpu"`          // processor time of a process, in whole seconds
}

// Env is the environment of every command, beside HOME and LANG.
type Env struct {
	Path string            `koanf:"path"` // absolute directories, joined by ':'; the only place commands are looked up in
	Set  map[string]string `koanf:"set"`  // {JAIL}, {CACHE} and {USER_HOME} are replaced in values
}

// Output says how output is shown.
type Output struct {
	KeepEscapes bool `koanf:"keep_escapes"` // true leaves terminal escape sequences in
}

// A SandboxMode says how much confinement by the kernel is insisted on.
type SandboxMode string

// Required refuses to start without confinement; BestEffort takes the most the
// kernel offers and warns of what is missing; Off takes none.
const (
	Required   SandboxMode = "required"
	BestEffort SandboxMode = "best-effort"
	Off        SandboxMode = "off"
)

// Sandbox says what commands may reach beside the jail, by the kernel's word.
type Sandbox struct {
	Mode    SandboxMode `koanf:"mode"`
	Network bool        `koanf:"network"` // true opens IPv4 and IPv6, loopback and metadata services included
	Read    []string    `koanf:"read"`    // absolute paths to read and execute
	Write   []string    `koanf:"write"`   // absolute paths to read, write and execute
}

// A Sync says when records are forced to disk (fdatasync).
type Sync string

// SyncAttempt forces each attempt before its command starts, SyncAlways every
// record, SyncNever leaves it to the kernel: a power cut may then lose records.
const (
	SyncAttempt Sync = "attempt"
	SyncAlways  Sync = "always"
	SyncNever   Sync = "never"
)

// Audit configures stages/trail.
type Audit struct {
	Sync     Sync   `koanf:"sync"`
	MaxBytes int64  `koanf:"max_bytes"` // at which the log is rotated; 0 never
	Keep     int    `koanf:"keep"`      // rotated files kept; 0 keeps all
	KeyFile  string `koanf:"key_file"`  // key of an HMAC instead of a plain hash; outside the jail
}

// Redaction configures stages/secrets.
type Redaction struct {
	Enabled         bool           `koanf:"enabled"`
	EntropyFallback bool           `koanf:"entropy_fallback"` // also mask what merely looks random; noisy
	ExtraPatterns   []ExtraPattern `koanf:"extra_patterns"`
}

// An ExtraPattern is a pattern of the operator's.
type ExtraPattern struct {
	Name  string `koanf:"name"`  // shown as [REDACTED:name]
	Regex string `koanf:"regex"` // regexp2 syntax, so lookaround works
}

// Default is what an empty policy.toml means. It allows nothing.
func Default() Policy {
	return Policy{
		Version:       1,
		AuditFailMode: Closed,
		Limits: Limits{
			Timeout:         30 * time.Second, // below the 60 s after which clients give up
			MaxStdoutBytes:  65536,
			MaxStderrBytes:  16384,
			MaxCommandBytes: 4096,
			MaxArgs:         64,
			MaxConcurrent:   8,
			MaxProcesses:    2048,
			MaxMemoryBytes:  16 << 30,
			MaxFileBytes:    4 << 30,
			MaxOpenFiles:    4096,
			MaxCPU:          10 * time.Minute,
		},
		Env:       Env{Path: "/usr/local/bin:/usr/bin:/bin"},
		Sandbox:   Sandbox{Mode: BestEffort},
		Redaction: Redaction{Enabled: true},
		Audit:     Audit{Sync: SyncAttempt, MaxBytes: 64 << 20},
	}
}
