package cmd

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hardened-terminal-mcp/config"
	"hardened-terminal-mcp/stages/secrets"
)

// A notice is one thing that check found.
type notice struct {
	Level   string `json:"level"` // "error" or "warning"
	Rule    string `json:"rule"`  // stable, for a machine to tell them apart
	Message string `json:"message"`
}

func newCheck() *cobra.Command {
	var s config.Settings
	var asJSON, strict bool
	c := &cobra.Command{
		Use:   "check [FILE]",
		Short: "Look for what is wrong or unwise in a policy",
		Long:  "Reads a policy as the server would and reports errors and warnings. Exit status: 0, 1 for warnings with --strict, 2 for errors.",
		Args:  cobra.MaximumNArgs(1),
	}
	c.Flags().StringVar(&s.PolicyFile, "policy", "", "policy file (default policy.toml; "+config.PolicyFileVar+")")
	c.Flags().StringVar(&s.Profile, "profile", "", "embedded profile instead of a file: "+strings.Join(config.Profiles(), ", "))
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	c.Flags().BoolVar(&strict, "strict", false, "leave with 1 when there are warnings")
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 1 {
			s.PolicyFile = args[0]
		}
		s, err := settings(c, s)
		if err != nil {
			return err
		}
		notices := check(s)
		for _, n := range notices {
			n.print(asJSON)
		}
		return leave(checkStatus(notices, strict))
	}
	return c
}

func (n notice) print(asJSON bool) {
	if !asJSON {
		fmt.Printf("%s: %s: %s\n", n.Level, n.Rule, n.Message)
		return
	}
	line, err := json.Marshal(n)
	if err != nil {
		panic(err) // three strings
	}
	fmt.Println(string(line))
}

func checkStatus(notices []notice, strict bool) int {
	status := exitOK
	for _, n := range notices {
		switch {
		case n.Level == "error":
			return exitRefused
		case strict:
			status = 1
		}
	}
	return status
}

// check is what can be said of a policy without starting a server on it.
func check(s config.Settings) []notice {
	var out []notice
	source, err := config.Load(s)
	for _, line := range split(err) {
		out = append(out, notice{"error", "config", line})
	}
	if err != nil {
		return append(out, checkPatterns(source.Policy.Redaction)...)
	}
	for _, w := range source.Policy.Warnings() {
		out = append(out, notice{"warning", "config", w})
	}
	return append(out, checkPatterns(source.Policy.Redaction)...)
}

// checkPatterns compiles the operator's patterns and tries each on texts that
// are made to be hard.
func checkPatterns(r config.Redaction) []notice {
	var out []notice
	_, err := secrets.Compile(redaction(r))
	for _, line := range split(err) {
		out = append(out, notice{"error", "extra-pattern", line})
	}
	if err != nil {
		return out
	}
	for _, p := range r.ExtraPatterns {
		slow, err := secrets.Backtracks(secrets.Pattern{Name: p.Name, Regex: p.Regex})
		switch {
		case err != nil:
			out = append(out, notice{"error", "extra-pattern", err.Error()})
		case slow:
			out = append(out, notice{
				"warning", "extra-pattern-backtracks",
				fmt.Sprintf("extra pattern %q takes too long on hostile text, and then the whole output is withheld; avoid nested repetition such as (a+)+", p.Name),
			})
		}
	}
	return out
}

// split takes joined errors apart, a line each.
func split(err error) []string {
	if err == nil {
		return nil
	}
	return strings.Split(err.Error(), "\n")
}
