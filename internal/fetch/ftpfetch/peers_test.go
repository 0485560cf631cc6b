package ftpfetch_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"goftp.io/server/v2"
	"goftp.io/server/v2/driver/file"

	"trawl/internal/crawl"
	"trawl/internal/fetch/fetchtest"
	"trawl/internal/fetch/ftpfetch"
)

// tree makes the directory that the real servers serve.
func tree(t testing.TB) string {
	// Not t.TempDir: a server that gives up its privileges must get in.
	root, err := os.MkdirTemp("", "ftpfetch")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	at := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, text := range map[string]string{
		"pub/hello.txt": "hello\r\nworld\n", "pub/big.bin": strings.Repeat("0123456789abcdef", 1<<16), "pub/sub dir/ümlaut #1?.html": "<p>x", "pub/empty/.keep": "",
	} {
		p := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(p, at, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	return root
}

// crawlTree fetches what tree made from a real server.
func crawlTree(t *testing.T, f *ftpfetch.Fetcher, origin string, protocol, want crawl.Protocol) {
	t.Helper()
	get := func(path string, limit int64) *crawl.Result {
		req := patient(crawl.URL(origin + path))
		req.Protocol, req.Limits.Default = protocol, limit
		res := fetchtest.Fetch(t, f, req)
		if res.Failure != nil || res.Protocol != want {
			t.Fatalf("%s: %d %s, %v over %v; want %v", path, res.Status, res.Reason, res.Failure, res.Protocol, want)
		}
		return res
	}
	res := get("/pub/hello.txt", 0)
	if res.Status != 200 || string(res.Body) != "hello\r\nworld\n" || res.Header.Get("Content-Length") != "13" || res.Header.Get("Last-Modified") != "Tue, 02 Jan 2024 03:04:05 GMT" {
		t.Errorf("file: %d, %q, %v", res.Status, res.Body, res.Header)
	}
	if res := get("/pub/big.bin", 0); len(res.Body) != 1<<20 || res.Truncated {
		t.Errorf("large file: %d bytes, truncated %v", len(res.Body), res.Truncated)
	}
	if res := get("/pub/big.bin", 1000); len(res.Body) != 1000 || !res.Truncated {
		t.Errorf("limit: %d bytes, truncated %v", len(res.Body), res.Truncated)
	}
	if res := get("/pub/sub%20dir/%C3%BCmlaut%20%231%3F.html", 0); string(res.Body) != "<p>x" {
		t.Errorf("odd name: %d, %q", res.Status, res.Body)
	}
	if res := get("/pub/", 0); res.Status != 200 || strings.Count(string(res.Body), "<li>") != 4 ||
		!strings.Contains(string(res.Body), `<a href="./hello.txt">hello.txt</a>`) || !strings.Contains(string(res.Body), `<a href="./sub%20dir/">sub dir/</a>`) {
		t.Errorf("listing: %d\n%s", res.Status, res.Body)
	}
	if res := get("/pub/sub%20dir/", 0); !strings.Contains(string(res.Body), `<a href="./%C3%BCmlaut%20%231%3F.html">`) {
		t.Errorf("listing of odd names: %d\n%s", res.Status, res.Body)
	}
	if res := get("/pub/sub%20dir", 0); res.Status != 301 || res.Header.Get("Location") != origin+"/pub/sub%20dir/" {
		t.Errorf("directory without slash: %d, %v", res.Status, res.Header)
	}
	for _, path := range []string{"/pub/gone", "/gone/"} {
		if res := get(path, 0); res.Status != 404 {
			t.Errorf("%s: %d %s; want 404", path, res.Status, res.Reason)
		}
	}
}

// anyone lets everybody in.
type anyone struct{}

func (anyone) CheckPasswd(*server.Context, string, string) (bool, error) { return true, nil }

// TestB2Goftp fetches from a server that lists for machines.
func TestB2Goftp(t *testing.T) {
	root := tree(t)
	if err := os.Remove(filepath.Join(root, "pub/empty/.keep")); err != nil {
		t.Fatal(err)
	}
	driver, err := file.NewDriver(root)
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.NewServer(&server.Options{
		Driver: driver, Auth: anyone{}, Perm: server.NewSimplePerm("ftp", "ftp"), Logger: &server.DiscardLogger{}, Hostname: "127.0.0.1",
	})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		s.Serve(l)
		close(ended)
	}()
	t.Cleanup(func() {
		l.Close()
		<-ended
	})
	crawlTree(t, local(), "ftp://"+l.Addr().String(), crawl.ProtocolAuto, crawl.ProtocolFTP)
}

// TestB2Vsftpd fetches from Debian's vsftpd, as real servers are configured.
func TestB2Vsftpd(t *testing.T) {
	program, err := exec.LookPath("vsftpd")
	if err != nil {
		program = "/usr/sbin/vsftpd"
	}
	if _, err := os.Stat(program); err != nil || os.Getuid() != 0 {
		if os.Getenv("TRAWL_REQUIRE_PEERS") == "1" {
			t.Fatal("vsftpd and root are needed: apt-get install vsftpd")
		}
		t.Skip("needs vsftpd, run as root")
	}
	root := tree(t)
	ca := fetchtest.NewAuthority(t)
	pemFile := filepath.Join(t.TempDir(), "server.pem")
	fetchtest.WritePEM(t, pemFile, ca.Config(t, time.Now().Add(time.Hour), "127.0.0.1", "::1"))
	secure := "ssl_enable=YES\nallow_anon_ssl=YES\nrequire_ssl_reuse=YES\nrsa_cert_file=" + pemFile + "\nrsa_private_key_file=" + pemFile + "\nssl_ciphers=HIGH\n"
	for name, c := range map[string]struct {
		scheme, host   string
		protocol, want crawl.Protocol
		config         string
	}{
		"plain":             {"ftp", "127.0.0.1", crawl.ProtocolAuto, crawl.ProtocolFTP, ""},
		"plain, PASV only":  {"ftp", "127.0.0.1", crawl.ProtocolAuto, crawl.ProtocolFTP, "cmds_denied=EPSV\npasv_address=10.1.2.3\n"},
		"plain, IPv6":       {"ftp", "[::1]", crawl.ProtocolAuto, crawl.ProtocolFTP, ""},
		"explicit":          {"ftp", "127.0.0.1", crawl.ProtocolFTPS, crawl.ProtocolFTPS, secure},
		"implicit":          {"ftps", "127.0.0.1", crawl.ProtocolAuto, crawl.ProtocolFTPS, secure + "implicit_ssl=YES\n"},
		"encryption forced": {"ftp", "127.0.0.1", crawl.ProtocolAuto, crawl.ProtocolFTPS, secure + "force_anon_logins_ssl=YES\nforce_anon_data_ssl=YES\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.host == "[::1]" && !hasIPv6() {
				t.Skip("no IPv6 here")
			}
			port := startVsftpd(t, program, c.host, "anonymous_enable=YES\nanon_root="+root+"\n"+c.config)
			f := local(func(o *ftpfetch.Options) { o.RootCAs = ca.Pool })
			crawlTree(t, f, fmt.Sprintf("%s://%s:%d", c.scheme, c.host, port), c.protocol, c.want)
		})
	}
	t.Run("nobody let in", func(t *testing.T) {
		port := startVsftpd(t, program, "127.0.0.1", "anonymous_enable=NO\nlocal_enable=YES\n")
		res := fetchtest.Fetch(t, local(), patient(crawl.URL(fmt.Sprintf("ftp://127.0.0.1:%d/pub/", port))))
		if res.Failure != nil || res.Status != 401 {
			t.Errorf("%d, %v; want 401", res.Status, res.Failure)
		}
	})
}

