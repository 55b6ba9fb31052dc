package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// A view is the file tree that commands see: an empty tmpfs with nothing in it but mounts of what they may reach,
// each at its own path. What is not mounted does not exist there, so its metadata cannot be read, its mode cannot be
// changed, and no socket in it can be connected to, which Landlock alone does not prevent.
type view struct {
	base string // where the tree is built; it becomes "/"
}

// Programs and the files that ordinary ones fail without: git wants /etc/gitconfig readable, node openssl.cnf.
var (
	systemDirs  = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc/alternatives"}
	systemFiles = []string{
		"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf",
		"/etc/localtime", "/etc/os-release", "/etc/gitconfig", "/etc/ssl/openssl.cnf", "/etc/ssl/certs",
		"/etc/ca-certificates", "/etc/pki/tls", "/etc/pki/ca-trust",
	}
	networkFiles = []string{"/etc/resolv.conf", "/etc/hosts", "/etc/services", "/etc/protocols", "/etc/host.conf", "/etc/gai.conf"}
	devices      = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}
	deviceLinks  = map[string]string{
		"/dev/fd": "/proc/self/fd", "/dev/stdin": "/proc/self/fd/0", "/dev/stdout": "/proc/self/fd/1", "/dev/stderr": "/proc/self/fd/2",
	}
	// guarded of a repository decide which programs git runs; a command that could write them would choose what the
	// user's own next git command executes.
	guarded = []string{".git/config", ".git/hooks", ".git/info"}
)

// A graft is a part of the host's tree, cloned and not yet attached.
type graft struct {
	path     string
	fd       int
	readOnly bool
}

// build makes the view and moves the whole process into it. It needs CAP_SYS_ADMIN over the mount namespace, and the
// namespace to be its own: nothing of this is seen outside.
func buildView(s setup, ready *readiness) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	grafts, links, err := s.grafts()
	if err != nil {
		return err
	}
	v := view{base: s.Jail} // a directory that is there for sure; what it held has been cloned
	if err := unix.Mount("tmpfs", v.base, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,size=1m"); err != nil {
		return fmt.Errorf("mount tmpfs: %w", err)
	}
	for _, g := range grafts {
		if err := v.attach(g); err != nil {
			return fmt.Errorf("mount %s: %w", g.path, err)
		}
	}
	for _, l := range links {
		if err := v.link(l.target, l.path); err != nil {
			return fmt.Errorf("link %s: %w", l.path, err)
		}
	}
	if err := v.mountProc(s, ready); err != nil {
		return err
	}
	// Not recursive: each mount has its own flags by now.
	if err := setAttributes(unix.AT_FDCWD, v.base, 0, unix.MOUNT_ATTR_RDONLY); err != nil {
		return fmt.Errorf("make root read-only: %w", err)
	}
	return v.enter()
}

// A symlink is a link that the view has because the host has it.
type symlink struct{ path, target string }

// grafts clones all that the view is made of, parents before what lies beneath them.
func (s setup) grafts() (grafts []graft, links []symlink, err error) {
	add := func(path string, required, readOnly bool) {
		real, e := filepath.EvalSymlinks(path)
		if e != nil {
			if required {
				err = errors.Join(err, e)
			}
			return
		}
		if real != path {
			links = append(links, symlink{path, real})
		}
		if readOnly && slices.ContainsFunc(grafts, func(g graft) bool { return g.readOnly && within(g.path, real) }) {
			return // comes with the other
		}
		g, e := clone(unix.AT_FDCWD, real, real, readOnly)
		switch {
		case e == nil:
			grafts = append(grafts, g)
		case required:
			err = errors.Join(err, fmt.Errorf("clone mount %s: %w", real, e))
		}
	}
	readOnly := slices.Concat(systemDirs, systemFiles, s.Read)
	if s.Network {
		readOnly = slices.Concat(readOnly, networkFiles)
	}
	if s.Home != "" {
		readOnly = append(readOnly, s.Home)
	}
	for _, path := range readOnly {
		add(path, false, true)
	}
	for _, path := range devices {
		add(path, false, true) // a read-only mount does not keep from writing to a device, but from chmod
	}
	add(s.Jail, true, false)
	for _, path := range s.Write {
		add(path, true, false)
	}
	slices.SortStableFunc(grafts, func(a, b graft) int { return strings.Compare(a.path, b.path) })
	for path, target := range deviceLinks {
		links = append(links, symlink{path, target})
	}
	inJail, e := s.guards()
	return append(grafts, inJail...), links, errors.Join(err, e)
}

