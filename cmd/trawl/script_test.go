package main

import (
	"net"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the scripts run this test binary as the command trawl.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"trawl": func() { os.Exit(realMain()) },
	})
}

// noExitSleep spares each process of a test with -race the second that the race
// detector waits for at its end.
var noExitSleep = [2]string{"GORACE", "atexit_sleep_ms=0"}

// TestScripts runs the end-to-end scripts of testdata/script: the commands as a
// user runs them, each a process of its own, against sites on this machine.
//
// Beside testscript's own commands they have those of commands_test.go and
// site_test.go; [loopback] says whether all of 127/8 can be listened on.
func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	pg := &postgres{}
	t.Cleanup(func() { pg.stop(t) }) // after the scripts, which run in parallel
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv(noExitSleep[0], noExitSleep[1])
			env.Values[stateKey{}] = newScriptState(env.WorkDir)
			env.Defer(env.Values[stateKey{}].(*scriptState).close)
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "postgres" {
				return pg.condition()
			}
			if cond != "loopback" {
				return false, nil
			}
			l, err := net.Listen("tcp", "127.0.0.2:0")
			if err != nil {
				return false, nil
			}
			return true, l.Close()
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"site": cmdSite, "proxy": cmdProxy, "ftp": cmdFTP, "requests": cmdRequests, "paths": cmdPaths,
			"exits": cmdExits, "start": cmdStart, "signal": cmdSignal, "finish": cmdFinish,
			"await": cmdAwait, "json": cmdJSON, "within": cmdWithin,
			"database": pg.database,
		},
	})
}
