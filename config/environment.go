package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The variables the server reads. Each has a flag that wins over it.
const (
	PolicyFileVar    = "HTMCP_POLICY_FILE"
	JailRootVar      = "HTMCP_JAIL_ROOT"
	AuditLogVar      = "HTMCP_AUDIT_LOG"
	AuditFailModeVar = "HTMCP_AUDIT_FAIL_MODE"
)

// Settings are what a flag or a variable may say. "" is not said.
type Settings struct {
	PolicyFile    string
	Profile       string // an embedded profile instead of a file; has no variable
	Jail          string
	AuditLog      string
	AuditFailMode string
}

// Environment reads the HTMCP_* variables out of environ, NAME=value each. One
// that is unknown or set to nothing is a fault: a setting that is ignored
// protects nobody.
func Environment(environ []string) (Settings, error) {
	var s Settings
	var faults []error
	fields := map[string]*string{
		PolicyFileVar: &s.PolicyFile, JailRootVar: &s.Jail,
		AuditLogVar: &s.AuditLog, AuditFailModeVar: &s.AuditFailMode,
	}
	environ = slices.Sorted(slices.Values(environ))
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, "HTMCP_") {
			continue
		}
		field, known := fields[name]
		switch {
		case !known:
			faults = append(faults, fmt.Errorf("%s: unknown variable; the known ones are %s, %s, %s and %s",
				name, PolicyFileVar, JailRootVar, AuditLogVar, AuditFailModeVar))
		case value == "":
			faults = append(faults, fmt.Errorf("%s: is set but empty; give it a value or unset it", name))
		default:
			*field = value
		}
	}
	if m := FailMode(s.AuditFailMode); m != "" && m != Closed && m != Open {
		faults = append(faults, fmt.Errorf(`%s: %q is neither "closed" nor "open"`, AuditFailModeVar, m))
	}
	return s, errors.Join(faults...)
}

// Over lays s over weaker settings: what s says wins. A profile and a policy
// file are the same choice, see [Settings.Policy].
func (s Settings) Over(weaker Settings) Settings {
	first := func(a, b string) string {
		if a != "" {
			return a
		}
		return b
	}
	return Settings{
		PolicyFile:    first(s.PolicyFile, weaker.PolicyFile),
		Profile:       first(s.Profile, weaker.Profile),
		Jail:          first(s.Jail, weaker.Jail),
		AuditLog:      first(s.AuditLog, weaker.AuditLog),
		AuditFailMode: first(s.AuditFailMode, weaker.AuditFailMode),
	}
}