// guards are the mounts inside the jail that keep commands from writing what they must not. Commands of an earlier
// helper may have put symbolic links in these places, so none is followed.
func (s setup) guards() ([]graft, error) {
	jail, err := unix.Open(s.Jail, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(jail)
	var grafts []graft
	add := func(name string, readOnly bool) error {
		fd, err := openat2(jail, name, unix.RESOLVE_BENEATH|unix.RESOLVE_NO_SYMLINKS)
		if err != nil {
			return nil // not there, or a link: then there is nothing to keep
		}
		defer unix.Close(fd)
		g, err := clone(fd, "", filepath.Join(s.Jail, name), readOnly)
		if err != nil {
			return fmt.Errorf("guard %s: %w", name, err)
		}
		grafts = append(grafts, g)
		return nil
	}
	err = add(".git", false) // a mount point cannot be renamed, and with it what is guarded beneath it
	for _, name := range guarded {
		err = errors.Join(err, add(name, true))
	}
	for _, path := range s.ReadOnly {
		if rel, e := filepath.Rel(s.Jail, path); e == nil && filepath.IsLocal(rel) && rel != "." {
			err = errors.Join(err, add(rel, true))
		}
	}
	return grafts, err
}

// clone takes a detached copy of the mounts at a path. They are fresh, so nobody writes through them yet and making
// them read-only cannot fail with EBUSY.
func clone(at int, path, name string, readOnly bool) (graft, error) {
	flags := uint(unix.OPEN_TREE_CLONE | unix.OPEN_TREE_CLOEXEC | unix.AT_RECURSIVE)
	if path == "" {
		flags |= unix.AT_EMPTY_PATH
	}
	fd, err := unix.OpenTree(at, path, flags)
	if err != nil {
		return graft{}, err
	}
	attr := uint64(unix.MOUNT_ATTR_NOSUID)
	if !slices.Contains(devices, name) {
		attr |= unix.MOUNT_ATTR_NODEV
	}
	if readOnly {
		attr |= unix.MOUNT_ATTR_RDONLY
	}
	if err := setAttributes(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, attr); err != nil {
		return graft{}, errors.Join(err, unix.Close(fd))
	}
	return graft{path: name, fd: fd, readOnly: readOnly}, nil
}

func setAttributes(fd int, path string, flags uint, set uint64) error {
	return unix.MountSetattr(fd, path, flags, &unix.MountAttr{Attr_set: set})
}

func openat2(at int, path string, resolve uint64) (int, error) {
	return unix.Openat2(at, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: resolve})
}

// attach puts a graft at its path in the view, making the way there when no mount has it yet.
func (v view) attach(g graft) error {
	defer unix.Close(g.fd)
	var st unix.Stat_t
	if err := unix.Fstat(g.fd, &st); err != nil {
		return err
	}
	base, err := unix.Open(v.base, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(base)
	point, err := openat2(base, g.path, unix.RESOLVE_IN_ROOT|unix.RESOLVE_NO_SYMLINKS)
	if err == unix.ENOENT {
		if err := v.make(g.path, st.Mode&unix.S_IFMT == unix.S_IFDIR); err != nil {
			return err
		}
		point, err = openat2(base, g.path, unix.RESOLVE_IN_ROOT|unix.RESOLVE_NO_SYMLINKS)
	}
	if err != nil {
		return err
	}
	defer unix.Close(point)
	return unix.MoveMount(g.fd, "", point, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
}

// make creates the mount point for path.
func (v view) make(path string, dir bool) error {
	if err := os.MkdirAll(v.base+filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if dir {
		return os.Mkdir(v.base+path, 0o755)
	}
	return os.WriteFile(v.base+path, nil, 0o444)
}

// link makes a symbolic link, unless its place is taken or lies in a mount.
func (v view) link(target, path string) error {
	if err := os.MkdirAll(v.base+filepath.Dir(path), 0o755); err != nil {
		return nil
	}
	err := os.Symlink(target, v.base+path)
	if errors.Is(err, os.ErrExist) || errors.Is(err, unix.EROFS) {
		return nil
	}
	return err
}

// mountProc mounts a /proc of the helper's own PID namespace, so that no process outside can be seen. Read-only: uid 0
// may write /proc/sys without any capability. Containers that mask parts of /proc refuse the mount; then there is none.
func (v view) mountProc(s setup, ready *readiness) error {
	dir := v.base + "/proc"
	if err := os.Mkdir(dir, 0o555); err != nil {
		return fmt.Errorf("make /proc: %w", err)
	}
	if unix.Mount("proc", dir, "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "") != nil {
		return nil
	}
	ready.Proc, ready.PIDs = true, limitPIDs(dir, s.Limits.MaxProcesses, s.Slots)
	if err := setAttributes(unix.AT_FDCWD, dir, 0, unix.MOUNT_ATTR_RDONLY); err != nil {
		return fmt.Errorf("make /proc read-only: %w", err)
	}
	return nil
}

// enter makes the view the root of the whole process, and lets go of the old one (pivot_root(2), "pivot_root(".", ".")").
func (v view) enter() error {
	if err := unix.Chdir(v.base); err != nil {
		return fmt.Errorf("enter view: %w", err)
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("pivot_root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("unmount old root: %w", err)
	}
	return unix.Chdir("/")
}
