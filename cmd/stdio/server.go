package stdio

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"hardened-terminal-mcp/config"
	"hardened-terminal-mcp/pipeline"
)

// How long calls that were received are waited for. Together they stay under
// the 5 s in which the server promises to exit.
const (
	grace     = 3 * time.Second         // after the end of input, to finish
	windingUp = 1500 * time.Millisecond // after they were told to stop
)

// maxInFlight bounds the calls that are held at once, whatever a client sends.
const maxInFlight = 1024

// Options are what a server speaks for.
type Options struct {
	Chain   *pipeline.Chain
	Policy  config.Policy
	Jail    string // shown to the client as the place where commands run
	Version string
	Log     *slog.Logger
	Sandbox func() any // what holds the commands, for _meta; may wait until that is known
}

// A Server answers one client.
type Server struct {
	chain   *pipeline.Chain
	mcp     *server.MCPServer
	session *session
	admit   *admission
	log     *slog.Logger
	sandbox func() any

	mu       sync.Mutex
	calls    map[string]*call // in flight, by id
	closed   bool
	inFlight sync.WaitGroup
}

// A call is one tools/call that has not been answered yet.
type call struct {
	cancel    context.CancelFunc
	cancelled bool // by the client, which must then get no answer
}

// New prepares a server.
func New(o Options) *Server {
	s := &Server{
		chain:   o.Chain,
		session: newSession(),
		admit:   newAdmission(o.Policy.Limits.MaxConcurrent, o.Policy.Limits.MaxCallsPerSecond),
		log:     o.Log,
		sandbox: o.Sandbox,
		calls:   map[string]*call{},
	}
	s.mcp = server.NewMCPServer("hardened-terminal-mcp", o.Version,
		server.WithTitle("Hardened terminal"),
		server.WithInstructions(instructions(o.Policy, o.Jail)),
		server.WithToolCapabilities(false),
	)
	for _, tool := range tools(o.Policy) {
		mode, _ := modeOf(tool.Name)
		s.mcp.AddTool(tool, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return s.tool(ctx, tool.Name, mode, r.Params.RawArguments), nil
		})
	}
	return s
}

// Serve answers messages from in on out until in ends, the client stops
// reading, or ctx ends. At the end of in, calls that were received are answered
// within a grace period of 3 s; otherwise running commands are ended at once.
// Every call has its outcome on record when Serve returns, within 5 s.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) {
	w := newWriter(out)
	stopWatching := watch(out, w.hangUp)
	defer stopWatching()

	calls, stop := context.WithCancelCause(s.mcp.WithContext(context.Background(), s.session))
	input := make(chan struct{})
	go func() {
		defer close(input)
		s.read(calls, newLineReader(in), w)
	}()

	// Reading, running and writing may each hang; this goroutine never does.
	select {
	case <-input:
		select {
		case <-s.idle():
		case <-time.After(grace):
		case <-w.gone:
		case <-ctx.Done():
		}
	case <-w.gone:
	case <-ctx.Done():
	}
	s.close()
	stop(pipeline.ErrShutdown)
	select {
	case <-s.idle():
	case <-time.After(windingUp):
		s.log.Warn("some calls did not end in time")
	}
}

// close lets no further call begin.
func (s *Server) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

// idle is closed when no call is in flight any more.
func (s *Server) idle() <-chan struct{} {
	c := make(chan struct{})
	go func() {
		defer close(c)
		s.inFlight.Wait()
	}()
	return c
}

// read takes one message after the other until the end of input. It hands tool
// calls to goroutines, so that reading never waits for a command, and answers
// everything else itself, in order: a client may rely on initialize being done.
func (s *Server) read(ctx context.Context, lines *lineReader, w *writer) {
	for {
		line, err := lines.next()
		switch {
		case err == errTooLong:
			w.fail(prefixID(line), invalidRequest, errTooLong.Error())
			continue
		case err != nil:
			return
		}
		s.handle(ctx, line, w)
	}
}

func (s *Server) handle(ctx context.Context, line []byte, w *writer) {
	var m message
	if json.Unmarshal(line, &m) != nil {
		m = message{} // mcp-go knows the right answer
	}
	switch {
	case m.hasID() && !m.goodID():
		w.fail(noID, invalidRequest, "the id must be a string or a number")
	case !exact(line, "jsonrpc", "id", "method", "params"):
		if m.Method == string(mcp.MethodToolsCall) {
			s.record(ctx, "", "the message has a key twice, or in another case")
		}
		w.fail(m.id(), invalidRequest, "the message has a key twice, or in another case")
	case m.Method == string(mcp.MethodToolsCall) && m.hasID():
		s.start(ctx, m, line, w)
	case m.Method == "notifications/cancelled":
		s.cancel(m.requestID())
	default:
		answer := s.protocol(ctx, m, line)
		s.session.flush(w)
		w.reply(m.id(), answer)
	}
}
