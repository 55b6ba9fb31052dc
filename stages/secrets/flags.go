package secrets

import (
	"slices"
	"strings"
	"sync"
)

// How a flag carries its secret.
type carry uint8

const (
	next    carry = iota // -p v; -p=v is told by the flag
	glued                // -pv, and never -p v
	either               // -p v or -pv
	login                // user:v or user,v
	percent              // user%v
	source               // pass:v, as openssl names where a password comes from
)

// A tool is what is known about the short flags of a program. With sub set,
// its flags count only after that word.
type tool struct {
	names  string
	sub    string
	flags  map[string]carry
	plainP bool // its -p is something else, or is not followed by a secret
}

// tools are the programs whose flags do not say by their name that a secret
// follows. --password and the like need no table.
var tools = []tool{
	{names: "mysql mysqldump mysqladmin mysqlimport mysqlshow mysqlcheck mysqlslap mysqlsh mysqlbinlog mariadb mariadb-dump mariadb-admin mycli", flags: map[string]carry{"-p": glued}, plainP: true},
	{names: "sshpass", flags: map[string]carry{"-p": either}},
	{names: "docker podman nerdctl buildah skopeo helm oras crane regctl oc az ibmcloud cf", sub: "login", flags: map[string]carry{"-p": next}, plainP: true},
	{names: "curl", flags: map[string]carry{"-u": login, "-U": login, "--user": login, "--proxy-user": login, "-E": login, "--cert": login}, plainP: true},
	{names: "httpie xh", flags: map[string]carry{"-a": login, "--auth": login}, plainP: true},
	{names: "redis-cli redis-benchmark valkey-cli keydb-cli", flags: map[string]carry{"-a": next}, plainP: true},
	{names: "openssl", flags: map[string]carry{"-passin": source, "-passout": source, "-pass": source, "-password": source, "-k": next, "-K": next, "-hmac": next, "-macopt": source}, plainP: true},
	{names: "zip unzip zipcloak bsdtar", flags: map[string]carry{"-P": either, "--passphrase": next}, plainP: true},
	{names: "7z 7za 7zr 7zz rar unrar", flags: map[string]carry{"-p": glued, "-hp": glued}},
	{names: "ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldapcompare ldapmodrdn", flags: map[string]carry{"-w": either}, plainP: true},
	{names: "ldappasswd", flags: map[string]carry{"-w": either, "-s": either, "-a": either}, plainP: true},
	{names: "smbclient rpcclient smbget smbcacls wmic", flags: map[string]carry{"-U": percent, "--user": percent}, plainP: true},
	{names: "sqlcmd bcp isql osql tsql mssql-cli", flags: map[string]carry{"-P": either}, plainP: true},
	{names: "mongo mongosh mongodump mongorestore mongoexport mongoimport mongostat mongotop cqlsh", flags: map[string]carry{"-p": either}},
	{names: "mosquitto_pub mosquitto_sub ipmitool", flags: map[string]carry{"-P": next}, plainP: true},
	{names: "snmpwalk snmpget snmpset snmpbulkwalk", flags: map[string]carry{"-A": next, "-X": next}, plainP: true},
	{names: "ssh-keygen", flags: map[string]carry{"-N": next, "-P": next}, plainP: true},
	{names: "lftp ncftp ncftpget ncftpput", flags: map[string]carry{"-u": login, "-p": next}},
	{names: "doctl flyctl", flags: map[string]carry{"-t": next}, plainP: true},
	{names: "etcdctl", flags: map[string]carry{"--user": login}, plainP: true},
	{names: "ansible ansible-playbook", flags: map[string]carry{}, plainP: true},
	{names: "xfreerdp xfreerdp3 wlfreerdp", flags: map[string]carry{"/p:": glued}, plainP: true},
	{names: "gh", sub: "secret", flags: map[string]carry{"-b": next, "--body": next}, plainP: true},
	{names: "nxc crackmapexec evil-winrm hydra smbmap psexec PsExec", flags: map[string]carry{"-p": next}},
	{names: "kinit rdesktop influx impala-shell snowsql nzsql vsql beeline dsconf samba-tool", flags: map[string]carry{"-p": next}},
	{names: "git cp mkdir ps ssh scp sftp rsync gcc g++ cc clang clang++ pytest py.test patch tar nmap lsof perl netstat ss xargs psql pg_dump pg_restore pg_isready pg_basebackup createdb dropdb nc ncat make cmake ninja npm yarn pnpm npx cargo go install touch test time read bash sh zsh dash fish type command declare local export set trap fd tee umask adb iptables python python3 pip ruby php less more grep rg jq tmux systemctl ip sed awk find df du bc nice env jest mocha tsc protoc telnet wget terraform gunzip chmod chown mv rm ln ls cat pidof pgrep pkill top htop strace ltrace gdb taskset chrt renice ionice prlimit hexdump sort sysctl mount umount modprobe kubectl flask rails gunicorn uvicorn vite serve http-server jupyter ng dotnet mvn gradle msbuild java node deno bun journalctl service docker-compose vagrant packer stat id which sudo su", plainP: true},
}

