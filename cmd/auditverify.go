package cmd

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"hardened-terminal-mcp/stages/trail"
)

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
