package trail_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/trail"
)

// place is a directory for a log beside a jail.
type place struct{ dir, jail, log string }

func newPlace() place {
	GinkgoHelper()
	return placeIn(GinkgoT().TempDir())
}

// memoryDir is a directory where a sync costs nothing, if the system has such.
func memoryDir() string {
	GinkgoHelper()
	dir, err := os.MkdirTemp("/dev/shm", "trail")
	if err != nil {
		return GinkgoT().TempDir()
	}
	DeferCleanup(os.RemoveAll, dir)
	return dir
}

func placeIn(dir string) place {
	GinkgoHelper()
	p := place{dir: dir, jail: filepath.Join(dir, "jail"), log: filepath.Join(dir, "state", "audit.jsonl")}
	Expect(os.MkdirAll(p.jail, 0o700)).To(Succeed())
	Expect(os.MkdirAll(filepath.Dir(p.log), 0o700)).To(Succeed())
	return p
}

func (p place) options() trail.Options { return trail.Options{Path: p.log, Jail: p.jail} }

// open opens a log that the spec closes or that is closed after it.
func open(o trail.Options) *trail.Log {
	GinkgoHelper()
	l, err := trail.Open(o)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { _, _ = l.Close() })
	return l
}

func attempt(id string) trail.Record {
	raw := "ls -la"
	return trail.Record{
		EventID: id, Kind: trail.Attempt, Tool: "run_command", CommandRaw: &raw, Argv: []string{"ls", "-la"},
		ExecArgv: []string{"ls", "-la"}, Cwd: ".", Jail: "/srv/jail", Exe: "/bin/ls", PolicyHash: "abc", Client: "spec 1",
	}
}

func outcome(id string) trail.Record {
	r, zero := attempt(id), 0
	r.Kind = trail.Outcome
	r.Result = &trail.Result{Code: "OK", ExitCode: &zero, Duration: 1500 * time.Microsecond, StdoutBytes: 12}
	return r
}

// call appends both records of an executed command.
func call(ctx context.Context, s trail.Sink, id string) {
	GinkgoHelper()
	Expect(s.Append(ctx, attempt(id))).To(Succeed())
	Expect(s.Append(ctx, outcome(id))).To(Succeed())
}

func lines(path string) []string {
	GinkgoHelper()
	b, err := os.ReadFile(path)
	Expect(err).NotTo(HaveOccurred())
	if len(b) == 0 {
		return nil
	}
	Expect(string(b)).To(HaveSuffix("\n"))
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

func entries(path string) []trail.Entry {
	GinkgoHelper()
	var found []trail.Entry
	for _, line := range lines(path) {
		e, err := trail.ParseEntry([]byte(line))
		Expect(err).NotTo(HaveOccurred())
		found = append(found, e)
	}
	return found
}

// journal is an operator's log that specs can read.
type journal struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.String()
}

func (j *journal) logger() *slog.Logger { return slog.New(slog.NewTextHandler(j, nil)) }
