package cmd

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"hardened-terminal-mcp/cmd/stdio"
	"hardened-terminal-mcp/config"
	"hardened-terminal-mcp/pipeline"
	"hardened-terminal-mcp/stages/sandbox"
)

func newServe(edits []Edit) *cobra.Command {
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve MCP on standard input and output",
		Args:  cobra.NoArgs,
	}
	flags := settingsFlags(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		s, err := settings(c, *flags)
		if err != nil {
			return err
		}
		ctx, stop := untilSignal(c.Context())
		defer stop()
		return serve(ctx, s, edits)
	}
	return c
}

// untilSignal is a context that ends, by ErrShutdown, when the program is told
// to stop. SIGPIPE is taken and dropped: a client that reads no more must not
// kill the server before it has ended and recorded its commands. (Ignoring it
// would be inherited by every command.)
func untilSignal(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	end := make(chan os.Signal, 1)
	signal.Notify(end, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	go func() {
		select {
		case <-end:
			cancel(pipeline.ErrShutdown)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// serve runs the server until its client leaves or ctx ends.
func serve(ctx context.Context, s config.Settings, edits []Edit) error {
	if err := sandbox.Harden(); err != nil {
		return err
	}
	out, err := stdio.Claim()
	if err != nil {
		return err
	}
	h, err := open(s, slog.LevelInfo, edits)
	if err != nil {
		return err
	}
	defer h.close()

	h.log.say("serving MCP on standard input and output; jail %s, policy %s, audit log %s, fail mode %s",
		h.root.Path(), h.source.Name, h.auditLog, h.source.Policy.AuditFailMode)
	if term.IsTerminal(int(os.Stdin.Fd())) {
		h.log.say("waiting for an MCP client on standard input; to try a command use `%s run 'ls -la'`, to stop press Ctrl-D", program)
	}
	go h.sayJail()
	server := stdio.New(stdio.Options{
		Chain: h.chain, Policy: h.source.Policy, Jail: h.root.Path(), Version: version(), Log: h.log.Logger,
		Sandbox: func() any { return jailFacts(h.launcher.Report()) },
	})
	server.Serve(ctx, os.Stdin, out)
	h.log.say("stopped; the audit log ends at %s", h.trail.Head())
	return nil
}

// sayJail says how commands are confined, once that is known: the client's
// handshake does not wait for it.
func (h *house) sayJail() {
	r := h.launcher.Report()
	h.log.say("kernel jail: %s", r)
	level := slog.LevelInfo // at the highest rung there is nothing to be done about it
	if r.Rung != 1 {
		level = slog.LevelWarn
	}
	for _, open := range r.Open {
		h.log.Log(context.Background(), level, "not confined: "+open, "rung", r.Rung)
	}
}

// jailFacts is what a client is told of the kernel jail with every result.
func jailFacts(r sandbox.Report) map[string]any {
	return map[string]any{"rung": r.Rung, "confinement": r.Confinement, "kill": r.Kill, "open": r.Open}
}
