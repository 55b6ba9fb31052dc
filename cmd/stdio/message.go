package stdio

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// A message is as much of a JSON-RPC message as the loop needs to know.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// The JSON-RPC 2.0 error codes the loop itself answers with.
const (
	parseError     = -32700
	invalidRequest = -32600
	invalidParams  = -32602
	internalError  = -32603
)

var noID = json.RawMessage("null")

// hasID reports whether the message is a request: one with an id.
func (m message) hasID() bool { return len(m.ID) > 0 && string(m.ID) != "null" }

// id is the id to answer under: null for a message whose own is not known.
func (m message) id() json.RawMessage {
	if m.hasID() {
		return m.ID
	}
	return noID
}

// goodID reports whether the id is of a type the protocol has: a string or a
// number, one that fits.
func (m message) goodID() bool {
	var number float64
	return m.ID[0] == '"' || json.Unmarshal(m.ID, &number) == nil
}

// exact reports whether an object has each of these keys at most once and in
// this spelling. encoding/json folds case and lets the last of two win: a
// reviewer in between would see another message than the server. What is no
// object has no keys.
func exact(object json.RawMessage, keys ...string) bool {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return true
	}
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		name, ok := t.(string)
		var value json.RawMessage
		if err != nil || !ok || d.Decode(&value) != nil {
			return true // not JSON: said elsewhere
		}
		if seen[name] {
			return false
		}
		seen[name] = true
		for _, key := range keys {
			if name != key && strings.EqualFold(name, key) {
				return false
			}
		}
	}
	return true
}

// toolName is the name in the params of tools/call; ok is false when there is
// none, or params are not an object with a string of that name.
func (m message) toolName() (name string, ok bool) {
	var p struct {
		Name *string `json:"name"`
	}
	if json.Unmarshal(m.Params, &p) != nil || p.Name == nil {
		return "", false
	}
	return *p.Name, true
}

// requestID is the id that notifications/cancelled speaks of.
func (m message) requestID() string {
	var p struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(m.Params, &p) != nil {
		return ""
	}
	return string(p.RequestID)
}

var idInPrefix = regexp.MustCompile(`^\s*\{(?:\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,)*\s*"id"\s*:\s*("[^"\\]*"|-?[0-9]+)`)

// prefixID finds the id at the beginning of a message that was too long to
// read, where it is plain to see; else null.
func prefixID(prefix []byte) json.RawMessage {
	if m := idInPrefix.FindSubmatch(prefix); m != nil {
		return m[1]
	}
	return noID
}
