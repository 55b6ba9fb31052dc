package cmd

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

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

func newAuditVerify() *cobra.Command {
	var head, keyFile string
	var check trail.Check
	c := &cobra.Command{
		Use:   "verify [FILE...]",
		Short: "Find the first line that is not what was written",
		Long: "Names each line that was edited, inserted, removed, moved or doubled, and gaps between files, in the order of the chain.\n" +
			"A tail that was cut off shows only against --head, which the server prints when it stops. Works on a live log.\n" +
			"Exit status: 0 sound, 1 not sound, 2 not readable.",
	}
	c.Flags().StringVar(&head, "head", "", "SEQ:HASH kept elsewhere; the log must still hold that record")
	c.Flags().StringVar(&keyFile, "key", "", "key file of a log written with [audit] key_file")
	c.Flags().BoolVar(&check.Whole, "whole", false, "the log must begin with record 1")
	c.RunE = func(c *cobra.Command, args []string) error {
		files, err := auditFiles(args)
		if err != nil {
			return err
		}
		if head != "" {
			anchor, err := trail.ParseHead(head)
			if err != nil {
				return err
			}
			check.Anchor = &anchor
		}
		if keyFile != "" {
			if check.Key, err = trail.ReadKey(keyFile); err != nil {
				return err
			}
		}
		report, err := trail.VerifyFiles(check, files...)
		if err != nil {
			return err
		}
		printReport(c.OutOrStdout(), report)
		if !report.Sound() {
			return leave(1)
		}
		return nil
	}
	return c
}

func printReport(w io.Writer, r trail.Report) {
	for _, p := range r.Problems {
		fmt.Fprintln(w, trail.Visible(p.String()))
	}
	if more := r.Bad - len(r.Problems); more > 0 {
		fmt.Fprintf(w, "and %d more bad lines\n", more)
	}
	for _, o := range r.Orphans {
		fmt.Fprintf(w, "attempt without outcome: %s, record %d of %s, pid %d (killed, or still running)\n",
			trail.Visible(o.EventID), o.Seq, trail.Visible(o.At), o.PID)
	}
	if first := r.FirstSeq(); first > 1 {
		fmt.Fprintf(w, "begins at record %d: earlier files were removed, or not named\n", first)
	}
	if r.Unlogged > 0 {
		fmt.Fprintf(w, "%d calls went unrecorded in open mode\n", r.Unlogged)
	}
	verdict := "sound"
	if !r.Sound() {
		verdict = "NOT SOUND"
	}
	fmt.Fprintf(w, "%s: %d records in %d files, %d attempts, %d outcomes, %d bad lines; head %s\n",
		verdict, r.Records, len(r.Files), r.Attempts, r.Outcomes, r.Bad, r.Head)
}

func newAuditShow() *cobra.Command {
	var since string
	var filter trail.Filter
	var asJSON, follow bool
	c := &cobra.Command{
		Use:     "show [FILE...]",
		Short:   "Show records as a table",
		Long:    "What a terminal would obey is spelled out (\\u001b). With --follow it goes on until interrupted.",
		Example: "  " + program + " audit show --since 1h --code POLICY_DENIED",
	}
	c.Flags().StringVar(&since, "since", "", "records from a time (2026-01-02T15:04:05Z) or for a while (90m)")
	c.Flags().StringVar(&filter.Event, "event", "", "records of an event id, or of those that begin so")
	c.Flags().StringVar(&filter.Code, "code", "", "outcomes with a result code")
	c.Flags().StringVar(&filter.Tool, "tool", "", "records of a tool")
	c.Flags().BoolVar(&asJSON, "json", false, "the records as they stand in the file")
	c.Flags().BoolVar(&follow, "follow", false, "wait for more")
	c.RunE = func(c *cobra.Command, args []string) error {
		var err error
		if filter.Since, err = sinceWhen(since, time.Now()); err != nil {
			return err
		}
		files, err := auditFiles(args)
		if err != nil {
			return err
		}
		s := &shower{w: c.OutOrStdout(), filter: filter, json: asJSON, colour: colourful(c.OutOrStdout())}
		if err := s.heading(); err != nil {
			return err
		}
		last := len(files)
		if follow {
			last--
		}
		if err := eachLine(files[:last], s.show); err != nil || !follow {
			return err
		}
		ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt)
		defer stop()
		return trail.Follow(ctx, files[last], s.show)
	}
	return c
}

// sinceWhen reads a time, or a duration back from now.
func sinceWhen(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil {
		return now.Add(-ago), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("--since %s: use a time like 2026-01-02T15:04:05Z or a duration like 90m", text)
	}
	return at, nil
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

// shower prints the records that pass its filter.
type shower struct {
	w            io.Writer
	filter       trail.Filter
	json, colour bool
}

const auditRow = "%8s  %-23s  %-8s  %-17s  %4s  %7s  %s\n"

func (s *shower) heading() error {
	if s.json {
		return nil
	}
	return s.row(trail.Columns)
}

func (s *shower) row(r [len(trail.Columns)]string) error {
	_, err := fmt.Fprintf(s.w, auditRow, r[0], r[1], r[2], r[3], r[4], r[5], r[6])
	return err
}

func (s *shower) show(line []byte) error {
	e, err := trail.ParseEntry(line)
	switch {
	case err != nil && !s.json: // a damaged line must not hide the others
		_, err = fmt.Fprintf(s.w, "%8s  %s\n", "?", trail.Visible(string(line[:min(len(line), 80)])))
		return err
	case err != nil || !s.filter.Match(e):
		return nil
	case s.json:
		_, err = s.w.Write(line)
		return err
	case s.colour && e.Kind == trail.Outcome && e.Code != "OK":
		fmt.Fprint(s.w, "\x1b[31m")
		defer fmt.Fprint(s.w, "\x1b[m")
	}
	return s.row(e.Row())
}

// colourful reports whether output goes to a terminal whose user has not opted
// out (no-color.org).
func colourful(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

func newAuditStats() *cobra.Command {
	c := &cobra.Command{
		Use:   "stats [FILE...]",
		Short: "Count calls by code and command, the slowest, and what was redacted",
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		files, err := auditFiles(args)
		if err != nil {
			return err
		}
		var s trail.Stats
		err = eachLine(files, func(line []byte) error {
			if e, err := trail.ParseEntry(line); err == nil {
				s.Add(e)
			}
			return nil
		})
		if err == nil {
			printStats(c.OutOrStdout(), &s)
		}
		return err
	}
	return c
}

func printStats(w io.Writer, s *trail.Stats) {
	fmt.Fprintf(w, "%d calls", s.Calls)
	if s.Unlogged > 0 {
		fmt.Fprintf(w, ", and %d that open mode could not record", s.Unlogged)
	}
	fmt.Fprintln(w)
	for _, table := range []struct {
		title string
		rows  []trail.Count
		timed bool
	}{{"by code", s.Codes(), true}, {"by command", s.Commands(), true}, {"redactions", s.Redactions(), false}} {
		if len(table.rows) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s\n", table.title)
		for _, c := range table.rows {
			took := ""
			if table.timed {
				took = fmt.Sprintf("  %v on average", (c.Total / time.Duration(c.N)).Round(time.Millisecond))
			}
			fmt.Fprintf(w, "%8d  %s%s\n", c.N, trail.Visible(c.Name), took)
		}
	}
	if len(s.Slowest) > 0 {
		fmt.Fprintln(w, "\nslowest")
	}
	for _, e := range s.Slowest {
		r := e.Row()
		fmt.Fprintf(w, "%8s ms  %s  %s  %s\n", r[5], r[2], r[3], r[6])
	}
}
