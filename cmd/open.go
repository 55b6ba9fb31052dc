package cmd

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"hardened-terminal-mcp/config"
	"hardened-terminal-mcp/pipeline"
	"hardened-terminal-mcp/stages"
	"hardened-terminal-mcp/stages/jailpath"
	"hardened-terminal-mcp/stages/sandbox"
	"hardened-terminal-mcp/stages/secrets"
	"hardened-terminal-mcp/stages/trail"
)

// A house is the server put together: everything that was opened at startup.
type house struct {
	source   config.Source
	root     *jailpath.Root
	launcher *sandbox.Launcher
	trail    *trail.Log
	auditLog string // absolute path of the trail
	chain    *pipeline.Chain
	log      *log
}

// open puts the house together, or reports every fault there is at once. What
// is less than level is not logged.
func open(s config.Settings, level slog.Level, edits []Edit) (*house, error) {
	var faults []error
	found := func(err error) bool {
		if err != nil {
			faults = append(faults, err)
		}
		return err != nil
	}

	source, err := config.Load(s)
	found(err)
	p := source.Policy
	redactor, err := secrets.Compile(redaction(p.Redaction))
	if found(err) {
		redactor, err = secrets.Compile(secrets.Options{Enabled: true}) // for the log of this failure
		found(err)
	}
	root, err := openJail(s.Jail)
	found(err)
	place, err := findPlaces(root)
	found(err)
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}

	h := &house{source: source, root: root, log: newLog(os.Stderr, level, redactor)}
	programs, err := findPrograms(p, root, h.log)
	found(err)
	env, err := environment(p.Env, place)
	found(err)
	found(h.openTrail(place))
	if len(faults) == 0 {
		h.launcher, err = h.openLauncher(place)
		found(err)
	}
	if len(faults) == 0 {
		plan := stages.Default(stages.Parts{
			Policy: p, Hash: source.Hash, Programs: programs, Env: env,
			Root: root, Launcher: h.launcher, Redactor: redactor, Trail: h.sink(), Log: h.log.Logger,
		})
		for _, edit := range edits {
			edit(&plan)
		}
		h.chain, err = plan.Build()
		found(err)
	}
	if len(faults) > 0 {
		h.close()
		return nil, errors.Join(faults...)
	}
	h.warn()
	return h, nil
}

// close ends what still runs, then the trail, then the log that may speak of
// both.
func (h *house) close() {
	if h.launcher != nil {
		h.launcher.Close()
	}
	if h.trail != nil {
		if _, err := h.trail.Close(); err != nil {
			h.log.Error("close the audit trail", "err", err)
		}
	}
	h.root.Close()
	h.log.close()
}

func (h *house) openTrail(at places) error {
	path := h.source.Policy.AuditLog
	if path == "" {
		path = at.auditLog()
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("audit log %s: %w", path, err)
	}
	if h.root.Holds(path) {
		return fmt.Errorf("audit log %s lies inside the jail %s, where commands could write it; set --audit-log or %s to a path outside", path, h.root.Path(), config.AuditLogVar)
	}
	h.auditLog = path
	a := h.source.Policy.Audit
	var key []byte
	if a.KeyFile != "" {
		if key, err = trail.ReadKey(a.KeyFile); err != nil {
			return fmt.Errorf("audit.key_file: %w", err)
		}
	}
	read, write, err := at.reach(h.source.Policy.Sandbox)
	if err != nil {
		return err
	}
	h.trail, err = trail.Open(trail.Options{
		Path: path, Jail: h.root.Path(), Forbidden: append(read, write...), Sync: trail.Sync(a.Sync), MaxBytes: a.MaxBytes, Keep: a.Keep, Key: key, Logger: h.log.Logger,
	})
	return err
}

// openLauncher prepares the kernel jail. What must never be written or read is
// named to it, so that no [sandbox] entry can open it by mistake.
func (h *house) openLauncher(at places) (*sandbox.Launcher, error) {
	p := h.source.Policy
	read, write, err := at.reach(p.Sandbox)
	self, err2 := os.Executable()
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	readOnly := []string{self}
	if h.source.Path != "" {
		readOnly = append(readOnly, h.source.Path)
	}
	hidden := []string{h.auditLog}
	if p.Audit.KeyFile != "" {
		hidden = append(hidden, p.Audit.KeyFile)
	}
	return sandbox.New(sandbox.Options{
		Jail:     h.root.Path(),
		Slots:    p.Limits.MaxConcurrent,
		Mode:     sandbox.Mode(p.Sandbox.Mode),
		Network:  p.Sandbox.Network,
		Path:     p.Env.Dirs(),
		Read:     read,
		Write:    append(write, at.cache),
		Home:     at.home,
		ReadOnly: readOnly,
		Hidden:   hidden,
		Limits: sandbox.Limits{
			MaxProcesses:   p.Limits.MaxProcesses,
			MaxMemoryBytes: p.Limits.MaxMemoryBytes,
			MaxFileBytes:   p.Limits.MaxFileBytes,
			MaxOpenFiles:   p.Limits.MaxOpenFiles,
			MaxCPU:         p.Limits.MaxCPU,
		},
	})
}

// sink is the trail in the fail mode that was chosen.
func (h *house) sink() trail.Sink {
	if h.source.Policy.AuditFailMode == config.Open {
		return trail.FailOpen(h.trail, h.log.Logger)
	}
	return h.trail
}

// warn says what weakens a guarantee.
func (h *house) warn() {
	for _, w := range h.source.Policy.Warnings() {
		h.log.Warn(w, "policy", h.source.Name)
	}
	if h.source.Path != "" && h.root.Holds(h.source.Path) {
		h.log.Warn("the policy file lies inside the jail, where commands could edit it", "policy", h.source.Path)
	}
	if last := h.trail.LastPolicyHash(); last != "" && last != h.source.Hash {
		h.log.Warn("the policy has changed since the last record of the audit trail", "was", last, "is", h.source.Hash)
	}
}

func redaction(r config.Redaction) secrets.Options {
	o := secrets.Options{Enabled: r.Enabled, EntropyFallback: r.EntropyFallback}
	for _, p := range r.ExtraPatterns {
		o.Extra = append(o.Extra, secrets.Pattern{Name: p.Name, Regex: p.Regex})
	}
	return o
}
