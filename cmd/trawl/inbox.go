package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"trawl/internal/owner"
	"trawl/internal/store"
)

// The inbox of a data directory is how a second process asks the crawl that
// holds the store for something: a file per request, taken up in order of name
// and removed once it is stored. House choice: files work on every platform,
// need no port and no token, and are guarded by the directory's permissions.
const (
	inboxName  = "requests"
	inboxEvery = 500 * time.Millisecond
	inboxMax   = 16 << 10 // bytes of a request
	inboxWait  = 10 * time.Second
)

// inboxRequest is one file of the inbox.
type inboxRequest struct {
	Setting string `json:"setting"`
	Value   string `json:"value"`
}

// askRunning puts a request into the inbox and waits for it to be taken up.
func askRunning(ctx context.Context, data string, set store.Setting) (string, error) {
	dir := filepath.Join(data, inboxName)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("asking the crawl that runs: %w", err)
	}
	b, err := json.Marshal(inboxRequest{set.Name, set.Value})
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, fmt.Sprintf("%020d-*.part", nowUTC().UnixNano()))
	if err != nil {
		return "", fmt.Errorf("asking the crawl that runs: %w", err)
	}
	_, err = f.Write(b)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	path := strings.TrimSuffix(f.Name(), ".part") + ".json"
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return "", fmt.Errorf("asking the crawl that runs: %w", err)
	}
	deadline := time.NewTimer(inboxWait)
	defer deadline.Stop()
	tick := time.NewTicker(inboxEvery / 10)
	defer tick.Stop()
	for {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return ", taken up by the crawl that runs", nil
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			return fmt.Sprintf(", and it waits in %s: the program that uses the directory has not taken it up within %s; the next crawl will", path, inboxWait), nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// takeRequests stores what waits in the inbox.
func (d *dataDir) takeRequests(ctx context.Context) {
	files, err := filepath.Glob(filepath.Join(d.path, inboxName, "*.json"))
	if err != nil {
		return
	}
	for _, path := range files { // sorted
		if err := d.takeRequest(ctx, path); err != nil && ctx.Err() == nil {
			d.streams.say("trawl: request %s: %v", filepath.Base(path), err)
			_ = os.Rename(path, path+".refused") // kept for whoever wonders, not tried again
		}
	}
}

func (d *dataDir) takeRequest(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() > inboxMax {
		return fmt.Errorf("not a file of at most %d bytes", inboxMax)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var req inboxRequest
	if err := json.Unmarshal(b, &req); err != nil {
		return err
	}
	if _, _, _, err := owner.Decode(req.Setting, req.Value); err != nil {
		return err
	}
	if err := d.store.SetSetting(ctx, req.Setting, req.Value); err != nil {
		return err
	}
	return os.Remove(path)
}

// serveInbox takes requests up until stop is called.
func (d *dataDir) serveInbox(ctx context.Context) (stop func()) {
	if d.remote {
		return func() {} // whoever asks writes into the database
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	d.takeRequests(ctx)
	go func() {
		defer close(done)
		tick := time.NewTicker(inboxEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				d.takeRequests(ctx)
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { cancel(); <-done }
}
