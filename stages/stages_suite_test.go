package stages_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/pipeline"
	"hardened-terminal-mcp/stages/secrets"
)

func TestStages(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "stages")
}

// asked is an exchange for a command line.
func asked(line string) *pipeline.Exchange {
	return pipeline.NewExchange(pipeline.Request{Mode: pipeline.Run, Tool: "run_command", Command: &line})
}

// parsed is an exchange whose command has been parsed.
func parsed(argv ...string) *pipeline.Exchange {
	x := asked("")
	x.SetArgv(argv)
	return x
}

func redactor(o secrets.Options) *secrets.Redactor {
	GinkgoHelper()
	r, err := secrets.Compile(o)
	Expect(err).NotTo(HaveOccurred())
	return r
}
