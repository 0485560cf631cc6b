package ftpfetch

import (
	"bufio"
	"bytes"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"trawl/internal/crawl"
)

func TestB2ListingForms(t *testing.T) {
	const none = "\x00none"
	for line, want := range map[string]string{
		"-rw-r--r--   1 ftp  ftp    123456 Jan  2 03:04 name":              "name",
		"-rw-r--r--   1 ftp  ftp    123456 Jan  2  2024  leading space":    " leading space",
		"-rw-r--r--   1 ftp  ftp    123456 Jan  2  2024 trailing ":         "trailing ",
		"-rw-r--r--   1 ftp  ftp    123456 Jan  2  2024 Feb  3  2023":      "Feb  3  2023",
		"drwxr-xr-x   3 a b c       4096 dec 31  2024 many words in owner": "many words in owner/",
		"drwxr-xr-x+  3 ftp 4096 Dec 31 23:59 no group":                    "no group/",
		"-rw-r--r-- 1 ftp ftp 1 2 Jan 03:04 day first":                     "day first",
		"-rw-r--r-- 1 ftp ftp 1 2024-01-02 03:04 iso date":                 "iso date",
		"lrwxrwxrwx 1 ftp ftp 4 Jan  2  2024 link -> ../target":            "link",
		"crw-rw-rw- 1 root root 1, 3 Jan  2  2024 null":                    "",
		"-rw-r--r-- 1 ftp ftp 1 Jan  2  2024 ..":                           "",
		"-rw-r--r-- 1 ftp ftp 1 Jan  2  2024 a/../../b":                    "",
		"-rw-r--r-- 1 ftp ftp 1 Jan  2  2024 ":                             "",
		"-rw-r--r-- 1 ftp ftp 1 Jan  2  2024":                              none,
		"-rw-r--r-- 1 ftp ftp 1 Januar 2 2024 x":                           none,
		"total 12":                                                         "",
		"01-02-24  03:04PM       <DIR>          Program Files":             "Program Files/",
		"01-02-2024  15:04            1,234,567 a  b.txt":                  "a  b.txt",
		"2024-01-02  03:04       <JUNCTION>     link":                      "link",
		"01-02-24  03:04PM":                                                none,
		"01-02-24  03:04PM       twelve         name":                      none,
		"<html>":  none,
		"\x1b[0m": none,
	} {
		entries, unread := parseListing([]byte(line+"\r\n"), false)
		got := none
		switch {
		case unread == 0 && len(entries) == 0:
			got = ""
		case len(entries) == 1:
			got = entries[0].name
			if entries[0].dir {
				got += "/"
			}
		}
		if got != want {
			t.Errorf("%q: %q; want %q", line, got, want)
		}
	}
	for line, want := range map[string]string{
		"type=file;size=1; a b": "a b", "Type=DIR; d": "d/", "type=cdir; x": "", "type=pdir; ..": "", " bare": "bare", "type=file; ; x": "; x", "nonsense": none, "a b": none,
	} {
		entries, unread := parseListing([]byte(line+"\n"), true)
		got := none
		switch {
		case unread == 0 && len(entries) == 0:
			got = ""
		case len(entries) == 1:
			got = entries[0].name
			if entries[0].dir {
				got += "/"
			}
		}
		if got != want {
			t.Errorf("MLSD %q: %q; want %q", line, got, want)
		}
	}
}

func TestListingSortedOnce(t *testing.T) {
	entries, _ := parseListing([]byte(" b\n a\n b\n c"), true)
	names := ""
	for _, e := range entries {
		names += e.name
	}
	if names != "abc" {
		t.Errorf("%q; want each name once, in order, the last line without end, too", names)
	}
}

func TestB2PassiveReplies(t *testing.T) {
	for text, want := range map[string]uint16{
		"Entering Passive Mode (10,0,0,1,4,1)": 1025, "Entering Passive Mode 10,0,0,1,255,255": 65535, "=10,0,0,1,4,1.": 1025,
		"(10,0,0,1,0,0)": 0, "(10,0,0,1,256,1)": 0, "(10,0,0,1,4)": 0, "(10,0,0,1,4,1234)": 0, "": 0, "1,2,3,4,5,": 0,
	} {
		if p, ok := passivePort(text); p != want || ok != (want > 0) {
			t.Errorf("PASV %q: %d, %v; want %d", text, p, ok, want)
		}
	}
	for text, want := range map[string]uint16{
		"ok (|||6446|)": 6446, "ok (!!!65535!)": 65535, "(|||65536|)": 0, "(|||0|)": 0, "(||6446|)": 0, "(|||6446)": 0, "(11164461)": 0, "(|||": 0, "(|1|1.2.3.4|21|)": 0, "": 0,
		"(|||99999999999999999999|)": 0, "(||||)": 0,
	} {
		if p, ok := extendedPort(text); p != want || ok != (want > 0) {
			t.Errorf("EPSV %q: %d, %v; want %d", text, p, ok, want)
		}
	}
}

