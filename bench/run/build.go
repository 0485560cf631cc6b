package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const buildTimeout = 15 * time.Minute

// source says where the package of a binary is, seen from bench/.
func source(binary string) (dir, pkg string) {
	if binary == "trawl" {
		return "..", "./cmd/trawl"
	}
	return ".", "./" + binary
}

// benchDir finds the bench module, so that the command works from any of its
// directories.
func benchDir(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("asking go for the module: %w; the go command must be in the PATH", err)
	}
	dir := filepath.Dir(strings.TrimSpace(string(out)))
	if _, err := os.Stat(filepath.Join(dir, "collycrawl")); err != nil {
		return "", errors.New("this is not the bench module: run it from bench/, as in `cd bench && go run ./run`")
	}
	return dir, nil
}

// build builds what the peers need, without cgo as trawl is shipped. A given
// trawl binary is taken as it is.
func build(ctx context.Context, dir, bin, trawl string, peers []peer) error {
	ctx, cancel := context.WithTimeout(ctx, buildTimeout)
	defer cancel()
	done := map[string]bool{"": true} // plugged peers are not ours to build
	if trawl != "" {
		path, err := filepath.Abs(trawl)
		if err != nil {
			return err
		}
		if _, err := exec.LookPath(path); err != nil {
			return fmt.Errorf("--trawl: %w", err)
		}
		if err := os.Symlink(path, filepath.Join(bin, "trawl")); err != nil {
			return err
		}
		done["trawl"] = true
	}
	for _, name := range append([]string{"webserver"}, needed(peers)...) {
		if done[name] {
			continue
		}
		done[name] = true
		at, pkg := source(name)
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(bin, name), pkg)
		cmd.Dir = filepath.Join(dir, at)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("building %s: %w\n%s\nTo measure without it, name the others with --only", name, err, tail(out))
		}
	}
	return nil
}

func needed(peers []peer) []string {
	var names []string
	for _, p := range peers {
		names = append(names, p.build)
	}
	return names
}

// tail returns the end of an output, enough to see what went wrong.
func tail(out []byte) string {
	const most = 2000
	if len(out) > most {
		out = append([]byte("... "), out[len(out)-most:]...)
	}
	return strings.TrimSpace(string(out))
}
