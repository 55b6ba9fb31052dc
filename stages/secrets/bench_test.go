package secrets_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"hardened-terminal-mcp/stages/secrets"
)

// output makes n bytes of what commands print when all is well: test logs,
// source, lock files, directory listings, build logs. Nothing in it is a
// secret, and much of it speaks of keys and tokens.
func output(n int) string {
	rnd := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields(`parser server client request handler store config user table index buffer stream writer reader
		worker queue task node graph event timer signal widget layout render value frame pixel color shape point line
		block chunk page file path folder disk mount volume image network packet socket port address route host proxy
		cluster service pod replica metric gauge counter sample trace span record entry field column row schema query
		filter sort merge split join group count total limit offset batch retry backoff deadline window tick clock
		thread lock mutex channel pool arena heap stack slot bucket hash tree leaf root branch commit diff patch build
		test bench fixture mock golden report summary error result status reason auth token key secret password`)
	word := func() string { return words[rnd.IntN(len(words))] }
	title := func() string { w := word(); return strings.ToUpper(w[:1]) + w[1:] }
	chars := func(n int, set string) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = set[rnd.IntN(len(set))]
		}
		return string(b)
	}
	const hex, b64 = "0123456789abcdef", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	blocks := []func(*strings.Builder){
		func(b *strings.Builder) {
			fmt.Fprintf(b, "=== RUN   Test%s%s/%s_%d\n", title(), title(), word(), rnd.IntN(90))
			fmt.Fprintf(b, "--- PASS: Test%s%s (0.%02ds)\nok  \texample.com/%s/%s\t%d.%03ds\n", title(), title(), rnd.IntN(99), word(), word(), rnd.IntN(9), rnd.IntN(999))
		},
		func(b *strings.Builder) {
			fmt.Fprintf(b, "func (%c *%s) %s%s(ctx context.Context, %s string) (*%s, error) {\n", word()[0], title(), title(), title(), word(), title())
			fmt.Fprintf(b, "\tif %s == nil || len(%s.%s) == 0 {\n\t\treturn nil, fmt.Errorf(\"%s %s: %%w\", err)\n\t}\n", word(), word(), word(), word(), word())
			fmt.Fprintf(b, "\tfor i, %s := range %s.%ss {\n\t\t%s[i] = strings.TrimSpace(%s.%s) // the %s of the %s\n\t}\n\treturn %s, nil\n}\n\n", word(), word(), word(), word(), word(), title(), word(), word(), word())
		},
		func(b *strings.Builder) {
			fmt.Fprintf(b, "    \"node_modules/%s-%s\": {\n      \"version\": \"%d.%d.%d\",\n      \"resolved\": \"https://registry.example.invalid/%s/-/%s-%d.0.1.tgz\",\n", word(), word(), rnd.IntN(9), rnd.IntN(30), rnd.IntN(9), word(), word(), rnd.IntN(9))
			fmt.Fprintf(b, "      \"integrity\": \"sha512-%s==\",\n      \"license\": \"MIT\"\n    },\n", chars(86, b64))
		},
		func(b *strings.Builder) {
			fmt.Fprintf(b, "./src/%s/%s:\ntotal %d\n", word(), word(), rnd.IntN(900))
			for range 6 {
				fmt.Fprintf(b, "-rw-r--r-- 1 deploy deploy %7d Dec %2d %02d:%02d %s_%s.go\n", rnd.IntN(999999), rnd.IntN(30), rnd.IntN(24), rnd.IntN(60), word(), word())
			}
			b.WriteByte('\n')
		},
		func(b *strings.Builder) {
			fmt.Fprintf(b, "2026-03-%02dT%02d:%02d:%02dZ INFO %s: %s %s in %dms request_id=%s-%s status=200\n", rnd.IntN(28), rnd.IntN(24), rnd.IntN(60), rnd.IntN(60), word(), word(), word(), rnd.IntN(500), chars(8, hex), chars(4, hex))
		},
		func(b *strings.Builder) {
			fmt.Fprintf(b, "[%3d/512] Building CXX object src/CMakeFiles/app.dir/%s_%s.cpp.o\n%s %s/%s v1.%d.%d h1:%s=\n", rnd.IntN(512), word(), word(), "github.com/example", word(), word(), rnd.IntN(20), rnd.IntN(9), chars(43, b64))
		},
	}
	var b strings.Builder
	b.Grow(n + 4096)
	for b.Len() < n {
		blocks[rnd.IntN(len(blocks))](&b)
	}
	return b.String()[:n]
}

// plant puts a generated secret into text every so many bytes.
func plant(text string, every int) string {
	rnd := rand.New(rand.NewPCG(3, 4))
	table := secrets.BuiltIns()
	var b strings.Builder
	for len(text) > every {
		cut := strings.IndexByte(text[every:], '\n') + every + 1
		b.WriteString(text[:cut])
		fmt.Fprintf(&b, "export SERVICE_TOKEN=%s\n", table[rnd.IntN(len(table))].Example(rnd.IntN))
		text = text[cut:]
	}
	b.WriteString(text)
	return b.String()
}

