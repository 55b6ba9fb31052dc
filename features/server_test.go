package features_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"

	"hardened-terminal-mcp/envelope"
)

// A server is the program serving, and a client's end of its pipes.
type server struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *os.File
	stderr *gbytes.Buffer
	exited chan struct{}

	mu      sync.Mutex
	nextID  int
	waiting map[string]chan reply
	others  []string // lines that answer nothing we asked
}

// A reply is the answer to one request.
type reply struct {
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
	line string
}

// A call is the answer to a tools/call.
type called struct {
	envelope.CommandResult
	meta    map[string]any
	isError bool
	text    string // of the one content block
	line    string
}

// serve starts the server with the handshake done.
func (w *world) serve(args ...string) *server {
	GinkgoHelper()
	s := w.start(append([]string{"serve"}, args...)...)
	s.request("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "spec", "version": "1"},
	})
	s.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	return s
}

// start starts the program with pipes, and reads what it says.
func (w *world) start(args ...string) *server {
	GinkgoHelper()
	s := &server{cmd: w.command(args...), stderr: gbytes.NewBuffer(), exited: make(chan struct{}), waiting: map[string]chan reply{}}
	var err error
	s.in, err = s.cmd.StdinPipe()
	Expect(err).NotTo(HaveOccurred())
	r, out, err := os.Pipe()
	Expect(err).NotTo(HaveOccurred())
	s.out, s.cmd.Stdout, s.cmd.Stderr = r, out, s.stderr
	Expect(s.cmd.Start()).To(Succeed())
	out.Close()
	go s.read()
	go func() {
		defer close(s.exited)
		s.cmd.Wait()
	}()
	DeferCleanup(func() {
		s.cmd.Process.Kill()
		Eventually(s.exited).WithTimeout(10 * time.Second).Should(BeClosed())
		r.Close()
	})
	return s
}

func (s *server) read() {
	lines := bufio.NewReader(s.out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Result json.RawMessage
			Error  *struct {
				Code    int
				Message string
			}
		}
		json.Unmarshal([]byte(line), &m)
		s.mu.Lock()
		c := s.waiting[string(m.ID)]
		delete(s.waiting, string(m.ID))
		if c == nil {
			s.others = append(s.others, line)
		}
		s.mu.Unlock()
		if c != nil {
			c <- reply{m.Result, m.Error, line}
		}
	}
}

// unasked are the lines that answered nothing.
func (s *server) unasked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.others...)
}

// send writes one message as a line.
func (s *server) send(m any) {
	GinkgoHelper()
	line, err := json.Marshal(m)
	Expect(err).NotTo(HaveOccurred())
	s.sendLine(string(line) + "\n")
}

func (s *server) sendLine(line string) {
	GinkgoHelper()
	_, err := io.WriteString(s.in, line)
	Expect(err).NotTo(HaveOccurred())
}

// ask sends a request and gives where its reply will come.
func (s *server) ask(method string, params any) (id int, answer <-chan reply) {
	GinkgoHelper()
	s.mu.Lock()
	s.nextID++
	id = s.nextID
	c := make(chan reply, 1)
	s.waiting[fmt.Sprint(id)] = c
	s.mu.Unlock()
	s.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	return id, c
}

// expect registers an id that a spec writes itself.
func (s *server) expect(id string) <-chan reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := make(chan reply, 1)
	s.waiting[id] = c
	return c
}

// request asks and waits.
func (s *server) request(method string, params any) reply {
	GinkgoHelper()
	_, answer := s.ask(method, params)
	return await(answer)
}

func await(answer <-chan reply) reply {
	GinkgoHelper()
	var r reply
	Eventually(answer).WithTimeout(30 * time.Second).Should(Receive(&r))
	return r
}

// tool asks for a tool and gives where its result will come.
func (s *server) tool(name string, args any) (id int, answer <-chan reply) {
	GinkgoHelper()
	return s.ask("tools/call", map[string]any{"name": name, "arguments": args})
}

// call asks for a tool and waits.
func (s *server) call(name string, args any) called {
	GinkgoHelper()
	_, answer := s.tool(name, args)
	return result(await(answer))
}

func result(r reply) called {
	GinkgoHelper()
	Expect(r.Error).To(BeNil())
	var t struct {
		Meta              map[string]any `json:"_meta"`
		Content           []struct{ Type, Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	Expect(json.Unmarshal(r.Result, &t)).To(Succeed())
	Expect(t.Content).To(HaveLen(1))
	Expect(t.Content[0].Type).To(Equal("text"))
	c := called{meta: t.Meta, isError: t.IsError, text: t.Content[0].Text, line: r.line}
	Expect(string(t.StructuredContent)).To(Equal(c.text), "structuredContent and text are the same JSON")
	d := json.NewDecoder(strings.NewReader(c.text))
	d.DisallowUnknownFields()
	Expect(d.Decode(&c.CommandResult)).To(Succeed())
	return c
}

// run is run_command, and explain is explain_command.
func (s *server) run(command string) envelope.CommandResult {
	GinkgoHelper()
	return s.call("run_command", map[string]any{"command": command}).CommandResult
}

func (s *server) explain(command string) envelope.CommandResult {
	GinkgoHelper()
	return s.call("explain_command", map[string]any{"command": command}).CommandResult
}

func (s *server) runIn(cwd, command string) envelope.CommandResult {
	GinkgoHelper()
	return s.call("run_command", map[string]any{"command": command, "cwd": cwd}).CommandResult
}

// stop ends the input and waits for the end of the server.
func (s *server) stop() int {
	GinkgoHelper()
	s.in.Close()
	return s.status()
}

func (s *server) status() int {
	GinkgoHelper()
	Eventually(s.exited).WithTimeout(6 * time.Second).Should(BeClosed())
	return s.cmd.ProcessState.ExitCode()
}

func (s *server) signal(sig syscall.Signal) {
	GinkgoHelper()
	Expect(s.cmd.Process.Signal(sig)).To(Succeed())
}

// records reads the audit log.
func (w *world) records() []map[string]any {
	GinkgoHelper()
	data, err := os.ReadFile(w.log)
	Expect(err).NotTo(HaveOccurred())
	var out []map[string]any
	for line := range strings.Lines(string(data)) {
		var r map[string]any
		Expect(json.Unmarshal([]byte(line), &r)).To(Succeed())
		out = append(out, r)
	}
	return out
}

// outcomes are the outcome records.
func (w *world) outcomes() []map[string]any {
	GinkgoHelper()
	var out []map[string]any
	for _, r := range w.records() {
		if r["record_type"] == "outcome" {
			out = append(out, r)
		}
	}
	return out
}
