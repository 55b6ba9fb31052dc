package config

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// DefaultFile is the policy file when nobody names one, in the current directory.
const DefaultFile = "policy.toml"

// maxPolicyBytes bounds what is read: a device or a log named by mistake.
const maxPolicyBytes = 1 << 20

//go:embed profiles/*.toml
var profiles embed.FS

// Profiles lists the embedded profiles by name.
func Profiles() []string {
	files, err := fs.Glob(profiles, "profiles/*.toml")
	if err != nil {
		panic(err) // a constant pattern
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(path.Base(f), ".toml")
	}
	return files
}

// Profile is the text of an embedded profile: a commented policy.toml.
func Profile(name string) ([]byte, error) {
	for _, known := range Profiles() {
		if known == name {
			return profiles.ReadFile("profiles/" + name + ".toml")
		}
	}
	return nil, fmt.Errorf("there is no profile %q; there is %s", name, strings.Join(Profiles(), ", "))
}

// A Source is a loaded policy and where it came from.
type Source struct {
	Policy Policy
	Path   string // absolute path of the file, "" for a profile
	Name   string // the path, or "profile explorer"
	Hash   string // see [Hash]
}

// Load reads the policy that s names: a profile or a file, not both; with
// neither, policy.toml in the current directory. It decodes and validates, and
// lays the settings over it. The error joins every fault.
func Load(s Settings) (Source, error) {
	src, data, err := read(s)
	if err != nil {
		return src, err
	}
	src.Hash = Hash(data)
	var fault error
	src.Policy, fault = Decode(data)
	if s.AuditLog != "" {
		src.Policy.AuditLog = s.AuditLog
	}
	if s.AuditFailMode != "" {
		src.Policy.AuditFailMode = FailMode(s.AuditFailMode)
	}
	if err := errors.Join(fault, src.Policy.Validate()); err != nil {
		return src, prefix(src.Name, err)
	}
	return src, nil
}

func read(s Settings) (Source, []byte, error) {
	if s.Profile != "" {
		if s.PolicyFile != "" {
			return Source{}, nil, fmt.Errorf("a profile (%s) and a policy file (%s) are both named; name one", s.Profile, s.PolicyFile)
		}
		data, err := Profile(s.Profile)
		return Source{Name: "profile " + s.Profile}, data, err
	}
	name := s.PolicyFile
	if name == "" {
		name = DefaultFile
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return Source{}, nil, fmt.Errorf("policy %s: %w", name, err)
	}
	src := Source{Path: abs, Name: abs}
	info, err := os.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist) && s.PolicyFile == "":
		return src, nil, fmt.Errorf("policy %s: no such file; name one with --policy or %s, write one with `init`, or start with --profile %s", abs, PolicyFileVar, Profiles()[0])
	case err != nil:
		return src, nil, fmt.Errorf("policy: %w", err)
	case !info.Mode().IsRegular():
		return src, nil, fmt.Errorf("policy %s: is not a regular file", abs)
	case info.Size() > maxPolicyBytes:
		return src, nil, fmt.Errorf("policy %s: is over %d bytes", abs, maxPolicyBytes)
	}
	data, err := os.ReadFile(abs)
	if err != nil {
		return src, nil, fmt.Errorf("policy: %w", err)
	}
	return src, data, nil
}

// prefix puts the policy's name before each of many faults.
func prefix(name string, err error) error {
	var out []error
	for line := range strings.SplitSeq(err.Error(), "\n") {
		out = append(out, fmt.Errorf("policy %s: %s", name, line))
	}
	return errors.Join(out...)
}
