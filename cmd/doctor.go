package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"hardened-terminal-mcp/config"
	"hardened-terminal-mcp/stages/sandbox"
)

// A diagnosis is what doctor found.
type diagnosis struct {
	Jail     string         `json:"jail"`
	Policy   string         `json:"policy"`
	AuditLog string         `json:"audit_log"`
	Sandbox  map[string]any `json:"sandbox"`
	SelfTest []attempt      `json:"self_test"`
	Notices  []notice       `json:"notices"`
}

// An attempt is an escape that was tried, as JSON shows it.
type attempt struct {
	What    string `json:"what"`
	Refused bool   `json:"refused"`
	Skipped string `json:"skipped,omitempty"` // why it was not tried
}

func newDoctor() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Say what this machine lets the server promise, and try it",
		Long: "Starts the server's parts as serve would, says how commands are confined here and what that leaves open, looks at the policy\n" +
			"and at the permissions of the files that matter, and tries a harmless escape of each kind.\n\n" +
			"Exit status: 0, 1 when something is unwise or an escape was not refused, 2 when the server would not start.",
		Args: cobra.NoArgs,
	}
	flags := settingsFlags(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	c.RunE = func(c *cobra.Command, _ []string) error {
		s, err := settings(c, *flags)
		if err != nil {
			return err
		}
		ctx, stop := untilSignal(c.Context())
		defer stop()
		d, err := diagnose(ctx, s)
		if err != nil {
			return err
		}
		if asJSON {
			return errorOr(json.NewEncoder(os.Stdout).Encode(d), d.status())
		}
		d.print(os.Stdout)
		return leave(d.status())
	}
	return c
}

func errorOr(err error, status int) error {
	if err != nil {
		return err
	}
	return leave(status)
}

// diagnose opens the house, looks round and tries the doors.
func diagnose(ctx context.Context, s config.Settings) (diagnosis, error) {
	if err := sandbox.Harden(); err != nil {
		return diagnosis{}, err
	}
	h, err := open(s, slog.LevelError, nil)
	if err != nil {
		return diagnosis{}, err
	}
	defer h.close()
	d := diagnosis{
		Jail: h.root.Path(), Policy: h.source.Name, AuditLog: h.auditLog,
		Sandbox: jailFacts(h.launcher.Report()),
		Notices: append(check(s), h.permissions()...),
	}
	d.Sandbox["landlock_abi"] = h.launcher.Report().LandlockABI
	d.Sandbox["refused"] = h.launcher.Report().Refused
	attempts, err := sandbox.SelfTest(ctx, h.launcher)
	for _, a := range attempts {
		d.SelfTest = append(d.SelfTest, attempt(a))
	}
	return d, err
}

// permissions looks at the files whose writers rule the server.
func (h *house) permissions() []notice {
	paths := []string{filepath.Dir(h.auditLog), h.auditLog}
	if h.source.Path != "" {
		paths = append(paths, filepath.Dir(h.source.Path), h.source.Path)
	}
	if self, err := os.Executable(); err == nil {
		paths = append(paths, filepath.Dir(self), self)
	}
	var out []notice
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			out = append(out, notice{"warning", "permissions", err.Error()})
			continue
		}
		sticky := info.Mode()&fs.ModeSticky != 0
		if info.Mode().Perm()&0o002 != 0 && !sticky {
			out = append(out, notice{"warning", "permissions", fmt.Sprintf("%s can be written by every user (mode %#o)", path, info.Mode().Perm())})
		}
	}
	if h.source.Path != "" && h.root.Holds(h.source.Path) {
		out = append(out, notice{"warning", "policy-in-jail", h.source.Path + " lies inside the jail"})
	}
	return out
}

// status is 1 when there is something to see to.
func (d diagnosis) status() int {
	for _, a := range d.SelfTest {
		if !a.Refused && a.Skipped == "" {
			return 1
		}
	}
	if len(d.Notices) > 0 {
		return 1
	}
	return exitOK
}

func (d diagnosis) print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "jail\t%s\npolicy\t%s\naudit log\t%s\n", d.Jail, d.Policy, d.AuditLog)
	for _, key := range []string{"rung", "confinement", "kill", "landlock_abi"} {
		fmt.Fprintf(t, "%s\t%v\n", key, d.Sandbox[key])
	}
	t.Flush()
	for _, why := range d.Sandbox["refused"].([]string) {
		fmt.Fprintf(w, "not available: %s\n", why)
	}
	for _, open := range d.Sandbox["open"].([]string) {
		fmt.Fprintf(w, "left open: %s\n", open)
	}
	for _, n := range d.Notices {
		fmt.Fprintf(w, "%s: %s: %s\n", n.Level, n.Rule, n.Message)
	}
	fmt.Fprintln(w, "\nself-test: escapes that were tried")
	for _, a := range d.SelfTest {
		fmt.Fprintf(t, "  %s\t%s\n", a.verdict(), a.What)
	}
	t.Flush()
}

func (a attempt) verdict() string {
	switch {
	case a.Skipped != "":
		return "not tried (" + a.Skipped + ")"
	case a.Refused:
		return "refused"
	}
	return "NOT REFUSED"
}