// positions are the commands that take a secret as a bare word: the word's
// place counts from the one named in after.
var positions = []struct {
	tool, after string
	skip        int
}{
	{"rabbitmqctl", "add_user", 1},
	{"rabbitmqctl", "change_password", 1},
	{"rabbitmqctl", "authenticate_user", 1},
	{"mysqladmin", "password", 0},
	{"vault", "login", 0},
	{"wpa_passphrase", "wpa_passphrase", 1},
	{"bw", "unlock", 0},
	{"nmcli", "password", 0},
	{"kadmin.local", "-pw", 0},
	{"kadmin", "-w", 0},
}

// toolWords are what the prefilter looks for: the names of tools whose flags
// carry secrets, with what follows a name in a line or in a list.
func toolWords() []string {
	var out []string
	seen := map[string]bool{}
	add := func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		for _, after := range []string{" ", "\"", "',"} {
			if len(name)+1 >= 4 {
				out = append(out, name+after)
			}
		}
	}
	for _, t := range tools {
		if len(t.flags) == 0 {
			continue
		}
		for _, n := range strings.Fields(t.names) {
			add(n)
		}
	}
	for _, p := range positions {
		add(p.tool)
	}
	return append(out, "htpasswd ", "htpasswd\"", "gh secret ", "7z x", "7z a", "7z e", "7z t", "7z\", \"")
}

func toolNamed(name string, words []string) *tool {
	if i := strings.LastIndexAny(name, "/\\"); i >= 0 {
		name = name[i+1:]
	}
	name = strings.TrimSuffix(name, ".exe")
	t := toolTable()[name]
	if t == nil || t.sub == "" || slices.Contains(words, t.sub) {
		return t
	}
	return &tool{plainP: true}
}

// toolTable finds a tool by its name.
var toolTable = sync.OnceValue(func() map[string]*tool {
	out := map[string]*tool{}
	for i := range tools {
		for _, n := range strings.Fields(tools[i].names) {
			out[n] = &tools[i]
		}
	}
	return out
})

// A part is a piece of a command line word.
type part struct{ word, from, to int }

// toolSecrets returns the parts of words, which begin with a tool's name, that
// its flags make secrets. bold is for a parsed argv: there the value of an
// unknown tool's -p goes as well.
func toolSecrets(words []string, bold bool) []part {
	words0 := unwrap(words)
	offset := len(words) - len(words0)
	words = words0
	if len(words) == 0 {
		return nil
	}
	t := toolNamed(words[0], words)
	var out []part
	if t == nil {
		out = unknownP(words, bold)
	} else {
		out = t.secrets(words)
	}
	out = append(out, operands(words)...)
	for i := range out {
		out[i].word += offset
	}
	return out
}

// unwrap leaves out programs that run the rest of their arguments.
func unwrap(words []string) []string {
	for len(words) > 1 {
		switch w := words[0]; {
		case w == "sudo" || w == "env" || w == "nohup" || w == "time" || w == "exec" || w == "command" || w == "doas" || w == "watch" || w == "nice" || w == "xargs":
		case strings.Contains(w, "=") && w[0] != '-':
		default:
			return words
		}
		words = words[1:]
		for len(words) > 1 && strings.HasPrefix(words[0], "-") {
			words = words[1:]
		}
	}
	return words
}

