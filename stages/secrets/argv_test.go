package secrets_test

import (
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/secrets"
)

var _ = Describe("a redacted argument vector", func() {
	const flag = "[REDACTED:flag_value]"
	var r *secrets.Redactor

	BeforeEach(func() { r = compile(GinkgoTB()) })

	DescribeTable("loses the value and nothing else", func(line, want string) {
		argv := strings.Split(line, " ")
		for i := range argv {
			argv[i] = strings.ReplaceAll(argv[i], "%", password)
		}
		before := slices.Clone(argv)
		Expect(r.Argv(argv)).To(Equal(strings.Split(want, " ")))
		Expect(argv).To(Equal(before), "the input is left alone")
	},
		Entry("a long flag", "app --password % -v", "app --password "+flag+" -v"),
		Entry("a plain word as its value", "app --password secretword -v", "app --password "+flag+" -v"),
		Entry("a flag with =", "app --password=% -v", "app --password=[REDACTED:key_value] -v"),
		Entry("a token", "app --api-token abcdefgh1 -v", "app --api-token "+flag+" -v"),
		Entry("curl", "curl -u ci:% h", "curl -u ci:"+flag+" h"),
		Entry("curl, glued", "curl -uci:% h", "curl -uci:"+flag+" h"),
		Entry("mysql", "mysql -p% shop", "mysql -p"+flag+" shop"),
		Entry("mysql that will ask", "mysql -p shop", "mysql -p shop"),
		Entry("a program by its path", "/usr/bin/mysql -p% shop", "/usr/bin/mysql -p"+flag+" shop"),
		Entry("a program run by another", "sudo -n mysql -p% shop", "sudo -n mysql -p"+flag+" shop"),
		Entry("docker login", "docker login -u ci -p % reg", "docker login -u ci -p "+flag+" reg"),
		Entry("docker run", "docker run -p 8080:80 nginx", "docker run -p 8080:80 nginx"),
		Entry("docker run, an environment", "docker run -e DB_PASSWORD=% nginx", "docker run -e DB_PASSWORD=[REDACTED:key_value] nginx"),
		Entry("an unknown tool", "frob -p hunter", "frob -p "+flag),
		Entry("an unknown tool, a port", "frob -p 8080", "frob -p 8080"),
		Entry("an unknown tool, a path", "frob -p /srv/a", "frob -p /srv/a"),
		Entry("an unknown tool, a flag", "frob -p -v", "frob -p -v"),
		Entry("ssh", "ssh -p 22 h", "ssh -p 22 h"),
		Entry("cp", "cp -p a b", "cp -p a b"),
		Entry("mkdir", "mkdir -p srv", "mkdir -p srv"),
		Entry("git", "git log -p main", "git log -p main"),
		Entry("a file of a password", "app --password-file pw.txt", "app --password-file pw.txt"),
		Entry("a password from stdin", "docker login --password-stdin reg", "docker login --password-stdin reg"),
		Entry("a key by its path", "app --private-key /etc/k.pem", "app --private-key /etc/k.pem"),
		Entry("a kind of key", "openssl req -newkey rsa:2048", "openssl req -newkey rsa:2048"),
		Entry("a configuration command", "aws configure set aws_secret_access_key abcdefgh1", "aws configure set aws_secret_access_key "+flag),
		Entry("a word in its place", "rabbitmqctl add_user app hunter2", "rabbitmqctl add_user app "+flag),
		Entry("zip", "zip -P % a.zip b", "zip -P "+flag+" a.zip b"),
		Entry("smbclient", "smbclient -U a%% //h/s", "smbclient -U a%"[:0]+"smbclient -U a"+password+password+" //h/s"),
		Entry("nothing secret", "ls -l /srv", "ls -l /srv"),
	)

	It("passes unchanged when redaction is off", func() {
		off, err := secrets.Compile(secrets.Options{})
		Expect(err).NotTo(HaveOccurred())
		Expect(off.Argv([]string{"--password", password})).To(Equal([]string{"--password", password}))
		Expect(off.Command("app --password "+password, nil)).To(Equal("app --password " + password))
	})
})

var _ = Describe("a redacted command line", func() {
	var r *secrets.Redactor

	BeforeEach(func() { r = compile(GinkgoTB()) })

	DescribeTable("is masked wherever its arguments are", func(raw string, argv []string, want string) {
		Expect(r.Command(raw, argv)).To(Equal(want))
	},
		Entry("a flag's value", "app --password "+password, []string{"app", "--password", password}, "app --password [REDACTED:key_value]"),
		Entry("a quoted value with blanks", `app --password "two words 1"`, []string{"app", "--password", "two words 1"}, `app --password "[REDACTED:key_value]"`),
		Entry("a token split by quotes", "echo "+token[:2]+"''"+token[2:], []string{"echo", token}, "echo [REDACTED:github_token]"),
		Entry("a token split by other quotes", `echo "`+token[:9]+`"'`+token[9:]+`'`, []string{"echo", token}, `echo "[REDACTED:github_token]'`),
		Entry("a token with a backslash in it", `echo `+token[:9]+`\`+token[9:], []string{"echo", token}, "echo [REDACTED:github_token]"),
		Entry("a flag split by quotes", "mysql -'p'"+password+" shop", []string{"mysql", "-p" + password, "shop"}, "mysql -'p'[REDACTED:flag_value] shop"),
		Entry("a line that was not parsed", "app --password "+password+" 'x", nil, "app --password [REDACTED:key_value] 'x"),
		Entry("an unterminated quote round the secret", "app --password '"+password, nil, "app --password '[REDACTED:key_value]"),
		Entry("a line without secrets", "ls -l '/a b'", []string{"ls", "-l", "/a b"}, "ls -l '/a b'"),
	)

	It("withholds the line when a masked argument is nowhere in it", func() {
		Expect(r.Command("app --password $(cat x)", []string{"app", "--password", password})).To(Equal("[REDACTED:flag_value]"))
	})
})
