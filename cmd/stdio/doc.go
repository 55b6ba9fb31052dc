// Package stdio is the transport: JSON-RPC lines on standard input and output,
// and the only place that knows mcp-go. It frames lines, hands the protocol's
// own messages to [server.MCPServer.HandleMessage], decodes the arguments of the
// two tools strictly and takes every call, also one it cannot read, through the
// chain, so that nothing goes unrecorded.
//
// mcp-go's own stdio loop is not used: it drops queued calls at the end of
// input, runs calls that were cancelled while queued, has no bound on a line and
// lets a slow tool hold up a fast one.
package stdio