func compile(tb testing.TB) *secrets.Redactor {
	r, err := secrets.Compile(secrets.Options{Enabled: true})
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

var sink string

// benchmarkText measures the redaction of a text in pieces of 1 MiB, the most
// that a result holds by default.
func benchmarkText(b *testing.B, text string) {
	r := compile(b)
	r.Text(plant(text[:min(len(text), 1<<20)], 10<<10)) // expressions are compiled when first used
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	before := processorTime()
	for b.Loop() {
		for rest := text; rest != ""; {
			n := min(len(rest), 1<<20)
			sink = r.Text(rest[:n]).Text
			rest = rest[n:]
		}
	}
	b.ReportMetric(float64(len(text))*float64(b.N)/1e6/(processorTime()-before).Seconds(), "MB/cpu-s")
}

// processorTime is what the process has used, which a busy machine changes
// less than the time of day.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// The first two are the figures to compare; the rest must not fall below a
// tenth of the first.
func BenchmarkClean(b *testing.B) { benchmarkText(b, output(64<<20)) }

func BenchmarkSecretEvery100KB(b *testing.B) { benchmarkText(b, plant(output(64<<20), 100<<10)) }

func BenchmarkHostile(b *testing.B) {
	for name, text := range hostile(1 << 20) {
		b.Run(name, func(b *testing.B) { benchmarkText(b, text) })
	}
}

func BenchmarkShort(b *testing.B) {
	benchmarkText(b, "metachar: '|' at byte 9 is not allowed; send one command per call, the rest of the line was not read.")
}

func BenchmarkStream(b *testing.B) {
	text := output(16 << 20)
	r := compile(b)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		st := r.Stream(io.Discard)
		for rest := text; rest != ""; {
			n := min(len(rest), 32<<10)
			if _, err := io.WriteString(st, rest[:n]); err != nil {
				b.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := st.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// hostile are texts of n bytes that make a careless redactor quadratic.
func hostile(n int) map[string]string {
	fill := func(unit string) string { return strings.Repeat(unit, n/len(unit)+1)[:n] }
	rnd := rand.New(rand.NewPCG(5, 6))
	b64 := make([]byte, n)
	for i := range b64 {
		b64[i] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[rnd.IntN(64)]
	}
	return map[string]string{
		"begin lines":        fill("-----BEGIN RSA PRIVATE KEY-----\n"),
		"end lines":          fill("-----END RSA PRIVATE KEY-----\n"),
		"begin and body":     fill("-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEARZA5kCGJEBtYSEs2n7U0sQ36ptRMjugZJkyOhKe1\n"),
		"body lines":         fill("MIIEpAIBAAKCAQEARZA5kCGJEBtYSEs2n7U0sQ36ptRMjugZJkyOhKe1Zevfxep1\n"),
		"base64":             string(b64),
		"base64 of text":     fill("dXNlcj1zdmMKaG9zdD1kYi0xCnBvcnQ9ODA4MAo"),
		"key= in one line":   fill("API_KEY="),
		"key= of variables":  fill("$API_KEY= "),
		"quoted keys":        fill(`"password":"`),
		"open quotes":        fill("password='\n"),
		"escaped keys":       fill(`\"password\":\"`),
		"password words":     fill("password "),
		"token, one line":    fill("token:token;"),
		"capitals":           fill("A"),
		"dashes":             fill("-"),
		"backslashes":        fill(`\`),
		"backslash quotes":   fill(`\"`),
		"escapes":            fill("\x1b[31m"),
		"escapes, open":      fill("\x1b]0;"),
		"c1 strings":         fill("\u009d"),
		"escape and letter":  fill("\x1b[1mg\x1b[0m"),
		"nul":                fill("a\x00"),
		"nul names":          fill("A=b\x00"),
		"zero width":         fill("\u200bghp_"),
		"percent":            fill("%41"),
		"percent of percent": fill("%2525"),
		"percent, open":      fill("%4"),
		"jwt heads":          fill("eyJhbGciOiJIUzI1NiJ9"),
		"jwt dots":           fill("eyJhbGci."),
		"prefixes":           fill("ghp_"),
		"prefixes with dash": fill("glpat-"),
		"slack prefixes":     fill("xoxb-1-"),
		"urls":               fill("http://"),
		"urls, userinfo":     fill("http://a:"),
		"at signs":           fill("a://b:c@"),
		"tools":              fill("mysql -p "),
		"curl":               fill("curl -u "),
		"cookies":            fill("cookie: a=b;"),
		"headers":            fill("authorization: "),
		"bearers":            fill("bearer "),
		"pgpass":             fill("a:5432:b:c:"),
		"colons":             fill(":*:*:"),
		"markers":            fill("[REDACTED:github_token]"),
		"open markers":       fill("[REDACTED:"),
		"yaml blocks":        fill("password: |\n "),
		"pairs":              fill("- name: PASSWORD\n  value: "),
		"tildes":             fill("a8Q~"),
		"dollars":            fill(":$6$"),
		"newlines":           fill("\n"),
		"backspaces":         fill("a\b"),
		"dsn":                fill("a:b@tcp("),
		"identified":         fill("IDENTIFIED by "),
	}
}
