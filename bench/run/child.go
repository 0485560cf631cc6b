package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// usage is what a finished process cost.
type usage struct {
	wall, user, sys time.Duration
	peak            int64 // bytes of resident memory
	exit            int   // -1 = ended by a signal
	timedOut        bool
	output          string // the end of what it wrote
}

// runChild runs a command to its end, or kills it with all its children when
// the time is over or ctx is done. A command that fails is no error: its exit
// code says so. What it writes goes to the log file.
func runChild(ctx context.Context, argv []string, dir, log string, timeout time.Duration) (usage, error) {
	out, err := os.Create(log)
	if err != nil {
		return usage{}, fmt.Errorf("making a log file: %w", err)
	}
	defer out.Close()
	timed, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(timed, argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		// The child leads a group of its own, and has not been waited for:
		// the number cannot be another process's.
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
	begin := time.Now()
	err = cmd.Run()
	u := usage{wall: time.Since(begin)}
	if ctx.Err() != nil {
		return u, ctx.Err()
	}
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) && timed.Err() == nil {
		return u, fmt.Errorf("starting %s: %w", argv[0], err)
	}
	u.user, u.sys = cmd.ProcessState.UserTime(), cmd.ProcessState.SystemTime()
	u.exit = cmd.ProcessState.ExitCode()
	u.timedOut = timed.Err() != nil && err != nil
	if r, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		u.peak = r.Maxrss << 10 // KiB on Linux
	}
	if b, err := os.ReadFile(log); err == nil {
		u.output = tail(b)
	}
	return u, nil
}
