package ftpfetch_test

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/fetch"
	"trawl/internal/fetch/fetchtest"
	"trawl/internal/fetch/ftpfetch"
)

type lookup func(ctx context.Context, host string) ([]netip.Addr, error)

func (l lookup) LookupNetIP(ctx context.Context, host string) ([]netip.Addr, error) {
	return l(ctx, host)
}

// local returns a fetcher that may dial this machine.
func local(change ...func(*ftpfetch.Options)) *ftpfetch.Fetcher {
	opt := ftpfetch.Options{Guard: fetch.Guard{AllowPrivate: true}}
	for _, c := range change {
		c(&opt)
	}
	return ftpfetch.New(opt)
}

// patient returns a request whose timeouts no busy machine runs into.
func patient(u crawl.URL) *crawl.Request {
	req := fetchtest.NewRequest(u)
	req.Timeouts = crawl.DefaultTimeouts()
	return req
}

const listing = "total 8\r\n" +
	"drwxr-xr-x   2 ftp  ftp      4096 Jan  2 03:04 sub dir\r\n" +
	"-rw-r--r--   1 ftp  ftp        12 Jan  2  2024 a:b;c&\"d\".txt\r\n" +
	"lrwxrwxrwx   1 ftp  ftp         4 Jan  2  2024 link -> sub dir\r\n"

func TestB2File(t *testing.T) {
	s := serveSite(t, &site{files: map[string]string{"/pub/a b.txt": "hello\r\nworld\n"}})
	res := fetchtest.Fetch(t, local(), patient(s.ftp("/pub/a%20b.txt")))
	if res.Failure != nil || res.Status != 200 || string(res.Body) != "hello\r\nworld\n" || res.Truncated || res.Protocol != crawl.ProtocolFTP {
		t.Fatalf("%+v", res)
	}
	if res.Remote != s.Addr || res.WireBytes != 13 || res.HeaderBytes != 0 || res.TLSVersion != "" || res.Limit != crawl.DefaultByteLimit {
		t.Errorf("remote %v, %d bytes, header %d, TLS %q, limit %d", res.Remote, res.WireBytes, res.HeaderBytes, res.TLSVersion, res.Limit)
	}
	for name, want := range map[string]string{"Content-Type": "text/plain", "Content-Length": "13", "Last-Modified": "Tue, 02 Jan 2024 03:04:05 GMT"} {
		if got := res.Header.Get(name); got != want {
			t.Errorf("%s: %q; want %q", name, got, want)
		}
	}
	want := "USER anonymous\nPASS anonymous@\nTYPE I\nSIZE /pub/a b.txt\nMDTM /pub/a b.txt\nEPSV\nRETR /pub/a b.txt"
	if got := s.commands(); got != want && got != want+"\nQUIT" {
		t.Errorf("commands:\n%s\nwant:\n%s", got, want)
	}
}

func TestB2Directory(t *testing.T) {
	const want = "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>Index of /pub/</title></head>\n<body><h1>Index of /pub/</h1>\n<ul>\n" +
		"<li><a href=\"./a:b%3Bc%26%22d%22.txt\">a:b;c&amp;&#34;d&#34;.txt</a></li>\n" +
		"<li><a href=\"./link\">link</a></li>\n" +
		"<li><a href=\"./sub%20dir/\">sub dir/</a></li>\n" +
		"</ul>\n</body></html>\n"
	facts := "type=cdir; .\r\ntype=pdir; ..\r\nsize=12;type=file; a:b;c&\"d\".txt\r\ntype=OS.unix=slink:x; link\r\ntype=dir;modify=20240102030405; sub dir\r\n"
	for name, c := range map[string]struct {
		site *site
		path string
		used string
	}{
		"list":           {&site{dirs: map[string]string{"/pub": listing}}, "/pub/", "LIST"},
		"mlsd":           {&site{facts: map[string]string{"/pub": facts}}, "/pub/", "MLSD"},
		"promised only":  {&site{dirs: map[string]string{"/pub": listing}, facts: map[string]string{}, on: map[string]func(*session, string){"MLSD": says("502 no")}}, "/pub/", "LIST"},
		"no FEAT":        {&site{dirs: map[string]string{"/pub": listing}, on: map[string]func(*session, string){"FEAT": says("500 no")}}, "/pub/", "LIST"},
		"type suffix":    {&site{dirs: map[string]string{"/pub/": listing}}, "/pub/;type=d", "LIST"},
		"empty, refused": {&site{dirs: map[string]string{"/pub": ""}, on: map[string]func(*session, string){"LIST": says("550 No files found")}}, "/pub/", "LIST"},
	} {
		t.Run(name, func(t *testing.T) {
			if d, ok := c.site.dirs["/pub/"]; ok {
				c.site.dirs["/pub"] = d
			}
			s := serveSite(t, c.site)
			res := fetchtest.Fetch(t, local(), patient(s.ftp(c.path)))
			if res.Failure != nil || res.Status != 200 || res.Header.Get("Content-Type") != "text/html; charset=utf-8" {
				t.Fatalf("%+v", res)
			}
			if !strings.Contains(s.commands()+"\n", "\n"+c.used+"\n") {
				t.Errorf("commands:\n%s\nwant %s", s.commands(), c.used)
			}
			if name == "empty, refused" {
				if strings.Contains(string(res.Body), "<li>") {
					t.Errorf("links in an empty directory:\n%s", res.Body)
				}
			} else if string(res.Body) != want {
				t.Errorf("document:\n%s\nwant:\n%s", res.Body, want)
			}
		})
	}
}

