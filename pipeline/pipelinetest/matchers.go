package pipelinetest

import (
	"fmt"
	"strings"

	"github.com/onsi/gomega/gcustom"
	"github.com/onsi/gomega/types"

	"hardened-terminal-mcp/envelope"
	"hardened-terminal-mcp/pipeline"
)

// BeRefused matches a result that was refused with code and a reason that
// holds every one of words: no exit code, no output.
func BeRefused(code envelope.ResultCode, words ...string) types.GomegaMatcher {
	return gcustom.MakeMatcher(func(r envelope.CommandResult) (bool, error) {
		for _, w := range words {
			if !strings.Contains(r.PolicyReason, w) {
				return false, nil
			}
		}
		return !r.OK && r.Code == code && r.ExitCode == nil && r.Stdout == "" && r.Stderr == "", nil
	}).WithMessage(fmt.Sprintf("be refused with %s for a reason that holds %q", code, words))
}

// HaveRun matches a result of a command that ran to its end with this exit
// status.
func HaveRun(exit int) types.GomegaMatcher {
	return gcustom.MakeMatcher(func(r envelope.CommandResult) (bool, error) {
		return r.Code.Completed() && r.OK == (r.Code == envelope.OK) && r.ExitCode != nil && *r.ExitCode == exit, nil
	}).WithMessage(fmt.Sprintf("have run to its end with exit status %d", exit))
}

// StopWith matches a verdict that stops with code and a reason that holds
// every one of words.
func StopWith(code envelope.ResultCode, words ...string) types.GomegaMatcher {
	return gcustom.MakeMatcher(func(v pipeline.Verdict) (bool, error) {
		for _, w := range words {
			if !strings.Contains(v.Reason(), w) {
				return false, nil
			}
		}
		return !v.Proceeds() && v.Code() == code, nil
	}).WithMessage(fmt.Sprintf("stop with %s for a reason that holds %q", code, words))
}

// Proceed matches a verdict that lets the request go on.
func Proceed() types.GomegaMatcher {
	return gcustom.MakeMatcher(func(v pipeline.Verdict) (bool, error) {
		return v.Proceeds(), nil
	}).WithMessage("let the request go on")
}
