package sandbox_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/sandbox"
)

// nastySource does what outlives a careless kill: children in the group, in a group of their own, a daemon that holds
// the output and ignores every signal, and a chain of processes each of which forks the next and ends.
const nastySource = `
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static time_t begin;

static void linger(void)
{
	for (int s = 1; s < 32; s++)
		signal(s, SIG_IGN);
	while (time(0) - begin < 20)
		usleep(100000);
	_exit(0);
}

int main(void)
{
	begin = time(0);
	prctl(PR_SET_NAME, "nasty");
	if (!fork())
		linger();
	if (!fork()) {
		setpgid(0, 0);
		linger();
	}
	if (!fork()) {
		setsid();
		if (fork())
			_exit(0);
		setsid();
		clearenv();
		linger();
	}
	if (!fork()) {
		setsid();
		while (time(0) - begin < 5) {
			if (fork() > 0)
				_exit(0);
			usleep(500);
		}
		_exit(0);
	}
	puts("ready");
	fflush(stdout);
	linger();
}
`

// turncoatSource leaves its own process group for its child's, where a kill of the group does not find it.
const turncoatSource = `
#include <sys/prctl.h>
#include <unistd.h>

int main(void)
{
	prctl(PR_SET_NAME, "renegade");
	pid_t child = fork();
	if (!child) {
		prctl(PR_SET_NAME, "prompter");
		setpgid(0, 0);
		sleep(3);
		_exit(0);
	}
	setpgid(child, child);
	if (setpgid(0, child))
		return 1;
	sleep(20);
	return 0;
}
`

// compile builds a C program in dir, or skips without a compiler.
func compile(dir, source string) sandbox.Executable {
	GinkgoHelper()
	if _, err := exec.LookPath("cc"); err != nil {
		Skip(err.Error())
	}
	exe, err := build(dir, source)
	Expect(err).NotTo(HaveOccurred())
	return exe
}

func build(dir, source string) (sandbox.Executable, error) {
	file := filepath.Join(dir, "program.c")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		return sandbox.Executable{}, err
	}
	if out, err := exec.Command("cc", "-O1", "-o", filepath.Join(dir, "program"), file).CombinedOutput(); err != nil {
		return sandbox.Executable{}, fmt.Errorf("%w: %s", err, out)
	}
	return sandbox.Find([]string{dir}, "program")
}

// machineCode writes a static amd64 program that consists of the code.
func machineCode(dir string, code ...byte) sandbox.Executable {
	GinkgoHelper()
	Expect(os.WriteFile(filepath.Join(dir, "code"), elf(code), 0o700)).To(Succeed())
	exe, err := sandbox.Find([]string{dir}, "code")
	Expect(err).NotTo(HaveOccurred())
	return exe
}

func elf(code []byte) []byte {
	const base, headers = 0x400000, 64 + 56
	var file bytes.Buffer
	file.Write([]byte{0x7f, 'E', 'L', 'F', 2, 1, 1, 15: 0})
	for _, field := range []any{
		uint16(2), uint16(62), uint32(1), uint64(base + headers), uint64(64), uint64(0), // executable, x86-64
		uint32(0), uint16(64), uint16(56), uint16(1), uint16(0), uint16(0), uint16(0),
		uint32(1), uint32(5), uint64(0), uint64(base), uint64(base), // one segment, readable and executable
		uint64(headers + len(code)), uint64(headers + len(code)), uint64(4096),
	} {
		_ = binary.Write(&file, binary.LittleEndian, field)
	}
	file.Write(code)
	return file.Bytes()
}
