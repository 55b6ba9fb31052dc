package trail

import (
	"encoding/json"
	"fmt"
	"time"
)

// Entry is a record as it stands in the file.
type Entry struct {
	V          int       `json:"v"`
	Seq        uint64    `json:"seq"`
	TS         time.Time `json:"ts"` // informs only; the order is Seq's
	Writer     string    `json:"writer"`
	PID        int       `json:"pid"`
	EventID    string    `json:"event_id"`
	Kind       Kind      `json:"record_type"`
	Tool       string    `json:"tool"`
	CommandRaw *string   `json:"command_raw"`
	Argv       []string  `json:"argv"`
	ExecArgv   []string  `json:"exec_argv"`
	Cwd        string    `json:"cwd"`
	Jail       string    `json:"jail"`
	Exe        *string   `json:"exe"`
	PolicyHash string    `json:"policy_hash"`
	Client     string    `json:"client"`

	// An attempt has none of these.
	Code         string         `json:"code"`
	ExitCode     *int           `json:"exit_code"`
	DurationMS   int64          `json:"duration_ms"`
	StdoutBytes  int64          `json:"stdout_bytes"`
	StderrBytes  int64          `json:"stderr_bytes"`
	Truncated    bool           `json:"truncated"`
	Redactions   map[string]int `json:"redactions"`
	PolicyReason string         `json:"policy_reason"`

	Unlogged int64  `json:"unlogged"` // calls that were not recorded before this one
	PrevHash string `json:"prev_hash"`
	Hash     string `json:"hash"`
}

// ParseEntry decodes one line. It does not check the hash: that is [Verify]'s task.
func ParseEntry(line []byte) (Entry, error) {
	var e Entry
	if err := json.Unmarshal(line, &e); err != nil {
		return Entry{}, fmt.Errorf("audit record: %w", err)
	}
	if e.V != 1 || e.Kind != Attempt && e.Kind != Outcome {
		return Entry{}, fmt.Errorf("audit record: version %d, type %q is not known", e.V, e.Kind)
	}
	return e, nil
}
