package trail

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// A bind mount shows a directory at a second place whose parents are others, so the
// inodes above the log do not tell. The kernel's table of mounts does: it gives for
// each mount the device and the path within its file system (proc_pid_mountinfo(5)).
type mount struct{ id, device, root, point string }

// place is where something lies: on which device, and where in that file system.
type place struct {
	device, inside string
	path           string // as the mounts of this process show it
}

// mountedInside compares places. Mounts below the tree count as parts of it.
func (d folder) mountedInside(tree string) (bool, error) {
	mounts, err := readMounts()
	if err != nil {
		return false, err
	}
	log, err := placeOf(int(d.Fd()), mounts)
	if err != nil {
		return false, err
	}
	log.inside = path.Join(log.inside, d.base)

	fd, err := unix.Open(tree, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return false, err
	}
	defer unix.Close(fd)
	root, err := placeOf(fd, mounts)
	if err != nil {
		return false, err
	}
	if log.device == root.device && within(log.inside, root.inside) {
		return true, nil
	}
	for _, m := range mounts {
		if within(m.point, root.path) && m.device == log.device && within(log.inside, m.root) {
			return true, nil
		}
	}
	return false, nil
}

func placeOf(fd int, mounts []mount) (place, error) {
	real, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
	if err != nil {
		return place{}, err
	}
	info, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", fd))
	if err != nil {
		return place{}, err
	}
	_, rest, _ := bytes.Cut(info, []byte("mnt_id:"))
	id, _, _ := bytes.Cut(rest, []byte("\n"))
	for _, m := range mounts {
		if m.id == string(bytes.TrimSpace(id)) {
			below := strings.TrimPrefix(real, strings.TrimSuffix(m.point, "/"))
			return place{m.device, path.Join(m.root, below), real}, nil
		}
	}
	return place{}, fmt.Errorf("%s lies on no mount of this process", real)
}

func readMounts() ([]mount, error) {
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parseMounts(f)
}

func parseMounts(r io.Reader) ([]mount, error) {
	var mounts []mount
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20) // an overlay lists all its layers on one line
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if len(f) < 5 {
			return nil, fmt.Errorf("mountinfo: %q has too few fields", lines.Text())
		}
		mounts = append(mounts, mount{f[0], f[2], unescapeMount.Replace(f[3]), unescapeMount.Replace(f[4])})
	}
	return mounts, lines.Err()
}

// unescapeMount undoes the four escapes the kernel uses in mountinfo.
var unescapeMount = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
