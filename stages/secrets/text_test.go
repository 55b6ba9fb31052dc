package secrets_test

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/secrets"
)

// Values are put together here, so that no scanner takes the file for a leak.
var (
	password = "Falc0n" + "#river" + "77"
	token    = "gh" + "p_" + strings.Repeat("a1B2c3D4", 5)
	body     = strings.Repeat("MIIEpAIBAAKCAQEAfgdv9LNaEEM9me6BGHMOnK5eFAOZIrnfeRxR/uoGU0hol9HL\n", 5)
	begin    = "-----BEGIN RSA PRIVATE" + " KEY-----\n"
	end      = "-----END RSA PRIVATE" + " KEY-----"
)

var _ = Describe("a redacted text", func() {
	var r *secrets.Redactor

	BeforeEach(func() { r = compile(GinkgoTB()) })

	It("counts what was taken by pattern and says where", func() {
		in := "TOKEN=" + token + "\nDB_PASSWORD=" + password + "\n"
		out := r.Text(in)
		Expect(out.Text).To(Equal("TOKEN=[REDACTED:github_token]\nDB_PASSWORD=[REDACTED:key_value]\n"))
		Expect(out.Counts).To(Equal(map[string]int{"github_token": 1, "key_value": 1}))
		Expect(out.Spans).To(HaveLen(2))
		Expect(in[out.Spans[0].Start:out.Spans[0].End]).To(Equal(token))
	})

	It("passes unchanged when redaction is off", func() {
		off, err := secrets.Compile(secrets.Options{})
		Expect(err).NotTo(HaveOccurred())
		Expect(off.Text(token)).To(Equal(secrets.Result{Text: token}))
	})

	It("costs a clean text no memory", func() {
		clean := "metachar: '|' at byte 9 is not allowed; send one command per call"
		Expect(testingAllocs(func() { r.Text(clean) })).To(BeNumerically("<=", 1))
	})

	DescribeTable("loses a password and keeps what stands around it", func(format string) {
		in := strings.ReplaceAll(format, "%", password)
		out := r.Text(in)
		Expect(survives(password, []string{out.Text})).To(BeFalse(), out.Text)
		for _, part := range strings.Split(format, "%") {
			Expect(out.Text).To(ContainSubstring(part))
		}
		Expect(r.Text(out.Text).Text).To(Equal(out.Text), "twice")
	},
		Entry("a shell variable", "export DB_PASSWORD=%\nexport PATH=/bin\n"),
		Entry("a quoted one", "DB_PASSWORD='%'\n"),
		Entry("JSON", `{"user":"a","password":"%","port":1}`),
		Entry("JSON in JSON", `{"m":"{\"password\":\"%\",\"port\":1}"}`),
		Entry("JSON in JSON in JSON", `"{\"m\":\"{\\\"password\\\":\\\"%\\\",\\\"port\\\":1}\"}"`),
		Entry("YAML", "db:\n  password: %\n  port: 1\n"),
		Entry("a YAML block", "password: |\n  %\nport: 1\n"),
		Entry("TOML", "[db]\npassword = \"%\"\nport = 1\n"),
		Entry("properties by the end of the name", "spring.datasource.password=%\n"),
		Entry("camelCase", `dbPassword: '%',`),
		Entry("a Ruby hash", `:password => "%", :port => 1`),
		Entry("Go", `password := "%" // x`),
		Entry("an element", "<password>%</password>"),
		Entry("a pair of elements", "<name>db.password</name>\n<value>%</value>"),
		Entry("a pair of attributes", `<add key="DbPassword" value="%" />`),
		Entry("a pair in YAML", "- name: DB_PASSWORD\n  value: %\n- name: A\n"),
		Entry("a pair in JSON", `{"name":"DB_PASSWORD","value":"%"}`),
		Entry("a table", "| DB_PASSWORD | % |\n"),
		Entry("a Dockerfile", "ENV DB_PASSWORD %\nRUN make\n"),
		Entry("Windows", "C:\\> set DB_PASSWORD=%\r\n"),
		Entry("a connection string", "Server=h;Pwd=%;Encrypt=True"),
		Entry("a braced value", "Uid=sa;Pwd={%};x=1"),
		Entry("a URL", "postgres://app:%@db:5432/x"),
		Entry("a MySQL DSN", "app:%@tcp(db:3306)/x"),
		Entry("Oracle", "jdbc:oracle:thin:app/%@//db:1521/x"),
		Entry(".pgpass", "db:5432:*:app:%\n"),
		Entry(".netrc", "machine h login u password %\n"),
		Entry("SQL", "ALTER USER a IDENTIFIED BY '%';"),
		Entry("SQL of PostgreSQL", "CREATE ROLE a LOGIN PASSWORD '%';"),
		Entry("a long flag", "$ app --password % --port 80"),
		Entry("a long flag with =", "$ app --password=% --port 80"),
		Entry("a list of arguments", `["app", "--password", "%", "--port"]`),
		Entry("curl", "curl -s -u ci:% https://h/x"),
		Entry("mysql", "mysql -uroot -p% shop"),
		Entry("mysql in a list", `["mysql", "-p%", "shop"]`),
		Entry("sshpass", "sshpass -p % ssh h"),
		Entry("docker login", "docker login -u ci -p % reg.corp"),
		Entry("an unknown tool", "$ frob -p % host"),
		Entry("redis-cli", "redis-cli -a % ping"),
		Entry("openssl", "openssl rsa -in k -passin pass:%"),
		Entry("a label", "Generated password: %\n"),
		Entry("an escaped line end", `{"log":"PASSWORD=%\nPORT=80\n"}`),
		Entry("NUL between variables", "HOME=/\x00DB_PASSWORD=%\x00TZ=UTC\x00"),
		Entry("NUL between arguments", "app\x00--password\x00%\x00-v\x00"),
		Entry("an unterminated quote", `app --password "%`),
	)

	DescribeTable("leaves alone", func(text string) {
		Expect(r.Text(text).Text).To(Equal(text))
	},
		Entry("a variable", `export PASSWORD="$DB_PASSWORD"`),
		Entry("a template", "GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}"),
		Entry("a call", "api_key = os.getenv('OPENAI_API_KEY')"),
		Entry("an identifier", "client = OpenAI(api_key=api_key)"),
		Entry("a type", "password: Optional[str] = None"),
		Entry("a struct tag", "Token string `json:\"token,omitempty\"`"),
		Entry("a number", "MAX_TOKENS=128000"),
		Entry("a version", `"jsonwebtoken": "9.0.0"`),
		Entry("a path", "SSH_KEY_PATH=/home/a/.ssh/id_ed25519"),
		Entry("a mask", "password: ********"),
		Entry("a placeholder", "--api-key YOUR_API_KEY"),
		Entry("a marker", "password=[REDACTED:key_value]"),
		Entry("a marker with its colon where a password could be", "curl -u 0,[REDACTED:flag_value]"),
		Entry("a placeholder in brackets", "DB_PASSWORD=<s3cret+goes1>"),
		Entry("an empty value before the next line", "DB_PASSWORD=\nDB_ENABLED=1\n"),
		Entry("a passed test", "    --- PASS: TestVet/3 (0.07s)"),
		Entry("a secret's reference", "secretKeyRef:\n  name: db\n  key: password\n"),
		Entry("an ARN", "arn:aws:secretsmanager:eu-west-1:123456789012:secret:app/db-i1vrCu"),
		Entry("a port mapping", "docker run -p 8080:80 nginx"),
		Entry("a port", "ssh -p 2222 host"),
		Entry("a patch", "git log -p -2"),
		Entry("a directory", "mkdir -p /srv/app"),
		Entry("copying", "cp -p a b"),
		Entry("a prompt for the password", "mysql -u root -p shop"),
		Entry("a URL without a password", "ssh://git@github.com:22/org/app.git"),
		Entry("a template of a URL", `f"postgresql://{auth}@{self.host}:{self.port}/{db}"`),
		Entry("a checksum", "sha256:"+strings.Repeat("3c81d58d", 8)),
		Entry("a certificate", "-----BEGIN CERTIFICATE-----\n"+strings.Replace(body, "EpAIBAAKCAQ", "DUzCCAjugAw", -1)+"-----END CERTIFICATE-----\n"),
		Entry("a BEGIN line in prose", "the file starts with "+strings.TrimSpace(begin)+" and goes on"),
		Entry("prose", "Secret: a value that must not be printed."),
	)

	DescribeTable("loses a whole private key", func(write func() (text string, lines []string)) {
		in, lines := write()
		out := r.Text(in).Text
		for _, l := range lines {
			Expect(survives(l, []string{out})).To(BeFalse(), out)
		}
		Expect(out).To(ContainSubstring("[REDACTED:private_key]"))
		Expect(out).To(HavePrefix("before"))
		Expect(out).To(HaveSuffix("after"))
	},
		Entry("whole", func() (string, []string) { return "before\n" + begin + body + end + "\nafter", keyLines() }),
		Entry("without END", func() (string, []string) { return "before\n" + begin + body + "[cut]\nafter", keyLines() }),
		Entry("without BEGIN", func() (string, []string) { return "before\n" + body + end + "\nafter", keyLines() }),
		Entry("with CRLF", func() (string, []string) {
			return "before\r\n" + strings.ReplaceAll(begin+body+end, "\n", "\r\n") + "\r\nafter", keyLines()
		}),
		Entry("indented", func() (string, []string) {
			return "before: |\n  " + strings.ReplaceAll(begin+body+end, "\n", "\n  ") + "\nafter", keyLines()
		}),
		Entry("in JSON", func() (string, []string) {
			b, _ := json.Marshal(begin + body + end)
			return "before " + string(b) + " after", keyLines()
		}),
		Entry("on one line", func() (string, []string) {
			return "before " + strings.ReplaceAll(begin+body+end, "\n", " ") + " after", keyLines()
		}),
		Entry("in a diff", func() (string, []string) {
			return "before\n+" + strings.ReplaceAll(begin+body+end, "\n", "\n+") + "\nafter", keyLines()
		}),
		Entry("in a log", func() (string, []string) {
			return "before\n2026 F " + strings.ReplaceAll(begin+body+end, "\n", "\n2026 F ") + "\nafter", keyLines()
		}),
		Entry("encrypted, with headers, cut", func() (string, []string) {
			return "before\n" + begin + "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n" + body + "(cut)\nafter", keyLines()
		}),
		Entry("as base64", func() (string, []string) {
			b := base64.StdEncoding.EncodeToString([]byte(begin + body + end))
			return "before " + b + " after", []string{b}
		}),
	)

	DescribeTable("sees through", func(hide func(string) string) {
		hidden := hide("TOKEN=" + token + "\nnext=1\n")
		out := r.Text(hidden).Text
		Expect(survives(token, views(out, true))).To(BeFalse(), out)
		Expect(out).NotTo(Equal(hidden))
	},
		Entry("base64", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }),
		Entry("base64 in a URL's alphabet", func(s string) string { return base64.URLEncoding.EncodeToString([]byte("???>>>" + s)) }),
		Entry("base64 of base64", func(s string) string {
			return base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(s))))
		}),
		Entry("base64 over lines", func(s string) string {
			return fold(base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x=1\n", 30)+s)), 76)
		}),
		Entry("percent-encoding", url.QueryEscape),
		Entry("percent-encoding, twice", func(s string) string { return url.QueryEscape(url.QueryEscape(s)) }),
		Entry("UTF-16", func(s string) string { return "\xff\xfe" + strings.Join(strings.Split(s, ""), "\x00") + "\x00" }),
		Entry("UTF-16, big endian", func(s string) string { return "\xfe\xff\x00" + strings.Join(strings.Split(s, ""), "\x00") }),
		Entry("NULs", func(s string) string { return strings.ReplaceAll(s, "B2", "B\x002") }),
		Entry("a title", func(s string) string { return "\x1b]0;" + strings.TrimSpace(s) + "\x07" }),
	)

	It("finds a token with a colour, or something invisible, at any place in it", func() {
		for _, inside := range []string{"\x1b[31m", "\x1b[0;1m", "\u200b", "\x00", "\u00ad", "\x1b(B"} {
			for i := range token {
				in := "x " + token[:i] + inside + token[i:] + " y"
				out := r.Text(in).Text
				Expect(survives(token, views(out, false))).To(BeFalse(), "%q at %d gave %q", inside, i, out)
			}
		}
	})

	It("takes the password of a URL up to the last @ of its host", func() {
		Expect(r.Text("postgres://app:a@" + password + "@db/x").Text).To(Equal("postgres://app:[REDACTED:url_userinfo]@db/x"))
	})

	It("keeps the colour that follows a value", func() {
		Expect(r.Text("\x1b[36mTOKEN\x1b[0m=\x1b[33m" + token + "\x1b[39m\n").Text).To(Equal("\x1b[36mTOKEN\x1b[0m=\x1b[33m[REDACTED:github_token]\x1b[39m\n"))
	})

	It("leaves JSON valid", func() {
		in, err := json.Marshal(map[string]any{"password": password + `"\`, "nested": `{"token":"` + token + `"}`, "url": "https://u:" + password + "@h/?a=1&b=2", "list": []string{"--password", password}})
		Expect(err).NotTo(HaveOccurred())
		out := r.Text(string(in)).Text
		Expect(json.Valid([]byte(out))).To(BeTrue(), out)
		Expect(survives(password, []string{out})).To(BeFalse(), out)
	})
})

func keyLines() []string { return strings.Split(strings.TrimSpace(body), "\n") }

func fold(s string, n int) string {
	var b strings.Builder
	for len(s) > n {
		b.WriteString(s[:n] + "\n")
		s = s[n:]
	}
	return b.String() + s
}
