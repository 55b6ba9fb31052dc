package sandbox

import (
	"fmt"
	"strings"
)

// A Report says what holds the commands, and what does not. It is what the operator reads before trusting it.
type Report struct {
	Rung        int      // 1 namespaces, 2 Landlock alone, 5 process group; lower is stronger; 0: nothing runs, see Refused
	Confinement string   // "namespaces+landlock", "namespaces", "landlock" or "none"
	Kill        string   // "pid namespace+landlock scope", "pid namespace", "landlock scope" or "process group"
	LandlockABI int      // 0 without Landlock
	Open        []string // what this rung leaves open, a sentence each
	Refused     []string // why higher rungs were not taken
}

// String is the report on one line.
func (r Report) String() string {
	if r.Rung == 0 {
		return "commands are refused: " + strings.Join(r.Refused, "; ")
	}
	s := fmt.Sprintf("rung %d: confined by %s, killed by %s", r.Rung, r.Confinement, r.Kill)
	if len(r.Refused) > 0 {
		s += " (" + strings.Join(r.Refused, "; ") + ")"
	}
	return s
}

// Strings that a Report's fields take.
const (
	byNamespaces = "namespaces"
	byLandlock   = "landlock"
	byNothing    = "none"

	killNamespace = "pid namespace"
	killScope     = "landlock scope"
	killGroupOnly = "process group"
)

// groupReport is the lowest rung.
func groupReport(refused ...string) Report {
	return Report{
		Rung: 5, Confinement: byNothing, Kill: killGroupOnly, Refused: refused,
		Open: []string{
			"commands read and write whatever the server's user can",
			"commands reach the network",
			"a command that leaves its process group with setsid outlives its end",
			"no limit on processes, memory or files but the server's own",
		},
	}
}
