package stdio

import (
	"strings"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
)

// session is the one client of a stdio server. mcp-go tells it who the client
// is, by the handshake of the older protocol versions or by each request's
// _meta in the newer.
type session struct {
	ready         atomic.Bool
	info          atomic.Pointer[mcp.Implementation]
	capabilities  atomic.Pointer[mcp.ClientCapabilities]
	version       atomic.Pointer[string]
	notifications chan mcp.JSONRPCNotification
}

func newSession() *session {
	return &session{notifications: make(chan mcp.JSONRPCNotification, 16)}
}

func (s *session) SessionID() string { return "stdio" }
func (s *session) Initialize()       { s.ready.Store(true) }
func (s *session) Initialized() bool { return s.ready.Load() }

// NotificationChannel is where mcp-go puts what is to be said before an answer:
// the server offers nothing else that notifies.
func (s *session) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.notifications }

// flush sends what mcp-go has put there.
func (s *session) flush(w *writer) {
	for {
		select {
		case n := <-s.notifications:
			w.send(n)
		default:
			return
		}
	}
}

func (s *session) SetClientInfo(i mcp.Implementation)             { s.info.Store(&i) }
func (s *session) SetClientCapabilities(c mcp.ClientCapabilities) { s.capabilities.Store(&c) }
func (s *session) SetProtocolVersion(v string)                    { s.version.Store(&v) }

func (s *session) GetClientInfo() mcp.Implementation {
	if i := s.info.Load(); i != nil {
		return *i
	}
	return mcp.Implementation{}
}

func (s *session) GetClientCapabilities() mcp.ClientCapabilities {
	if c := s.capabilities.Load(); c != nil {
		return *c
	}
	return mcp.ClientCapabilities{}
}

func (s *session) ProtocolVersion() string {
	if v := s.version.Load(); v != nil {
		return *v
	}
	return ""
}

// client is the name and version the client gave, for the record.
func (s *session) client() string {
	i := s.GetClientInfo()
	return strings.TrimSpace(i.Name + " " + i.Version)
}
