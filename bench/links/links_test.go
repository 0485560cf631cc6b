package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func site(t *testing.T, pages map[string]string) string {
	dir := t.TempDir()
	for name, body := range pages {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// asked is a run that only asks for the same links, because speed on a busy
// machine is no matter for a test.
func asked(args ...string) []string {
	return append([]string{"--json", "--min-tree", "0", "--min-tokenizer", "0", "--max-link", "0"}, args...)
}

func TestReport(t *testing.T) {
	dir := site(t, map[string]string{
		"index.html":  `<title>i</title><a href=a/b.html>b</a><a href="a/b.html#x">b</a>`,
		"a/b.html":    `<link rel=canonical href=b.html><meta name=robots content=noindex><a href="../index.html?x=1&amp;y=2">up</a>`,
		"a/image.png": "no page",
	})
	var out, errs bytes.Buffer
	if code := run(asked(dir), &out, &errs); code != exitDone {
		t.Fatalf("exit code %d: %s%s", code, out.String(), errs.String())
	}
	var r report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if r.All.Pages != 2 || r.All.Links != 4 || r.All.Different != 0 || r.All.URLs != 2 || len(r.Missed) != 0 {
		t.Errorf("%+v, missed %q", r.All, r.Missed)
	}
}

func TestMissedIsAnExitCode(t *testing.T) {
	dir := site(t, map[string]string{"index.html": `<a href=x>x</a>`})
	var out, errs bytes.Buffer
	if code := run([]string{"--min-tree", "1e9", dir}, &out, &errs); code != exitFailed || !strings.Contains(out.String(), "MISSED") {
		t.Errorf("exit code %d: %s", code, out.String())
	}
	out.Reset()
	if code := run(asked(site(t, nil)), &out, &errs); code != exitFailed || !strings.Contains(out.String(), "no HTML page") {
		t.Errorf("empty tree: exit code %d: %s", code, out.String())
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"--sample", "0"}, {"--nonsense"}, {filepath.Join(t.TempDir(), "missing")}} {
		var out, errs bytes.Buffer
		if code := run(args, &out, &errs); code != exitUsage || errs.Len() == 0 {
			t.Errorf("%q: exit code %d: %s", args, code, errs.String())
		}
	}
	var out, errs bytes.Buffer
	if code := run([]string{"--help"}, &out, &errs); code != exitDone || !strings.Contains(errs.String(), "--sample 20") {
		t.Errorf("help: exit code %d: %s", code, errs.String())
	}
}

// TestInstalledDocumentation: on a sample of real pages the links are those of
// the reference, and no page is taken for a trap.
func TestInstalledDocumentation(t *testing.T) {
	if len(installed()) == 0 {
		if os.Getenv("TRAWL_REQUIRE_PEERS") == "1" {
			t.Fatal("TRAWL_REQUIRE_PEERS=1, and no documentation is installed: apt-get install python3.11-doc")
		}
		t.Skip("no documentation is installed here: apt-get install python3.11-doc")
	}
	var out, errs bytes.Buffer
	if code := run(asked("--sample", "200"), &out, &errs); code != exitDone {
		t.Errorf("exit code %d: %s%s", code, out.String(), errs.String())
	}
}
