// Package pgtest runs a PostgreSQL server for tests: made with initdb in a
// directory of its own, reached by a socket in it, gone with the test. It finds
// the programs in the PATH or where Debian puts them, and runs them as another
// user when the test is root, which PostgreSQL refuses to be.
//
// It decides nothing about stores; it never touches a server that runs already.
//
// Invariants: a server that was started is stopped by Stop, its files removed;
// without the programs tests are skipped, or fail where TRAWL_REQUIRE_PEERS is 1.
//
// Sources: the manual of PostgreSQL 15, chapters 19 and 20.
package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// ErrMissing: PostgreSQL is not installed, or cannot be run here.
var ErrMissing = errors.New("PostgreSQL is not installed (Debian: apt-get install postgresql)")

// Server is a PostgreSQL server.
type Server struct {
	dir   string
	cmd   *exec.Cmd
	log   *os.File
	done  chan struct{}
	count atomic.Int32
	args  []string
}

// program finds a program of the server.
func program(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if err != nil || len(found) == 0 {
		return "", ErrMissing
	}
	slices.Sort(found)
	return found[len(found)-1], nil
}

// Start makes a server and waits until it answers. With durable false it does not
// wait for the disk. More settings are given as "name=value".
func Start(durable bool, settings ...string) (*Server, error) {
	initdb, err := program("initdb")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pg")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir}
	if err := giveAway(dir); err != nil {
		return nil, errors.Join(err, s.remove())
	}
	var out bytes.Buffer
	cmd := exec.Command(initdb, "-D", s.data(), "-U", "trawl", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions")
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = dir, &out, &out, otherUser()
	if err := cmd.Run(); err != nil {
		return nil, errors.Join(fmt.Errorf("initdb: %w: %s", err, out.String()), s.remove())
	}
	s.args = []string{"-D", s.data(), "-k", dir, "-c", "listen_addresses=", "-c", "max_connections=60", "-c", "shared_buffers=64MB", "-c", "max_wal_size=2GB"}
	if !durable {
		s.args = append(s.args, "-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off")
	}
	for _, x := range settings {
		s.args = append(s.args, "-c", x)
	}
	if err := s.Run(); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) remove() error { return os.RemoveAll(s.dir) }

// Run starts the server, or starts it again after Kill, and waits until it answers.
func (s *Server) Run() error {
	postgres, err := program("postgres")
	if err != nil {
		return err
	}
	if s.log, err = os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644); err != nil {
		return err
	}
	s.cmd = exec.Command(postgres, s.args...)
	s.cmd.Dir, s.cmd.Stdout, s.cmd.Stderr, s.cmd.SysProcAttr = s.dir, s.log, s.log, otherUser()
	if err := s.cmd.Start(); err != nil {
		return err
	}
	done := make(chan struct{})
	s.done = done
	go func() {
		_ = s.cmd.Wait()
		close(done)
	}()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, s.URL("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-done:
			log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
			return fmt.Errorf("the server ended: %s", log)
		case <-ctx.Done():
			return fmt.Errorf("the server does not answer: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// URL names a database of the server.
func (s *Server) URL(database string) string {
	q := url.Values{"host": {s.dir}, "user": {"trawl"}}
	return "postgres:///" + database + "?" + q.Encode()
}

// Database makes an empty database and returns its URL.
func (s *Server) Database(ctx context.Context) (string, error) {
	name := fmt.Sprintf("t%d", s.count.Add(1))
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return "", err
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+name)
	return s.URL(name), errors.Join(err, conn.Close(ctx))
}

// Kill ends the server as a crash does: all of its processes at once, without a
// word to its clients.
func (s *Server) Kill() error {
	err := s.cmd.Process.Signal(syscall.SIGQUIT) // "immediate shutdown": no checkpoint, recovery at the next start
	<-s.done
	return errors.Join(err, s.log.Close())
}

// Stop ends the server and removes its files.
func (s *Server) Stop() error {
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.Kill() // it may have ended already
	}
	return s.remove()
}

// Needed starts a server, or skips the test where there is none to start.
func Needed(t testing.TB, durable bool, settings ...string) *Server {
	t.Helper()
	s, err := Start(durable, settings...)
	switch {
	case err == nil:
	case errors.Is(err, ErrMissing) && os.Getenv("TRAWL_REQUIRE_PEERS") == "1":
		t.Fatalf("PostgreSQL is needed (TRAWL_REQUIRE_PEERS=1): %v", err)
	case errors.Is(err, ErrMissing):
		t.Skip(err)
	default:
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Log returns the lines of the server's log that have a text.
func (s *Server) Log(text string) []string {
	b, _ := os.ReadFile(filepath.Join(s.dir, "log"))
	var lines []string
	for line := range strings.Lines(string(b)) {
		if strings.Contains(line, text) {
			lines = append(lines, line)
		}
	}
	return lines
}