// secrets finds the tool's flags among its words.
func (t *tool) secrets(words []string) []part {
	var out []part
	for i := 1; i < len(words); i++ {
		w := words[i]
		if w == "--" {
			break
		}
		for flag, how := range t.flags {
			if !strings.HasPrefix(w, flag) {
				continue
			}
			if w == flag {
				if how == glued || i+1 >= len(words) {
					continue
				}
				if p, ok := how.part(words[i+1], 0); ok {
					p.word = i + 1
					out = append(out, p)
				}
				continue
			}
			from := len(flag)
			if w[from] == '=' {
				from++
			} else if strings.HasPrefix(flag, "--") || how == next || how == source && len(flag) > 2 {
				continue
			}
			if p, ok := how.part(w, from); ok {
				p.word = i
				out = append(out, p)
			}
		}
	}
	return out
}

// part is what of a word, from a byte on, is secret.
func (how carry) part(w string, from int) (part, bool) {
	v := w[from:]
	p := part{from: from, to: len(w)}
	switch how {
	case login:
		i := strings.IndexByte(v, ':')
		if i < 0 {
			i = strings.IndexByte(v, ',')
		}
		if i < 0 || strings.HasPrefix(v[i:], "://") {
			return p, false
		}
		p.from += i + 1
	case percent:
		i := strings.IndexByte(v, '%')
		if i < 0 {
			return p, false
		}
		p.from += i + 1
	case source:
		i := strings.IndexByte(v, ':')
		if i < 0 || v[:i] != "pass" && v[:i] != "hexkey" && v[:i] != "key" {
			return p, false
		}
		p.from += i + 1
	}
	v = w[p.from:]
	ok := v != "" && !reference(v) && !onlyMarkers(v) && !masked(v) && !(how != login && v[0] == '-' && len(v) > 1 && isAlpha(v[1]) && len(v) < 4)
	return p, ok && !(how == glued && (isAllAlpha(v) && len(v) < 5 || strings.HasPrefix(v, "ort")))
}

// unknownP takes the value of -p for a tool that is not in the table.
func unknownP(words []string, bold bool) []part {
	var out []part
	for i := 1; i+1 < len(words); i++ {
		if words[i] != "-p" {
			continue
		}
		v := words[i+1]
		if v == "" || v[0] == '-' || isNumber(v) || isPortMapping(v) || isPath(v) || reference(v) || onlyMarkers(v) || masked(v) || isURL(v) || isNothing(v) {
			continue
		}
		if strings.Contains(v, "/") && !hasOddSymbol(strings.ReplaceAll(v, "/", "")) && !randomish(v) {
			continue
		}
		if !bold && (len(v) < 6 || hasExtension(v) || strings.ContainsAny(v[:1], "[(*") || strings.Contains(v, ".*") || strings.HasSuffix(v, ";") || !hasOddSymbol(v) && !randomish(v) && !scrambled(v)) {
			continue
		}
		out = append(out, part{word: i + 1, to: len(v)})
	}
	return out
}

// isPortMapping reports 8080:80, 127.0.0.1:8080:80/tcp.
func isPortMapping(v string) bool {
	v = strings.TrimSuffix(strings.TrimSuffix(v, "/tcp"), "/udp")
	for i := 0; i < len(v); i++ {
		if !isDigit(v[i]) && v[i] != ':' && v[i] != '.' && v[i] != '-' && v[i] != ',' {
			return false
		}
	}
	return true
}

// operands finds secrets given as bare words.
func operands(words []string) []part {
	var out []part
	add := func(i int) {
		if i < len(words) && words[i] != "" && words[i][0] != '-' && !reference(words[i]) && !onlyMarkers(words[i]) {
			out = append(out, part{word: i, to: len(words[i])})
		}
	}
	name := words[0]
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	for _, p := range positions {
		if p.tool != name {
			continue
		}
		for i, w := range words {
			if w != p.after {
				continue
			}
			at := i + 1
			for at < len(words) && strings.HasPrefix(words[at], "-") {
				at++
			}
			if v := at + p.skip; v < len(words) && !strings.Contains(words[v], "=") {
				add(v)
			}
		}
	}
	if name == "htpasswd" && len(words) > 3 && strings.HasPrefix(words[1], "-") && strings.Contains(words[1], "b") {
		add(len(words) - 1)
	}
	return out
}
