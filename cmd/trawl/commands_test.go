package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptState is what a script has running.
type scriptState struct {
	dir   string
	mu    sync.Mutex
	sites map[string]*site
	shut  []func() // of proxies
	procs map[string]*process
}

type stateKey struct{}

// process is a command in the background, its output in NAME.out and NAME.err.
type process struct {
	cmd   *exec.Cmd
	done  chan struct{}
	files []*os.File
}

func newScriptState(dir string) *scriptState {
	return &scriptState{dir: dir, sites: map[string]*site{}, procs: map[string]*process{}}
}

func state(ts *testscript.TestScript) *scriptState { return ts.Value(stateKey{}).(*scriptState) }

func (st *scriptState) close() {
	for _, p := range st.procs {
		_ = p.cmd.Process.Kill()
		<-p.done
	}
	for _, s := range st.sites {
		s.close()
	}
	for _, shut := range st.shut {
		shut()
	}
}

func usage(ts *testscript.TestScript, ok bool, text string) {
	if !ok {
		ts.Fatalf("usage: %s", text)
	}
}

// cmdExits runs a command that must end with the exit code: exits 3 trawl crawl.
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) >= 2, "exits CODE COMMAND [ARG...]")
	checkCode(ts, args[0], ts.Exec(args[1], args[2:]...))
}

func checkCode(ts *testscript.TestScript, want string, err error) {
	code := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		code = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != want {
		ts.Fatalf("exit code %d, want %s", code, want)
	}
}

// cmdStart starts a command in the background: start NAME COMMAND [ARG...].
func cmdStart(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) >= 2, "start NAME COMMAND [ARG...]")
	path, err := exec.LookPath(args[1])
	ts.Check(err)
	p := &process{cmd: exec.Command(path, args[2:]...), done: make(chan struct{})}
	p.cmd.Dir = ts.MkAbs(".")
	p.cmd.Env = append(os.Environ(), noExitSleep[0]+"="+noExitSleep[1])
	for _, ext := range []string{".out", ".err"} {
		f, err := os.Create(ts.MkAbs(args[0] + ext))
		ts.Check(err)
		p.files = append(p.files, f)
	}
	p.cmd.Stdout, p.cmd.Stderr = p.files[0], p.files[1]
	ts.Check(p.cmd.Start())
	go func() {
		_ = p.cmd.Wait() // what it says is in ProcessState
		for _, f := range p.files {
			_ = f.Close()
		}
		close(p.done)
	}()
	state(ts).procs[args[0]] = p
}

func (st *scriptState) proc(ts *testscript.TestScript, name string) *process {
	p := st.procs[name]
	if p == nil {
		ts.Fatalf("nothing was started under the name %s", name)
	}
	return p
}

// cmdSignal sends a signal to a command in the background: signal NAME INT.
func cmdSignal(ts *testscript.TestScript, neg bool, args []string) {
	signals := map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM, "KILL": os.Kill}
	usage(ts, !neg && len(args) == 2 && signals[args[1]] != nil, "signal NAME INT|TERM|KILL")
	if err := state(ts).proc(ts, args[0]).cmd.Process.Signal(signals[args[1]]); err != nil {
		ts.Fatalf("%v; it said:\n%s%s", err, ts.ReadFile(args[0]+".out"), ts.ReadFile(args[0]+".err"))
	}
}

// cmdFinish waits for a command in the background and checks its exit code:
// finish NAME CODE.
func cmdFinish(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 2, "finish NAME CODE")
	p := state(ts).proc(ts, args[0])
	select {
	case <-p.done:
	case <-time.After(patience):
		ts.Fatalf("%s does not end", args[0])
	}
	delete(state(ts).procs, args[0])
	if code := p.cmd.ProcessState.ExitCode(); strconv.Itoa(code) != args[1] {
		ts.Fatalf("exit code %d, want %s; its messages:\n%s", code, args[1], ts.ReadFile(args[0]+".err"))
	}
}

// patience is how long a script waits for something that must happen.
const patience = 30 * time.Second

// cmdAwait waits until a file holds so many lines: await FILE N.
func cmdAwait(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 2, "await FILE LINES")
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		b, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && strings.Count(string(b), "\n") >= want {
			return
		}
	}
	ts.Fatalf("%s has fewer than %d lines after %s", args[0], want, patience)
}

// cmdWithin checks that a number in a JSON file is in a range: within FILE PATH
// LOW HIGH.
func cmdWithin(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 4, "within FILE PATH LOW HIGH")
	var n [3]float64
	for i, s := range append([]string{lookup(ts, args[0], args[1])}, args[2:]...) {
		v, err := strconv.ParseFloat(s, 64)
		ts.Check(err)
		n[i] = v
	}
	if n[0] < n[1] || n[0] > n[2] {
		ts.Fatalf("%s is %v, want %v to %v", args[1], n[0], n[1], n[2])
	}
}

// cmdJSON checks a value in a JSON file, or in stdout: json FILE PATH WANT. A
// path is a.b[0].c, and a.len is the length of a; WANT is the value as JSON has it
// (strings without quotes), or ~ and a regular expression.
func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, len(args) == 3, "[!] json FILE PATH WANT")
	got := lookup(ts, args[0], args[1])
	same := got == args[2]
	if re, ok := strings.CutPrefix(args[2], "~"); ok {
		same = regexp.MustCompile(re).MatchString(got)
	}
	if same == neg {
		ts.Fatalf("%s is %s, want %s (not: %v)", args[1], got, args[2], neg)
	}
}

func lookup(ts *testscript.TestScript, file, path string) string {
	var v any
	if err := json.Unmarshal([]byte(ts.ReadFile(file)), &v); err != nil {
		ts.Fatalf("%s is not JSON: %v", file, err)
	}
	for _, step := range regexp.MustCompile(`[^.\[\]]+`).FindAllString(path, -1) {
		next, err := member(v, step)
		if err != nil {
			ts.Fatalf("%s: %v", path, err)
		}
		v = next
	}
	if s, ok := v.(string); ok {
		return s
	}
	b, err := json.Marshal(v)
	ts.Check(err)
	return string(b)
}

func member(v any, step string) (any, error) {
	switch v := v.(type) {
	case map[string]any:
		if m, ok := v[step]; ok {
			return m, nil
		}
	case []any:
		if step == "len" {
			return float64(len(v)), nil
		}
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(v) {
			return v[i], nil
		}
	}
	return nil, fmt.Errorf("there is no %s in %v", step, v)
}

// logFile is where a site notes its requests.
func logFile(ts *testscript.TestScript, name string) string {
	return filepath.Join(ts.MkAbs("."), name+".log")
}