func TestB2StatusTable(t *testing.T) {
	for code, want := range map[int]int{
		425: 503, 426: 503, 434: 503, 450: 503, 451: 500, 452: 503, 499: 503, 430: 401, 530: 401, 532: 401, 522: 403, 534: 403, 536: 403,
		500: 501, 502: 501, 504: 501, 501: 400, 503: 500, 550: 404, 551: 404, 552: 503, 553: 403, 599: 400, 421: 503,
	} {
		if got := status(reply{code: code, text: "no"}); got != want {
			t.Errorf("%d: %d; want %d", code, got, want)
		}
	}
	for _, text := range []string{"Permission denied.", "Access is denied", "ACCESS FORBIDDEN"} {
		if got := status(reply{code: 550, text: text}); got != 403 {
			t.Errorf("550 %s: %d; want 403", text, got)
		}
	}
}

// FuzzListing: whatever a listing says, the document links below its directory
// only, one link for each entry, and its size is as foretold.
func FuzzListing(f *testing.F) {
	for _, s := range []string{
		"-rw-r--r--   1 ftp  ftp    123456 Jan  2 03:04 name\r\n", "01-02-24  03:04PM       <DIR>          Program Files\r\n", "type=file;size=1; a b\r\n",
		"drwxr-xr-x 3 a 1 2024-01-02 03:04 javascript:x\n", "type=dir; http://x.example\n", "type=file; \\\\x.example\\y\n", "type=file; \xff'\"><b>\n", "total 4\n",
	} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, raw []byte, machine bool) {
		entries, unread := parseListing(raw, machine)
		if lines := bytes.Count(raw, []byte("\n")) + 1; len(entries)+unread > lines {
			t.Fatalf("%d entries and %d more from %d lines", len(entries), unread, lines)
		}
		base := &url.URL{Scheme: "ftp", Host: "h.example", Path: "/dir/"}
		size := documentSize("/dir/")
		for i := range entries {
			size += entrySize(&entries[i])
		}
		doc := document("/dir/", entries)
		if int64(len(doc)) != size {
			t.Fatalf("%d bytes; foretold %d", len(doc), size)
		}
		links := 0
		for z := html.NewTokenizer(bytes.NewReader(doc)); z.Next() != html.ErrorToken; {
			tok := z.Token()
			if tok.Type != html.StartTagToken || tok.Data != "a" {
				continue
			}
			u, err := base.Parse(tok.Attr[0].Val)
			if err != nil {
				t.Fatal(err)
			}
			rest, below := strings.CutPrefix(u.String(), base.String())
			if !below || strings.Contains(strings.TrimSuffix(rest, "/"), "/") || rest == "" {
				t.Fatalf("%q leads to %q", tok.Attr[0].Val, u)
			}
			var back target
			back.readPath(crawl.URL(u.String()))
			if want := "/dir/" + entries[links].name; strings.TrimSuffix(back.path, "/") != want && back.path != want {
				t.Fatalf("%q leads back to %q; want %q", u, back.path, want)
			}
			links++
		}
		if links != len(entries) {
			t.Fatalf("%d links for %d entries", links, len(entries))
		}
	})
}

// FuzzReply: whatever a server says, reading a reply ends within its bounds.
func FuzzReply(f *testing.F) {
	for _, s := range []string{"220 hi\r\n", "220-a\r\n220-b\r\n 220 c\r\n220 d\r\n", "220-a\r\n221 b\r\n", "2\r\n", "229 (|||1|)\r\n", "227 (1,2,3,4,5,6)\n", "999 x\r\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		left := 2000
		in := bufio.NewReaderSize(bytes.NewReader(said), lineSize)
		for {
			r, err := readReply(in, &left)
			if err != nil {
				break
			}
			if left < 0 || r.code < 100 || r.code > 599 || strings.ContainsAny(r.text, "\n") {
				t.Fatalf("%+v, %d left", r, left)
			}
			passivePort(r.text)
			extendedPort(r.text)
			if s := status(r); r.code >= 400 && (s < 400 || s > 599) {
				t.Fatalf("%d gives status %d", r.code, s)
			}
			parseTime(r)
		}
	})
}
