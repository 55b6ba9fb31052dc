package features_test

import (
	"encoding/json"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("doctor", func() {
	var w *world

	BeforeEach(func() {
		w = newWorld()
		w.allows("ls")
	})

	type report struct {
		Jail, Policy string
		Sandbox      struct {
			Rung        int
			Confinement string
			Open        []string
		}
		SelfTest []struct {
			What    string
			Refused bool
			Skipped string
		} `json:"self_test"`
		Notices []struct{ Level, Rule, Message string }
	}
	look := func(status int) report {
		GinkgoHelper()
		o := w.do("doctor", "--json")
		Expect(o.status).To(Equal(status), o.stdout+o.stderr)
		var r report
		Expect(json.Unmarshal([]byte(o.stdout), &r)).To(Succeed())
		return r
	}

	It("tries an escape of each kind and shows that it is refused", func() {
		r := look(0)
		if r.Sandbox.Rung != 1 {
			Skip("this machine has no namespaces or no Landlock")
		}
		Expect(r.Jail).To(Equal(w.jail))
		Expect(len(r.SelfTest)).To(BeNumerically(">=", 7))
		for _, a := range r.SelfTest {
			Expect(a.Refused || a.Skipped != "").To(BeTrue(), a.What)
		}
	})

	It("shows escapes that are not refused, and leaves with 1", func() {
		w.allows("ls", `sandbox.mode = "off"`)
		r := look(1)
		Expect(r.Sandbox.Rung).To(Equal(5))
		Expect(r.SelfTest).To(ContainElement(HaveField("Refused", false)))
		Expect(w.do("doctor").stdout).To(ContainSubstring("NOT REFUSED  read a file outside the jail"))
	})

	It("finds files that everybody may write", func() {
		Expect(os.Chmod(w.policy, 0o666)).To(Succeed())
		Expect(look(1).Notices).To(ContainElement(And(HaveField("Rule", "permissions"), HaveField("Message", ContainSubstring(w.policy)))))
	})

	It("leaves with 2 where the server would not start", func() {
		w.write(w.policy, "zebra = 1")
		o := w.do("doctor")
		Expect(o.status).To(Equal(2))
		Expect(o.stderr).To(ContainSubstring("zebra"))
	})

	It("leaves nothing behind", func() {
		look(0)
		entries, err := os.ReadDir(w.jail)
		Expect(err).NotTo(HaveOccurred())
		Expect(entries).To(BeEmpty())
		Expect(filepath.Join(w.root, "escape")).NotTo(BeAnExistingFile())
	})
})
