package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// bench is one call of the command.
type bench struct {
	options
	progress io.Writer
	web      *server
	at       places
}

// measure builds, serves and runs everything. The report holds what was
// measured, also when an error ended it early.
func (b *bench) measure(ctx context.Context) (rep *report, err error) {
	rep = &report{Spec: b.spec, Rounds: b.rounds, Machine: thisMachine(), Commands: map[string]string{}}
	for _, p := range b.peers {
		rep.Commands[p.name] = p.describe(b.parallel)
	}
	dir, err := benchDir(ctx)
	if err != nil {
		return rep, err
	}
	temp, err := os.MkdirTemp(b.temp, "trawl-bench-")
	if err != nil {
		return rep, fmt.Errorf("making a directory for the data: %w; name one with --temp", err)
	}
	if temp, err = filepath.Abs(temp); err != nil {
		return rep, err
	}
	if b.keep {
		fmt.Fprintln(b.progress, "data and logs are kept in", temp)
	} else {
		defer os.RemoveAll(temp)
	}
	b.at = places{bin: filepath.Join(temp, "bin"), parallel: b.parallel}
	if err := os.Mkdir(b.at.bin, 0o700); err != nil {
		return rep, err
	}
	fmt.Fprintln(b.progress, "building")
	if err := build(ctx, dir, b.at.bin, b.trawl, b.peers); err != nil {
		return rep, err
	}
	if b.web, err = startServer(ctx, b.at.bin, b.options); err != nil {
		return rep, err
	}
	defer func() {
		if said := b.web.stop(); said != "" {
			fmt.Fprintln(b.progress, said)
		}
	}()
	if err := b.lists(ctx, temp); err != nil {
		return rep, err
	}
	err = b.allRounds(ctx, temp, rep)
	rep.summarise(b.against)
	return rep, err
}

// lists writes the files that peers start from.
func (b *bench) lists(ctx context.Context, temp string) error {
	b.at.port = b.web.port
	b.at.seeds, b.at.urls = filepath.Join(temp, "seeds.txt"), filepath.Join(temp, "urls.txt")
	for path, file := range map[string]string{"/seeds": b.at.seeds, "/urls": b.at.urls} {
		list, err := b.web.call(ctx, http.MethodGet, path)
		if err != nil {
			return err
		}
		if path == "/seeds" {
			b.at.seedURLs = strings.Fields(string(list))
		}
		if err := os.WriteFile(file, list, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) allRounds(ctx context.Context, temp string, rep *report) error {
	for round := 1; round <= b.rounds; round++ {
		for _, p := range b.peers {
			r, err := b.once(ctx, temp, round, p)
			if err != nil {
				return fmt.Errorf("round %d, %s: %w", round, p.name, err)
			}
			rep.Runs = append(rep.Runs, r)
			fmt.Fprintf(b.progress, "round %d  %-12s %7.0f pages/CPU-s  %6.1f s  %s\n", round, p.name, r.PagesPerCPU, r.Wall, r.notes())
			if !r.complete() && r.output != "" {
				fmt.Fprintln(b.progress, indent(r.output))
			}
		}
	}
	return nil
}

// once runs one crawler and reads what the server counted.
func (b *bench) once(ctx context.Context, temp string, round int, p peer) (measurement, error) {
	name := fmt.Sprintf("%s-%d", p.name, round)
	at := b.at
	at.data = filepath.Join(temp, name)
	if err := os.Mkdir(at.data, 0o700); err != nil {
		return measurement{}, err
	}
	if !b.keep {
		defer os.RemoveAll(at.data)
	}
	if err := b.web.reset(ctx); err != nil {
		return measurement{}, err
	}
	load := loadAverage()
	u, err := runChild(ctx, p.command(at), at.data, filepath.Join(temp, name+".log"), b.timeout)
	if err != nil {
		return measurement{}, err
	}
	stats, err := b.web.stats(ctx)
	if err != nil {
		return measurement{}, err
	}
	return newMeasurement(round, p.name, u, stats, load), nil
}

func indent(s string) string { return "    " + strings.ReplaceAll(s, "\n", "\n    ") }

// machine is where the figures were taken.
type machine struct {
	CPUs  int    `json:"cpus"`
	Model string `json:"model,omitempty"`
	Go    string `json:"go"`
	OS    string `json:"os"`
	Arch  string `json:"arch"`
}

func thisMachine() machine {
	m := machine{CPUs: runtime.NumCPU(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, _ := os.ReadFile("/proc/cpuinfo") // not everywhere; the model is a comment
	for line := range strings.Lines(string(info)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			m.Model = strings.TrimSpace(value)
			break
		}
	}
	return m
}

// loadAverage returns how busy the machine was in the last minute: processes
// that ran or wanted to; 0 where it is not known.
func loadAverage() float64 {
	b, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(b), " ")
	v, _ := strconv.ParseFloat(first, 64)
	return v
}
