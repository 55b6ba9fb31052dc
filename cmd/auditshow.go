package cmd

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"hardened-terminal-mcp/stages/trail"
)

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