func TestB2DirectoryWithoutSlash(t *testing.T) {
	s := serveSite(t, &site{dirs: map[string]string{"/pub/x y": listing}})
	res := fetchtest.Fetch(t, local(), patient(s.ftp("/pub/x%20y")))
	if res.Failure != nil || res.Status != 301 || res.Header.Get("Location") != string(s.ftp("/pub/x%20y/")) || len(res.Body) > 0 {
		t.Errorf("%+v", res)
	}
}

func TestB2Encryption(t *testing.T) {
	ca := fetchtest.NewAuthority(t)
	good := ca.Config(t, time.Now().Add(time.Hour), "127.0.0.1")
	files := map[string]string{"/f": "secret"}
	encrypted := func(s *session, _ string) {
		if s.conn == s.raw.Conn {
			s.say("530 use encryption")
		} else {
			s.say("230 in")
		}
	}
	for name, c := range map[string]struct {
		site     *site
		scheme   string
		protocol crawl.Protocol
		got      crawl.Protocol
		class    crawl.FailureClass
	}{
		"implicit":               {&site{tls: good, implicit: true}, "ftps", crawl.ProtocolAuto, crawl.ProtocolFTPS, 0},
		"explicit":               {&site{tls: good}, "ftp", crawl.ProtocolFTPS, crawl.ProtocolFTPS, 0},
		"explicit, not offered":  {&site{}, "ftp", crawl.ProtocolFTPS, 0, crawl.FailTLS},
		"plain":                  {&site{tls: good}, "ftp", crawl.ProtocolAuto, crawl.ProtocolFTP, 0},
		"demanded by the server": {&site{tls: good, on: map[string]func(*session, string){"USER": encrypted}}, "ftp", crawl.ProtocolAuto, crawl.ProtocolFTPS, 0},
		"no PROT":                {&site{tls: good, on: map[string]func(*session, string){"PROT": says("536 no")}}, "ftp", crawl.ProtocolFTPS, 0, crawl.FailTLS},
		"expired":                {&site{tls: ca.Config(t, time.Now().Add(-time.Hour), "127.0.0.1")}, "ftp", crawl.ProtocolFTPS, 0, crawl.FailTLS},
		"other name":             {&site{tls: ca.Config(t, time.Now().Add(time.Hour), "x.example"), implicit: true}, "ftps", crawl.ProtocolAuto, 0, crawl.FailTLS},
	} {
		t.Run(name, func(t *testing.T) {
			c.site.files = files
			s := serveSite(t, c.site)
			req := patient(crawl.URL(c.scheme + "://" + s.Addr.String() + "/f"))
			req.Protocol = c.protocol
			res := fetchtest.Fetch(t, local(func(o *ftpfetch.Options) { o.RootCAs = ca.Pool }), req)
			if c.class != 0 {
				wantFailure(t, res, c.class, crawl.PhaseTLS)
				return
			}
			if res.Failure != nil || string(res.Body) != "secret" || res.Protocol != c.got || (res.TLSVersion == "1.3") != (c.got == crawl.ProtocolFTPS) {
				t.Errorf("%+v", res)
			}
		})
	}
}

// TestB2SessionResumed: many servers refuse data connections that do not
// resume the session of the control connection.
func TestB2SessionResumed(t *testing.T) {
	ca := fetchtest.NewAuthority(t)
	for name, version := range map[string]uint16{"1.2": tls.VersionTLS12, "1.3": tls.VersionTLS13} {
		cfg := ca.Config(t, time.Now().Add(time.Hour), "127.0.0.1")
		cfg.MaxVersion = version
		resumed := make(chan bool, 2)
		cfg.VerifyConnection = func(cs tls.ConnectionState) error {
			resumed <- cs.DidResume
			return nil
		}
		s := serveSite(t, &site{tls: cfg, files: map[string]string{"/f": "x"}})
		req := patient(s.ftp("/f"))
		req.Protocol = crawl.ProtocolFTPS
		res := fetchtest.Fetch(t, local(func(o *ftpfetch.Options) { o.RootCAs = ca.Pool }), req)
		if res.Failure != nil || <-resumed || !<-resumed {
			t.Errorf("TLS %s: %v; want the second handshake, and only it, to resume", name, res.Failure)
		}
	}
}

