// Command example-fork is hardened-terminal-mcp with one more gate: no git push.
package main

import (
	"context"
	"slices"

	"hardened-terminal-mcp/cmd"
	"hardened-terminal-mcp/envelope"
	"hardened-terminal-mcp/pipeline"
)

func main() {
	cmd.Main(func(p *pipeline.Plan) { p.Gates = append(p.Gates, noPush{}) })
}

type noPush struct{}

func (noPush) Spec() pipeline.Spec {
	return pipeline.Spec{Role: "no-push", After: []pipeline.Role{pipeline.Parse}}
}

func (noPush) Check(_ context.Context, x *pipeline.Exchange) pipeline.Verdict {
	argv := x.Argv()
	if argv[0] == "git" && slices.Contains(argv, "push") {
		return pipeline.Stop(envelope.PolicyDenied, "no-push: git push is not allowed here")
	}
	return pipeline.Continue()
}
