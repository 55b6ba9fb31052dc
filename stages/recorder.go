package stages

import (
	"path/filepath"

	"hardened-terminal-mcp/pipeline"
	"hardened-terminal-mcp/stages/secrets"
	"hardened-terminal-mcp/stages/trail"
)

// A Recorder turns an exchange into a record of the audit trail. Everything the
// client sent is redacted before it is encoded.
type Recorder struct {
	Sink       trail.Sink
	Redactor   *secrets.Redactor
	Jail       string // canonical path of the jail root
	PolicyHash string
}

// record is what an attempt and an outcome have in common. launched says
// whether the command ran or is about to.
func (r Recorder) record(x *pipeline.Exchange, kind trail.Kind, launched bool) trail.Record {
	req := x.Request()
	rec := trail.Record{
		EventID:    x.ID(),
		Kind:       kind,
		Tool:       r.Redactor.Text(req.Tool).Text,
		Argv:       []string{},
		Cwd:        r.Redactor.Text(req.Dir).Text,
		Jail:       r.Jail,
		PolicyHash: r.PolicyHash,
		Client:     r.Redactor.Text(req.Client).Text,
	}
	var argv []string
	if x.Parsed() {
		argv = x.Argv()
		rec.Argv = r.Redactor.Argv(argv)
	}
	if req.Command != nil {
		rec.CommandRaw = new(r.Redactor.Command(*req.Command, argv))
	}
	if launched {
		g := x.Grant()
		rec.ExecArgv, rec.Exe = r.Redactor.Argv(g.Argv), g.Exe
		rec.Cwd = r.Redactor.Text(filepath.Join(r.Jail, x.Dir())).Text
	}
	return rec
}
