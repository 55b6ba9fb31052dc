package cmd

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hardened-terminal-mcp/config"
	"hardened-terminal-mcp/stages/jailpath"
)

// openJail opens the directory that commands run in: the one that was named,
// or the current one. Desktop clients often start servers in / or in the home
// directory; nobody means either as a jail, so it has to be named.
func openJail(named string) (*jailpath.Root, error) {
	dir := named
	if dir == "" {
		dir = "."
	}
	root, err := jailpath.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("%w; name a directory with --jail DIR or %s", err, config.JailRootVar)
	}
	if named == "" && tooWide(root.Path()) {
		root.Close()
		return nil, fmt.Errorf("jail root %s: nobody named a jail, and the current directory is too wide for one; use --jail DIR or %s", root.Path(), config.JailRootVar)
	}
	return root, nil
}

// tooWide reports whether a directory is the file system's root or a home.
func tooWide(dir string) bool {
	if dir == filepath.Dir(dir) {
		return true
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return false
	}
	home, err = filepath.EvalSymlinks(home)
	return err == nil && home == dir
}

// places are the server's own directories, all outside the jail.
type places struct {
	state    string // audit.jsonl when nothing else is said; 0700
	home     string // HOME of every command: empty, 0500
	cache    string // {CACHE}: this jail's folder under the user's cache
	userHome string // {USER_HOME}
	jail     string
}

// fill puts the server's directories where a value of the policy has
// placeholders.
func (p places) fill(value string) (string, error) {
	if strings.Contains(value, "{USER_HOME}") && p.userHome == "" {
		return "", errors.New("{USER_HOME} is used, but the server has no HOME")
	}
	return strings.NewReplacer("{JAIL}", p.jail, "{CACHE}", p.cache, "{USER_HOME}", p.userHome).Replace(value), nil
}

// reach is what a policy opens beside the jail.
func (p places) reach(s config.Sandbox) (read, write []string, err error) {
	read, err = p.fillAll("sandbox.read", s.Read)
	write, err2 := p.fillAll("sandbox.write", s.Write)
	return read, write, errors.Join(err, err2)
}

// fillAll is fill for a list of paths.
func (p places) fillAll(key string, values []string) ([]string, error) {
	var out []string
	for i, value := range values {
		path, err := p.fill(value)
		if err != nil {
			return nil, fmt.Errorf("%s[%d]: %w", key, i, err)
		}
		out = append(out, path)
	}
	return out, nil
}

func (p places) auditLog() string { return filepath.Join(p.state, "audit.jsonl") }

// findPlaces finds and makes the server's directories by the XDG base directory
// specification: relative values of its variables are ignored.
func findPlaces(root *jailpath.Root) (places, error) {
	if root == nil {
		return places{}, nil // said already
	}
	p := places{jail: root.Path(), userHome: os.Getenv("HOME")}
	state, err := baseDir("XDG_STATE_HOME", ".local/state")
	if err != nil {
		return p, err
	}
	cache, err := baseDir("XDG_CACHE_HOME", ".cache")
	if err != nil {
		return p, err
	}
	sum := sha256.Sum256([]byte(root.Path()))
	p.state = filepath.Join(state, program)
	p.home = filepath.Join(p.state, "home")
	p.cache = filepath.Join(cache, program, hex.EncodeToString(sum[:8]))

	if root.Holds(p.home) {
		return p, fmt.Errorf("the server's own directory %s lies inside the jail %s; set XDG_STATE_HOME to a directory outside it", p.state, root.Path())
	}
	if err := os.MkdirAll(p.state, 0o700); err != nil {
		return p, fmt.Errorf("state directory: %w", err)
	}
	if err := os.MkdirAll(p.cache, 0o700); err != nil {
		return p, fmt.Errorf("cache of the jail: %w", err)
	}
	return p, makeHome(p.home)
}

func baseDir(variable, beneathHome string) (string, error) {
	if dir := os.Getenv(variable); filepath.IsAbs(dir) {
		return dir, nil
	}
	if home := os.Getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, beneathHome), nil
	}
	return "", fmt.Errorf("there is no place for the server's files: set HOME or %s to an absolute path", variable)
}

// makeHome makes the directory that commands see as HOME. It must be empty: a
// .gitconfig or .npmrc in it would be configuration that runs code.
func makeHome(dir string) error {
	if err := os.Mkdir(dir, 0o500); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("private home: %w", err)
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return fmt.Errorf("private home: %w", err)
	case !info.IsDir():
		return fmt.Errorf("private home %s: is not a directory", dir)
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		return fmt.Errorf("private home: %w", err)
	}
	entries, err := os.ReadDir(dir)
	switch {
	case err != nil:
		return fmt.Errorf("private home: %w", err)
	case len(entries) > 0:
		return fmt.Errorf("private home %s: holds %q, but commands must find it empty; look at it and remove it", dir, entries[0].Name())
	}
	return nil
}