func hasIPv6() bool {
	l, err := net.Listen("tcp", "[::1]:0")
	if err == nil {
		l.Close()
	}
	return err == nil
}

// startVsftpd starts program on a free port of host and waits until it listens.
func startVsftpd(t *testing.T, program, host, config string) int {
	t.Helper()
	l, err := net.Listen("tcp", host+":0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	listen := "listen=YES\nlisten_address=" + host
	if strings.HasPrefix(host, "[") {
		listen = "listen=NO\nlisten_ipv6=YES\nlisten_address6=" + strings.Trim(host, "[]")
	}
	conf := filepath.Join(dir, "vsftpd.conf")
	text := fmt.Sprintf("%s\nlisten_port=%d\nbackground=NO\nsecure_chroot_dir=%s\nftp_username=daemon\nseccomp_sandbox=NO\nxferlog_enable=NO\n%s", listen, port, empty, config)
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	cmd := exec.Command(program, conf)
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		c, err := net.Dial("tcp", net.JoinHostPort(strings.Trim(host, "[]"), itoa(port)))
		if err == nil {
			c.Close()
			return port
		}
		if time.Now().After(end) {
			cmd.Process.Kill()
			cmd.Wait()
			t.Fatalf("vsftpd does not listen: %v\n%s", err, said.String())
		}
	}
}
