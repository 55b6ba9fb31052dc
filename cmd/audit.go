package cmd

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"hardened-terminal-mcp/config"
	"hardened-terminal-mcp/stages/trail"
)

func newAudit() *cobra.Command {
	c := &cobra.Command{
		Use:   "audit",
		Short: "Verify, show and sum up the audit trail",
		Long: "Works on the files named, or, when none is, on the log of " + config.AuditLogVar + " or of the default place,\n" +
			"with those that rotation has finished.",
		Args: cobra.NoArgs,
	}
	c.AddCommand(newAuditVerify(), newAuditShow(), newAuditStats())
	return c
}

// auditFiles are the files to work on. The last is the one that grows.
func auditFiles(named []string) ([]string, error) {
	if len(named) > 0 {
		return named, nil
	}
	path := os.Getenv(config.AuditLogVar)
	if path == "" {
		state, err := baseDir("XDG_STATE_HOME", ".local/state")
		if err != nil {
			return nil, err
		}
		path = places{state: filepath.Join(state, program)}.auditLog()
	}
	return trail.Files(path)
}

func eachLine(files []string, each func([]byte) error) error {
	for _, name := range files {
		if err := linesOf(name, each); err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
	}
	return nil
}

func linesOf(name string, each func([]byte) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	for l := range trail.Lines(f) {
		if l.Err != nil {
			return l.Err
		}
		if err := each(l.Bytes); err != nil {
			return err
		}
	}
	return nil
}
