package cmd

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hardened-terminal-mcp/config"
)

// settingsFlags gives a command the flags that mirror the environment.
func settingsFlags(c *cobra.Command) *config.Settings {
	s := &config.Settings{}
	f := c.Flags()
	f.StringVar(&s.PolicyFile, "policy", "", "policy file (default policy.toml; "+config.PolicyFileVar+")")
	f.StringVar(&s.Profile, "profile", "", "embedded profile instead of a file: "+strings.Join(config.Profiles(), ", "))
	f.StringVar(&s.Jail, "jail", "", "directory to run commands in and below (default the current one; "+config.JailRootVar+")")
	f.StringVar(&s.AuditLog, "audit-log", "", "audit trail, outside the jail (default in the state directory; "+config.AuditLogVar+")")
	f.StringVar(&s.AuditFailMode, "audit-fail-mode", "", "closed or open (default closed; "+config.AuditFailModeVar+")")
	for name, values := range map[string][]string{"profile": config.Profiles(), "audit-fail-mode": {string(config.Closed), string(config.Open)}} {
		if err := c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
			panic(err) // the flag was defined above
		}
	}
	return s
}

// settings lays the flags over the environment. A flag that is given but empty
// is a fault, as a variable is.
func settings(c *cobra.Command, flags config.Settings) (config.Settings, error) {
	var faults []error
	c.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "string" && f.Value.String() == "" {
			faults = append(faults, fmt.Errorf("--%s is given but empty", f.Name))
		}
	})
	env, err := config.Environment(os.Environ())
	return flags.Over(env), errors.Join(append(faults, err)...)
}
