// Package cmd is the program: main as a library, so that a fork is a main of
// its own that edits the plan of stages.
//
//	func main() {
//		cmd.Main(func(p *pipeline.Plan) { p.Gates = append(p.Gates, noPush{}) })
//	}
//
// Each subcommand is one thin file; [open] puts the house together.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"hardened-terminal-mcp/pipeline"
	"hardened-terminal-mcp/stages/sandbox"
)

// program is what the program calls itself, also in the paths it makes.
const program = "hardened-terminal-mcp"

// Exit statuses that are not a command's own; run and explain document the rest.
const (
	exitOK      = 0
	exitRefused = 2 // of a startup: a bad flag, policy, jail or log
)

// An Edit changes the plan of stages before it is checked and built.
type Edit func(*pipeline.Plan)

// Main is the whole program. It does not return.
func Main(edits ...Edit) {
	sandbox.HelperMain(os.Args) // does not return in the process that starts commands
	os.Exit(execute(context.Background(), os.Args[1:], edits))
}

// exitStatus is an error whose text has been said already.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

func execute(ctx context.Context, args []string, edits []Edit) int {
	root := newRoot(edits)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var status exitStatus
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &status):
		return int(status)
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintf(os.Stderr, "%s: %s\n", program, line)
	}
	return exitRefused
}

func newRoot(edits []Edit) *cobra.Command {
	root := newServe(edits)
	root.Use = program
	root.Short = "A security-hardened terminal for AI clients"
	root.Long = "A security-hardened MCP server that runs allowlisted commands in one directory: no shell, bounded, audited, redacted.\n\n" +
		"Without a subcommand it serves MCP on standard input and output."
	root.SilenceErrors, root.SilenceUsage = true, true
	root.AddCommand(newServe(edits), newRun(edits), newExplain(edits), newInit(), newCheck(), newAudit(), newRedact(), newDoctor(), newVersion())
	return root
}