func TestB2IPv6(t *testing.T) {
	if l, err := net.Listen("tcp", "[::1]:0"); err != nil {
		t.Skip("no IPv6 here")
	} else {
		l.Close()
	}
	s := serveSiteAt(t, "[::1]:0", &site{files: map[string]string{"/f": "six"}})
	if res := fetchtest.Fetch(t, local(), patient(s.ftp("/f"))); res.Failure != nil || string(res.Body) != "six" || res.Remote != s.Addr {
		t.Errorf("%+v", res)
	}
}

// TestB11ForeignAddress: the address in the reply to PASV sends us nowhere.
func TestB11ForeignAddress(t *testing.T) {
	for _, foreign := range []string{"10,0,0,1", "8,8,8,8", "169,254,169,254", "0,0,0,0"} {
		s := serveSite(t, &site{files: map[string]string{"/f": "own"}, on: map[string]func(*session, string){
			"EPSV": says("502 no"),
			"PASV": func(s *session, _ string) {
				p := s.listen()
				s.say("227 Entering Passive Mode (" + foreign + "," + itoa(p>>8) + "," + itoa(p&255) + ").")
			},
		}})
		var mu sync.Mutex
		var dialled []string
		f := local(func(o *ftpfetch.Options) {
			o.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
				mu.Lock()
				dialled = append(dialled, address)
				mu.Unlock()
				return (&net.Dialer{}).DialContext(ctx, network, address)
			}
		})
		res := fetchtest.Fetch(t, f, patient(s.ftp("/f")))
		if res.Failure != nil || string(res.Body) != "own" {
			t.Errorf("%s: %+v", foreign, res)
		}
		for _, a := range dialled {
			if !strings.HasPrefix(a, "127.0.0.1:") {
				t.Errorf("%s: dialled %s", foreign, a)
			}
		}
		if len(dialled) != 2 {
			t.Errorf("%s: dialled %q; want control and data", foreign, dialled)
		}
	}
}

func TestB11Guard(t *testing.T) {
	s := serveSite(t, &site{})
	_, port, _ := net.SplitHostPort(s.Addr.String())
	f := ftpfetch.New(ftpfetch.Options{Resolver: lookup(func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{s.Addr.Addr(), netip.MustParseAddr("::ffff:127.0.0.1")}, nil
	})})
	for _, host := range []string{"rebound.example", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "169.254.169.254"} {
		res := fetchtest.Fetch(t, f, patient(crawl.URL("ftp://"+host+":"+port+"/f")))
		wantFailure(t, res, crawl.FailBlockedAddress, crawl.PhaseConnect)
	}
	if n := s.Conns.Load(); n != 0 {
		t.Errorf("%d connections reached the server", n)
	}
}

func TestG2NotModifiedSince(t *testing.T) {
	s := serveSite(t, &site{files: map[string]string{"/f": "x"}})
	for since, want := range map[string]int{
		"": 200, "Tue, 02 Jan 2024 03:04:04 GMT": 200, "Tue, 02 Jan 2024 03:04:05 GMT": 304, "Wed, 03 Jan 2024 00:00:00 GMT": 304, "tomorrow": 200, "Wed, 03 Jan 2024 00:00:00 CET": 200,
	} {
		req := patient(s.ftp("/f"))
		req.IfModifiedSince = since
		if res := fetchtest.Fetch(t, local(), req); res.Failure != nil || res.Status != want {
			t.Errorf("%q: %d, %v; want %d", since, res.Status, res.Failure, want)
		}
	}
}

// TestB7TLSBroken: what a server, or someone between, says in the clear is
// never taken for part of what is protected.
func TestB7TLSBroken(t *testing.T) {
	ca := fetchtest.NewAuthority(t)
	cfg := ca.Config(t, time.Now().Add(time.Hour), "127.0.0.1")
	for name, c := range map[string]struct {
		on    map[string]func(*session, string)
		class crawl.FailureClass
		phase crawl.Phase
	}{
		"said ahead of the handshake": {on("AUTH", func(s *session, _ string) {
			if s.say("234 go ahead\r\n200 injected") {
				s.startTLS()
			}
		}), crawl.FailUnparseable, crawl.PhaseRequest},
		"no handshake": {on("AUTH", stalls("234 go ahead\r\n")), crawl.FailTLS, crawl.PhaseTLS},
		"data in the clear": {on("RETR", func(s *session, _ string) {
			if c, err := s.data.Accept(); err == nil {
				defer c.Close()
				s.say("150 here it comes")
				s.write(c, "not encrypted at all")
				c.Read(make([]byte, 1))
			}
		}), crawl.FailTLS, crawl.PhaseTLS},
	} {
		s := serveSite(t, &site{tls: cfg, files: map[string]string{"/f": "x"}, on: c.on})
		req := patient(s.ftp("/f"))
		req.Protocol, req.Timeouts.TLS = crawl.ProtocolFTPS, 300*time.Millisecond
		t.Run(name, func(t *testing.T) {
			wantFailure(t, fetchtest.Fetch(t, local(func(o *ftpfetch.Options) { o.RootCAs = ca.Pool }), req), c.class, c.phase)
		})
	}
}
