package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"hardened-terminal-mcp/config"
)

func newInit() *cobra.Command {
	var profile string
	c := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a commented policy.toml to start from",
		Long:  "Writes the text of an embedded profile to FILE (default " + config.DefaultFile + "). A file that exists is never overwritten.",
		Args:  cobra.MaximumNArgs(1),
	}
	c.Flags().StringVar(&profile, "profile", "explorer", "profile to write: "+strings.Join(config.Profiles(), ", "))
	c.RunE = func(_ *cobra.Command, args []string) error {
		file := config.DefaultFile
		if len(args) == 1 {
			file = args[0]
		}
		text, err := config.Profile(profile)
		if err != nil {
			return err
		}
		if err := writeNew(file, text); err != nil {
			return err
		}
		fmt.Printf("wrote %s from profile %s; read it, then try: %s run --policy %s 'ls -la'\n", file, profile, program, file)
		return nil
	}
	return c
}

// writeNew writes a file that must not exist. O_EXCL also refuses a symlink.
func writeNew(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s exists already, and is left as it is; name another file", name)
	case err != nil:
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
