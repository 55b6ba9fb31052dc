package cmd

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hardened-terminal-mcp/config"
	"hardened-terminal-mcp/stages/jailpath"
	"hardened-terminal-mcp/stages/sandbox"
)

// findPrograms looks up every allowed command in the policy's PATH, once. A
// directory in the jail is refused: a command could put its own ls there. What
// is not found is said; the rest of the policy still works.
func findPrograms(p config.Policy, root *jailpath.Root, l *log) (map[string]sandbox.Executable, error) {
	var faults []error
	for _, dir := range p.Env.Dirs() {
		if root.Holds(dir) {
			faults = append(faults, fmt.Errorf("env.path: %s lies inside the jail %s, where commands could replace programs", dir, root.Path()))
		}
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	programs := map[string]sandbox.Executable{}
	var missing []string
	for _, name := range p.Allow {
		program, err := sandbox.Find(p.Env.Dirs(), name)
		switch {
		case err == nil:
			programs[name] = program
		case errors.Is(err, sandbox.ErrNotFound):
			missing = append(missing, name)
		default:
			faults = append(faults, fmt.Errorf("allow %q: %w", name, err))
		}
	}
	if len(missing) > 0 {
		l.Warn("allowed, but not found in env.path", "commands", strings.Join(missing, " "))
	}
	return programs, errors.Join(faults...)
}

// environment is what every command sees: PATH, HOME, LANG and what the policy
// sets. Nothing of the server's own environment is in it.
func environment(e config.Env, at places) ([]string, error) {
	vars := map[string]string{"PATH": e.Path, "HOME": at.home, "LANG": "C.UTF-8"}
	var faults []error
	for name, value := range e.Set {
		filled, err := at.fill(value)
		if err != nil {
			faults = append(faults, fmt.Errorf("env.set.%s: %w", name, err))
		}
		vars[name] = filled
	}
	var env []string
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		env = append(env, name+"="+vars[name])
	}
	return env, errors.Join(faults...)
}
