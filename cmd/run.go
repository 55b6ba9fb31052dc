package cmd

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"hardened-terminal-mcp/config"
	"hardened-terminal-mcp/envelope"
	"hardened-terminal-mcp/pipeline"
	"hardened-terminal-mcp/stages/sandbox"
)

// once is what run and explain share: one command through the same pipeline.
type once struct {
	settings *config.Settings
	cwd      string
	json     bool
}

func newOnce(c *cobra.Command) *once {
	o := &once{settings: settingsFlags(c)}
	c.Flags().StringVar(&o.cwd, "cwd", "", "directory to run in, in the jail (default its root)")
	c.Flags().BoolVar(&o.json, "json", false, "print the CommandResult as JSON")
	c.Args = func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("%s takes one command line; put quotes around it: %s '%s'", c.Name(), c.Name(), strings.Join(args, " "))
		}
		return nil
	}
	return o
}

func newRun(edits []Edit) *cobra.Command {
	c := &cobra.Command{
		Use:   "run COMMAND",
		Short: "Run one command through the pipeline, from a terminal",
		Long: "Runs one command as run_command does, and prints its output.\n\n" +
			"Exit status: the command's own; 124 for TIMEOUT, 125 for AUDIT_UNAVAILABLE and INTERNAL_ERROR,\n" +
			"126 for POLICY_DENIED, PARSE_ERROR and CWD_ESCAPE, 127 for EXECUTOR_ERROR, 2 for a refused startup.",
		Example: "  " + program + " run --profile explorer 'ls -la'",
	}
	o := newOnce(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		a, err := o.answer(c, pipeline.Run, args[0], edits)
		if err != nil {
			return err
		}
		if !o.json {
			io.WriteString(os.Stdout, a.Stdout)
			io.WriteString(os.Stderr, a.Stderr)
			remark(a.CommandResult)
		}
		return leave(runStatus(a.CommandResult))
	}
	return c
}

func newExplain(edits []Edit) *cobra.Command {
	c := &cobra.Command{
		Use:   "explain COMMAND",
		Short: "Say whether a command would run, and never run it",
		Long:  "Gives the verdict that explain_command gives. Exit status: 0 for a command that would run, 126 for one that would not, 2 for a refused startup.",
	}
	o := newOnce(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		a, err := o.answer(c, pipeline.Explain, args[0], edits)
		if err != nil {
			return err
		}
		if !a.OK {
			if !o.json {
				remark(a.CommandResult)
			}
			return leave(statusRefused)
		}
		if !o.json {
			fmt.Printf("allowed by %s; runs %s with argv %q\n", a.Rule, or(a.Binary, "nothing (not found in env.path)"), a.Argv)
			remark(a.CommandResult)
		}
		return nil
	}
	return c
}

// answer starts the house for one command and closes it again.
func (o *once) answer(c *cobra.Command, mode pipeline.Mode, command string, edits []Edit) (pipeline.Answer, error) {
	s, err := settings(c, *o.settings)
	if err != nil {
		return pipeline.Answer{}, err
	}
	if err := sandbox.Harden(); err != nil {
		return pipeline.Answer{}, err
	}
	ctx, stop := untilSignal(c.Context())
	defer stop()
	h, err := open(s, slog.LevelError, edits) // serve warns; here a person wants one answer
	if err != nil {
		return pipeline.Answer{}, err
	}
	defer h.close()
	a := h.chain.Answer(ctx, pipeline.Request{Mode: mode, Tool: toolName(mode), Command: &command, Dir: o.cwd, Client: program + " " + version()})
	if o.json {
		fmt.Println(string(a.JSON()))
	}
	if r := h.launcher.Report(); mode == pipeline.Run && h.source.Policy.Sandbox.Mode != config.Off && r.Rung != 1 {
		fmt.Fprintf(os.Stderr, "%s: kernel jail: %s; see `%s doctor`\n", program, r, program)
	}
	return a, nil
}

// toolName names the call in the trail as the tool it is the same as.
func toolName(m pipeline.Mode) string {
	if m == pipeline.Run {
		return "run_command"
	}
	return "explain_command"
}

// remark says on standard error what the output does not.
func remark(r envelope.CommandResult) {
	switch {
	case r.Code != envelope.OK && r.PolicyReason != "":
		fmt.Fprintf(os.Stderr, "%s: %s: %s\n", program, r.Code, r.PolicyReason)
	case r.Code != envelope.OK:
		fmt.Fprintf(os.Stderr, "%s: %s\n", program, r.Code)
	case r.PolicyReason != "":
		fmt.Fprintf(os.Stderr, "%s: %s\n", program, r.PolicyReason)
	}
}

// Exit statuses as env(1), timeout(1) and shells use them.
const (
	statusTimeout  = 124
	statusInternal = 125
	statusRefused  = 126
	statusNotRun   = 127
)

// runStatus is the exit status of run.
func runStatus(r envelope.CommandResult) int {
	switch r.Code {
	case envelope.OK, envelope.OutputTruncated:
		if r.ExitCode != nil {
			return *r.ExitCode
		}
		return statusInternal
	case envelope.Timeout:
		return statusTimeout
	case envelope.PolicyDenied, envelope.ParseError, envelope.CwdEscape:
		return statusRefused
	case envelope.ExecutorError:
		return statusNotRun
	}
	return statusInternal
}

func leave(status int) error {
	if status == exitOK {
		return nil
	}
	return exitStatus(status)
}

func or(s, instead string) string {
	if s == "" {
		return instead
	}
	return s
}
