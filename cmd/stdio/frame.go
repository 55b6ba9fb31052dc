package stdio

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// A writer sends one message a line. It is safe for concurrent use.
type writer struct {
	mu   sync.Mutex
	w    io.Writer
	once sync.Once
	gone chan struct{} // closed when the client reads no more
}

func newWriter(w io.Writer) *writer { return &writer{w: w, gone: make(chan struct{})} }

// send encodes and writes m in one write. HTML escapes stay off: the text is
// for a model. A message that cannot be written has nobody to read it.
func (w *writer) send(m any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		return // what we send is made of strings and raw JSON that was checked
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.w.Write(b.Bytes()); err != nil {
		w.hangUp()
	}
}

// hangUp notes that nobody reads any more.
func (w *writer) hangUp() { w.once.Do(func() { close(w.gone) }) }

// A failure is a JSON-RPC error of our own.
type failure struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   fault           `json:"error"`
}

type fault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func (w *writer) fail(id json.RawMessage, code int, text string) {
	w.send(failure{"2.0", id, fault{Code: code, Message: text}})
}

// A frame is the answer to tools/call. mcp-go's own encoder would escape HTML
// and encode the envelope twice.
type frame struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  toolResult      `json:"result"`
}

type toolResult struct {
	Meta              *mcp.Meta       `json:"_meta,omitempty"`
	ResultType        mcp.ResultType  `json:"resultType,omitempty"`
	Content           []textBlock     `json:"content"`
	StructuredContent json.RawMessage `json:"structuredContent"`
	IsError           bool            `json:"isError"`
}

type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// reply sends what mcp-go answered to the request with this id.
func (w *writer) reply(id json.RawMessage, m mcp.JSONRPCMessage) {
	switch m := m.(type) {
	case nil:
	case mcp.JSONRPCError:
		w.send(failure{"2.0", id, fault{m.Error.Code, plain(m.Error), m.Error.Data}})
	case mcp.JSONRPCResponse:
		if result, ok := toolResultOf(m); ok {
			w.send(frame{"2.0", id, result})
			return
		}
		w.send(m)
	default:
		w.send(m)
	}
}

// plain is fixed text for the errors in whose text mcp-go puts that of a Go
// error.
func plain(e mcp.JSONRPCErrorDetails) string {
	switch e.Code {
	case parseError:
		return "the message is not JSON"
	case invalidRequest:
		return "the request is not valid"
	case invalidParams:
		return "the params are not valid"
	case internalError:
		return "internal error"
	}
	return e.Message
}

// toolResultOf is the answer of a tool, if m is one.
func toolResultOf(m mcp.JSONRPCMessage) (toolResult, bool) {
	response, ok := m.(mcp.JSONRPCResponse)
	if !ok {
		return toolResult{}, false
	}
	r, ok := response.Result.(*mcp.CallToolResult)
	if !ok {
		return toolResult{}, false
	}
	body, _ := r.StructuredContent.(json.RawMessage)
	return toolResult{
		Meta:              r.Meta,
		ResultType:        r.ResultType,
		Content:           []textBlock{{"text", string(body)}},
		StructuredContent: body,
		IsError:           r.IsError,
	}, true
}
