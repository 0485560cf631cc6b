package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"trawl/internal/crawl"
	"trawl/internal/schedule"
	"trawl/internal/store"
)

// TestDamagedStore: whatever the engine says of it, people are told what to do.
func TestDamagedStore(t *testing.T) {
	for name, damage := range map[string]func(file string) error{
		"MANIFEST-*":    os.Remove,
		"*.log":         damageLog,
		"TRAWL-VERSION": func(file string) error { return os.WriteFile(file, []byte("damage!"), 0o644) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			d, err := openData(dir, true, streams{})
			if err != nil {
				t.Fatal(err)
			}
			for range 20 {
				if err := d.store.SetSetting(t.Context(), planSetting, strings.Repeat("x", 8000)); err != nil {
					t.Fatal(err)
				}
			}
			d.close()
			files, err := filepath.Glob(filepath.Join(dir, "store", name))
			if err != nil || len(files) == 0 {
				t.Fatalf("no %s, %v", name, err)
			}
			for _, f := range files {
				if err := damage(f); err != nil {
					t.Fatal(err)
				}
			}
			d, err = openData(dir, true, streams{})
			if err == nil {
				d.close()
				t.Fatal("the damaged store was opened")
			}
			var ee *exitError
			if !errors.As(err, &ee) || ee.code != exitFailed {
				t.Errorf("got %#v", err)
			}
			want := fmt.Sprintf("The store in %s is damaged: restore it from a backup, or start in another directory with --data. The WARC files in %s are still readable", dir, filepath.Join(dir, "warc"))
			if _, last, _ := strings.Cut(err.Error(), "\n"); last != want {
				t.Errorf("got %v", err)
			}
		})
	}
}

// damageLog damages a write-ahead log that has a younger one: at the end of the
// youngest, a crash is what is expected.
func damageLog(file string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(file), "999999.log"), b, 0o644); err != nil {
		return err
	}
	return os.WriteFile(file, append([]byte("damage!"), b[7:]...), 0o644)
}

// TestOpenAdvice: what is not damage has advice of its own, in one line.
func TestOpenAdvice(t *testing.T) {
	denied := &fs.PathError{Op: "open", Path: "d/store/LOCK", Err: syscall.EACCES}
	broken := &fs.PathError{Op: "read", Path: "d/store/1.sst", Err: syscall.EIO}
	for want, err := range map[string]error{
		"data directory d: open d/store/LOCK: permission denied: choose a directory that you may write (--data), or mend its permissions": fmt.Errorf("opening: %w", errors.Join(denied, denied)),
		"data directory d: opening: read d/store/1.sst: input/output error":                                                               fmt.Errorf("opening: %w", broken),
		"data directory d: no space left: the disk is full, free some space":                                                              store.ErrNoSpace,
		"data directory d: invalid argument":                                                                                              store.ErrInvalid,
	} {
		if got := openAdvice("d", err).Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestRobotsNotes: a file with more issues than are kept has ten of them printed,
// and all counted.
func TestRobotsNotes(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("junk\n", 3000))
	}))
	defer srv.Close()
	var out, errs bytes.Buffer
	code := run(context.Background(), []string{"robots", "--own", "--client", "trawl", srv.URL}, streams{out: &out, err: &errs})
	if n := strings.Count(out.String(), "  note, line "); code != exitOK || n != 10 || !strings.Contains(out.String(), "  and 2990 more (--json lists the first 1000)\n") {
		t.Errorf("exit code %d, %d notes, %s%s", code, n, out.String(), errs.String())
	}
}

// TestJudgedAsWhole: a body that came in part has the meaning of its status, and
// says so; one of which nothing came does not.
func TestJudgedAsWhole(t *testing.T) {
	env, err := (&identityOptions{}).open(nil)
	if err != nil {
		t.Fatal(err)
	}
	prof, err := env.client("trawl")
	if err != nil {
		t.Fatal(err)
	}
	for class, part := range map[crawl.FailureClass]bool{crawl.FailIncomplete: true, crawl.FailDecode: true, crawl.FailBodyTimeout: false} {
		for _, body := range []string{"", "<title>a"} {
			res := &crawl.Result{URL: "http://a.example/", Status: 200, Body: []byte(body), Failure: &crawl.Failure{Class: class, Phase: crawl.PhaseBody, Detail: "It broke off."}}
			cfg := schedule.Config{Clients: scheduleClients(prof)}
			job := &schedule.Job{Kind: crawl.KindPage, Client: "trawl", URL: res.URL, Request: &crawl.Request{URL: res.URL}}
			h := newHop(job, cfg.Digest(job, res, nil, nowUTC()))
			if want := part && body != ""; h.Partial != want {
				t.Errorf("%s, body %q: %v, want %v (%s)", class, body, h.Partial, want, h.Row)
			}
		}
	}
}
