package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"hardened-terminal-mcp/config"
	"hardened-terminal-mcp/stages/secrets"
)

func newRedact() *cobra.Command {
	var policy string
	var report bool
	c := &cobra.Command{
		Use:   "redact",
		Short: "Mask secrets in standard input",
		Long: "Copies standard input to standard output with every secret masked, in bounded memory, also without end.\n" +
			"Without a policy named by --policy or " + config.PolicyFileVar + " the built-in patterns are used.",
		Example: "  kubectl get secret -o yaml x | " + program + " redact --report",
		Args:    cobra.NoArgs,
	}
	c.Flags().StringVar(&policy, "policy", "", "policy file with [redaction] ("+config.PolicyFileVar+")")
	c.Flags().BoolVar(&report, "report", false, "say on standard error what was masked: pattern, count and lines, never the value")
	c.RunE = func(c *cobra.Command, _ []string) error {
		s, err := settings(c, config.Settings{PolicyFile: policy})
		if err != nil {
			return err
		}
		r, err := redactorOf(s)
		if err != nil {
			return err
		}
		found := findings{}
		stream := r.Stream(os.Stdout)
		stream.Report(found.add)
		_, err = io.Copy(stream, os.Stdin)
		if err := errors.Join(err, stream.Close()); err != nil {
			return fmt.Errorf("redact: %w", err)
		}
		if report {
			found.print(os.Stderr)
		}
		return nil
	}
	return c
}

// redactorOf is the redactor of the policy that was named, or the built-ins.
func redactorOf(s config.Settings) (*secrets.Redactor, error) {
	if s.PolicyFile == "" {
		return secrets.Compile(secrets.Options{Enabled: true})
	}
	source, err := config.Load(s)
	if err != nil {
		return nil, err
	}
	if !source.Policy.Redaction.Enabled {
		return nil, fmt.Errorf("policy %s: redaction.enabled is false, so nothing would be masked", source.Name)
	}
	return secrets.Compile(redaction(source.Policy.Redaction))
}

// linesKept is how many lines of one pattern a report names: input may have no
// end, and memory must.
const linesKept = 20

// findings count what was masked, by pattern.
type findings map[string]*finding

type finding struct {
	count int
	lines []int
}

func (f findings) add(x secrets.Finding) {
	if f[x.Name] == nil {
		f[x.Name] = &finding{}
	}
	f[x.Name].count++
	if n := len(f[x.Name].lines); n < linesKept && (n == 0 || f[x.Name].lines[n-1] != x.Line) {
		f[x.Name].lines = append(f[x.Name].lines, x.Line)
	}
}

// print writes the report, most frequent first.
func (f findings) print(w io.Writer) {
	names := slices.SortedFunc(maps.Keys(f), func(a, b string) int {
		return cmp.Or(cmp.Compare(f[b].count, f[a].count), cmp.Compare(a, b))
	})
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "PATTERN\tCOUNT\tLINES")
	for _, name := range names {
		fmt.Fprintf(t, "%s\t%d\t%s\n", name, f[name].count, f[name].where())
	}
	t.Flush()
}

func (f *finding) where() string {
	var out []string
	for _, n := range f.lines {
		out = append(out, strconv.Itoa(n))
	}
	if len(f.lines) == linesKept {
		out = append(out, "...")
	}
	return strings.Join(out, " ")
}
