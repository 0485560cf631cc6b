package main

import (
	"io"
	"slices"
	"strings"
	"testing"
)

func namesOf(peers []peer) string {
	var n []string
	for _, p := range peers {
		n = append(n, p.name)
	}
	return strings.Join(n, " ")
}

func TestOptions(t *testing.T) {
	for name, c := range map[string]struct {
		args  []string
		peers string
		fails string // what the error must say; "" = none
	}{
		"defaults":                  {nil, "trawl trawl-warc colly floor", ""},
		"order of --only":           {[]string{"--only", "floor,trawl"}, "floor trawl", ""},
		"a peer":                    {[]string{"--peer", "wget2=wget2 -i {seeds}"}, "trawl trawl-warc colly floor wget2", ""},
		"a peer and --only":         {[]string{"--only", "x,colly", "--peer", "x=true"}, "x colly", ""},
		"unknown in --only":         {[]string{"--only", "nutch"}, "", "nutch"},
		"twice in --only":           {[]string{"--only", "colly,colly"}, "", "twice"},
		"unknown in --against":      {[]string{"--against", "nutch"}, "", "nutch"},
		"a peer in --against":       {[]string{"--peer", "x=true", "--against", "x"}, "trawl trawl-warc colly floor x", ""},
		"a name that is taken":      {[]string{"--peer", "colly=true"}, "", "already"},
		"a name that is a path":     {[]string{"--peer", "../x=true"}, "", "name='command'"},
		"a peer without command":    {[]string{"--peer", "x="}, "", "name='command'"},
		"no rounds":                 {[]string{"--rounds", "0"}, "", "--rounds"},
		"no time":                   {[]string{"--timeout", "1ms"}, "", "--timeout"},
		"a web that cannot be":      {[]string{"--links", "1000"}, "", "size"},
		"a word that is no flag":    {[]string{"colly"}, "", "colly"},
		"a robots.txt that is none": {[]string{"--robots", "no"}, "", "robots"},
		"a port that is none":       {[]string{"--port", "70000"}, "", "--port"},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := parseOptions(c.args, io.Discard)
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Fatalf("error %v does not say %q", err, c.fails)
				}
				return
			}
			if err != nil || namesOf(o.peers) != c.peers {
				t.Errorf("peers %s, error %v", namesOf(o.peers), err)
			}
		})
	}
}

func TestCommands(t *testing.T) {
	at := places{bin: "/bin", seeds: "/it's/seeds", urls: "/u", data: "/d", port: 8800, parallel: 9, seedURLs: []string{"http://127.1.0.1:8800/", "http://127.1.0.2:8800/"}}
	peers := builtins()
	for i, want := range []string{
		"/bin/trawl crawl --own --data /d --quiet --json --no-warc http://127.1.0.1:8800/ http://127.1.0.2:8800/",
		"/bin/trawl crawl --own --data /d --quiet --json http://127.1.0.1:8800/ http://127.1.0.2:8800/",
		"/bin/collycrawl --seeds /it's/seeds --parallel 9",
		"/bin/floor --urls /u",
	} {
		if got := strings.Join(peers[i].command(at), " "); got != want {
			t.Errorf("%s: %s\nwant %s", peers[i].name, got, want)
		}
	}
	p, err := pluggedPeer("x=crawl -i {seeds} -l {urls} -o {data} -p {port} --set=a=b")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"sh", "-c", `crawl -i '/it'\''s/seeds' -l '/u' -o '/d' -p 8800 --set=a=b`}
	if got := p.command(at); !slices.Equal(got, want) {
		t.Errorf("command %q, want %q", got, want)
	}
}
