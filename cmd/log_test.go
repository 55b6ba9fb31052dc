package cmd

import (
	"io"
	"log/slog"
	"os"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"

	"hardened-terminal-mcp/stages/secrets"
)

var _ = Describe("The operator's log", func() {
	var redactor *secrets.Redactor

	BeforeEach(func() {
		var err error
		redactor, err = secrets.Compile(secrets.Options{Enabled: true})
		Expect(err).NotTo(HaveOccurred())
	})

	It("holds no secret and nothing that repaints a terminal", func() {
		out := gbytes.NewBuffer()
		l := newLog(out, slog.LevelInfo, redactor)
		l.say("token %s \x1b[2J \u202e end", "ghp_"+"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
		l.Info("x", "err", "a\nb")
		l.close()
		Expect(string(out.Contents())).To(HavePrefix("hardened-terminal-mcp: token [REDACTED:github_token] \\u{1b}[2J \\u{202e} end\n"))
		Expect(string(out.Contents())).To(MatchRegexp(`^[\x20-\x7e\n]*$`))
		Expect(string(out.Contents())).To(ContainSubstring(`err="a\nb"`))
	})

	It("leaves out what is below its level", func() {
		out := gbytes.NewBuffer()
		l := newLog(out, slog.LevelError, redactor)
		l.Warn("quiet")
		l.Error("loud")
		l.close()
		Expect(string(out.Contents())).To(And(ContainSubstring("loud"), Not(ContainSubstring("quiet"))))
	})

	It("never waits for a reader, and says what was lost", func() {
		r, w, err := os.Pipe()
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(r.Close)
		DeferCleanup(w.Close)
		l := newLog(w, slog.LevelInfo, redactor)
		logged := make(chan struct{})
		go func() {
			defer close(logged)
			for range 20000 {
				l.say("nobody reads this line, which is long enough to fill the pipe soon")
			}
		}()
		Eventually(logged).WithTimeout(10 * time.Second).Should(BeClosed())

		out := gbytes.NewBuffer()
		go io.Copy(out, r)
		Eventually(out).Should(gbytes.Say(`lines of the log were dropped`))
	})

	It("takes lines after its end without a panic", func() {
		l := newLog(io.Discard, slog.LevelInfo, redactor)
		l.close()
		Expect(func() { l.Info("late") }).NotTo(Panic())
	})
})
