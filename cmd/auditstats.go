package cmd

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"hardened-terminal-mcp/stages/trail"
)

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
