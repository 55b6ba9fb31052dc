package stdio

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"

	"hardened-terminal-mcp/envelope"
	"hardened-terminal-mcp/pipeline"
)

// start takes a tools/call on and returns at once.
func (s *Server) start(ctx context.Context, m message, line []byte, w *writer) {
	name, ok := m.toolName()
	if !exact(m.Params, "name", "arguments", "_meta") {
		s.record(ctx, name, "params have a key twice, or in another case")
		w.fail(m.ID, invalidParams, "params have a key twice, or in another case")
		return
	}
	if !ok {
		s.record(ctx, "", "the call names no tool")
		w.fail(m.ID, invalidParams, "params.name must be the name of a tool")
		return
	}
	if _, known := modeOf(name); !known {
		shown := strconv.QuoteToASCII(short(name))
		s.record(ctx, name, "there is no tool "+shown)
		w.fail(m.ID, invalidParams, fmt.Sprintf("unknown tool %s; there are %s and %s", shown, runTool, explainTool))
		return
	}

	ctx, cancel := context.WithCancel(ctx)
	c := &call{cancel: cancel}
	if !s.enrol(string(m.ID), c) {
		cancel()
		s.record(ctx, name, "the call's id is in use, or too many calls are in flight")
		w.fail(m.ID, invalidRequest, "the id is in use, or too many calls are in flight")
		return
	}
	go func() {
		defer s.inFlight.Done()
		defer cancel()
		answer := s.protocol(ctx, m, line)
		if _, ran := toolResultOf(answer); !ran {
			s.record(ctx, name, "the protocol refuses the request")
		}
		if s.retire(string(m.ID), c) {
			w.reply(m.ID, answer)
		}
	}()
}

// enrol registers a call in flight.
func (s *Server) enrol(id string, c *call) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.calls[id] != nil || len(s.calls) >= maxInFlight {
		return false
	}
	s.calls[id] = c
	s.inFlight.Add(1)
	return true
}

// retire takes a call out and reports whether it is to be answered.
func (s *Server) retire(id string, c *call) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.calls, id)
	return !c.cancelled
}

// cancel ends the call with this id. Its outcome is recorded, and nothing is
// answered: the specification forbids it.
func (s *Server) cancel(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.calls[id]; c != nil {
		c.cancelled = true
		c.cancel()
	}
}

// protocol lets mcp-go handle a message. The text of a panic stays here.
func (s *Server) protocol(ctx context.Context, m message, line []byte) (answer mcp.JSONRPCMessage) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("protocol handler panicked", "method", m.Method, "err", fmt.Sprintf("%v\n%s", p, debug.Stack()))
			if m.hasID() {
				answer = mcp.JSONRPCError{Error: mcp.JSONRPCErrorDetails{Code: internalError}}
			}
		}
	}()
	return s.mcp.HandleMessage(ctx, line)
}

// tool carries out one call of a known tool.
func (s *Server) tool(ctx context.Context, name string, mode pipeline.Mode, raw json.RawMessage) *mcp.CallToolResult {
	r := request(name, mode, s.session.client(), raw)
	if mode == pipeline.Run && r.Refusal == nil {
		leave, busy := s.admit.enter(ctx)
		if leave != nil {
			defer leave()
		}
		if busy != "" {
			r.Refusal = refuse(envelope.ExecutorError, busy)
		}
	}
	a := s.chain.Answer(ctx, r)
	result := &mcp.CallToolResult{
		StructuredContent: json.RawMessage(a.JSON()),
		IsError:           isError(mode, a.Code),
	}
	facts := meta(a)
	if mode == pipeline.Run {
		facts["sandbox"] = s.sandbox()
	}
	result.Meta = &mcp.Meta{AdditionalFields: facts}
	return result
}

// isError is the flag of the MCP result. A denial is a failed run and a good
// explanation.
func isError(mode pipeline.Mode, code envelope.ResultCode) bool {
	if mode == pipeline.Run {
		return !code.Completed()
	}
	return code == envelope.AuditUnavailable || code == envelope.InternalError
}

// meta is what stands beside the envelope.
func meta(a pipeline.Answer) map[string]any {
	m := map[string]any{"event_id": a.EventID}
	if a.Rule != "" {
		m["rule"], m["argv"], m["binary"] = a.Rule, a.Argv, a.Binary
	}
	return m
}

// record writes the outcome of a call that names none of the tools.
func (s *Server) record(ctx context.Context, tool, why string) {
	s.chain.Run(ctx, pipeline.Request{
		Tool: tool, Client: s.session.client(),
		Refusal: refuse(envelope.ParseError, "arguments: "+why),
	})
}
