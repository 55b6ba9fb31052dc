package cmd

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// release is set by the linker when a release is built:
// -ldflags "-X hardened-terminal-mcp/cmd.release=1.2.3".
var release string

// version is the release, or what the build knows of where it came from.
func version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		Run: func(*cobra.Command, []string) {
			fmt.Printf("%s %s (%s, %s/%s)\n", program, version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		},
	}
}
