// Command webserver serves the synthetic web of package web as a process of
// its own, so that its CPU time and memory are not those of a crawler.
//
// It prints one line of JSON when it is ready: the control URL, the port and
// the spec. It ends on POST /quit, on an interrupt, and with --stdin when its
// standard input ends, so that it does not outlive who started it.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"trawl/bench/web"
)

func main() {
	spec := web.Default()
	flag.IntVar(&spec.Hosts, "hosts", spec.Hosts, "hosts, on 127.1.x.y")
	flag.IntVar(&spec.Pages, "pages", spec.Pages, "pages of each host")
	flag.IntVar(&spec.Size, "size", spec.Size, "bytes of a page")
	flag.IntVar(&spec.Links, "links", spec.Links, "links of a page")
	flag.Uint64Var(&spec.Seed, "seed", spec.Seed, "what makes this web differ from others of the same size")
	robots := flag.String("robots", string(spec.Robots), "robots.txt: 404, allow or usual")
	port := flag.Int("port", 8800, "port of all hosts (0 = any free one)")
	stdin := flag.Bool("stdin", false, "end when standard input does")
	flag.Parse()
	spec.Robots = web.Robots(*robots)
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "webserver: %q is no flag\n", flag.Arg(0))
		os.Exit(2)
	}
	if err := serve(spec, *port, *stdin); err != nil {
		fmt.Fprintln(os.Stderr, "webserver:", err)
		os.Exit(1)
	}
}

func serve(spec web.Spec, port int, stdin bool) error {
	s, err := web.Listen(spec, port)
	if err != nil {
		return err
	}
	// The pages live as long as the process: marking them again and again
	// would be CPU time taken from the crawler.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(int64(spec.Total())*int64(spec.Size+512)*2 + 1<<30)
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	if stdin {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			cancel()
		}()
	}
	ready := struct {
		Control string   `json:"control"`
		Port    int      `json:"port"`
		Spec    web.Spec `json:"spec"`
	}{s.Control(), s.Port(), spec}
	if err := json.NewEncoder(os.Stdout).Encode(ready); err != nil {
		return fmt.Errorf("saying that the server is ready: %w", err)
	}
	return s.Run(ctx)
}
