package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"trawl/bench/web"
)

// server is the synthetic web, running as a process of its own.
type server struct {
	cmd     *exec.Cmd
	said    bytes.Buffer // its standard error; read it after stop
	stdin   io.Closer    // the server ends when this does, however we end
	control string
	port    int
	client  *http.Client
}

const (
	readyTimeout = 5 * time.Minute // building the pages of the largest web
	quitTimeout  = 20 * time.Second
)

// startServer starts the web and waits until it answers.
func startServer(ctx context.Context, bin string, o options) (*server, error) {
	s := o.spec
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "webserver"), "--stdin", "--port", strconv.Itoa(o.port),
		"--hosts", strconv.Itoa(s.Hosts), "--pages", strconv.Itoa(s.Pages), "--size", strconv.Itoa(s.Size),
		"--links", strconv.Itoa(s.Links), "--seed", strconv.FormatUint(s.Seed, 10), "--robots", string(s.Robots))
	w := &server{cmd: cmd, client: &http.Client{Timeout: time.Minute}}
	cmd.Stderr = &w.said
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the web server: %w", err)
	}
	w.stdin = stdin
	late := time.AfterFunc(readyTimeout, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	var ready struct {
		Control string `json:"control"`
		Port    int    `json:"port"`
	}
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &ready)
	}
	if err != nil {
		return nil, fmt.Errorf("the web server did not start: %s", w.stop())
	}
	w.control, w.port = ready.Control, ready.Port
	return w, nil
}

// stop ends the server, waits for it and returns what it complained about.
func (w *server) stop() string {
	w.stdin.Close()
	late := time.AfterFunc(quitTimeout, func() { _ = w.cmd.Process.Kill() })
	defer late.Stop()
	_ = w.cmd.Wait()
	return tail(w.said.Bytes())
}

func (w *server) call(ctx context.Context, method, path string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, w.control+path, nil)
	if err != nil {
		return nil, err
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("asking the web server: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("asking the web server for %s: status %d", path, resp.StatusCode)
	}
	return io.ReadAll(resp.Body)
}

func (w *server) stats(ctx context.Context) (web.Stats, error) {
	var s web.Stats
	b, err := w.call(ctx, http.MethodGet, "/stats")
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	return s, err
}

// reset begins a new count, once the connections of the run before are closed:
// the kernel closes those of an ended process, and the server has to notice.
func (w *server) reset(ctx context.Context) error {
	for wait := time.Millisecond; wait < 3*time.Second; wait *= 2 {
		s, err := w.stats(ctx)
		if err != nil {
			return err
		}
		if s.Open == 0 {
			_, err = w.call(ctx, http.MethodPost, "/reset")
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
	return errors.New("connections of the run before are still open: it left a process behind, which would be counted in the next run")
}
