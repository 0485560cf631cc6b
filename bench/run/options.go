package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"trawl/bench/web"
)

// options are the flags.
type options struct {
	spec     web.Spec
	port     int
	rounds   int
	timeout  time.Duration
	parallel int
	peers    []peer   // in the order in which they run
	against  []string // names of the peers that others are compared with
	trawl    string   // binary to measure instead of the one built from the tree; "" = build
	temp     string
	keep     bool
	json     bool
}

func parseOptions(args []string, stderr io.Writer) (options, error) {
	o := options{spec: web.Default()}
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.IntVar(&o.spec.Hosts, "hosts", o.spec.Hosts, "hosts of the synthetic web")
	f.IntVar(&o.spec.Pages, "pages", o.spec.Pages, "pages of each host")
	f.IntVar(&o.spec.Size, "size", o.spec.Size, "bytes of a page")
	f.IntVar(&o.spec.Links, "links", o.spec.Links, "links of a page")
	f.Uint64Var(&o.spec.Seed, "seed", o.spec.Seed, "seed of the synthetic web")
	robots := f.String("robots", string(o.spec.Robots), "robots.txt of the hosts: 404, allow or usual")
	f.IntVar(&o.port, "port", 0, "port of the hosts (0 = any free one)")
	f.IntVar(&o.rounds, "rounds", 3, "rounds; each runs every crawler once")
	f.DurationVar(&o.timeout, "timeout", 3*time.Minute, "longest time for one run of one crawler")
	f.IntVar(&o.parallel, "parallel", 64, "requests at the same time of colly")
	only := f.String("only", "", "run only these crawlers, in this order (default: all of "+strings.Join(builtinNames(), ",")+" and those of --peer)")
	against := f.String("against", "colly,floor", "compare the others with these")
	f.StringVar(&o.trawl, "trawl", "", "measure this trawl binary (default: build the one of this tree)")
	f.StringVar(&o.temp, "temp", "", "directory for data and logs while it runs (default: the system's)")
	f.BoolVar(&o.keep, "keep", false, "keep data and logs")
	f.BoolVar(&o.json, "json", false, "print JSON")
	peers := builtins()
	f.Func("peer", "another crawler: name='command', run by sh, with {seeds} {urls} {data} {port} replaced (may be repeated)", func(v string) error {
		p, err := pluggedPeer(v)
		if err == nil && slices.ContainsFunc(peers, func(q peer) bool { return q.name == p.name }) {
			err = fmt.Errorf("there is a crawler %q already", p.name)
		}
		peers = append(peers, p)
		return err
	})
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("%q is no flag; see --help", f.Arg(0))
	}
	o.spec.Robots = web.Robots(*robots)
	var err error
	if o.peers, err = choose(peers, *only); err != nil {
		return o, err
	}
	o.against = splitList(*against)
	return o, o.validate(peers)
}

func (o *options) validate(known []peer) error {
	for _, name := range o.against {
		if !slices.ContainsFunc(known, func(p peer) bool { return p.name == name }) {
			return fmt.Errorf("--against names %q, which is no crawler here", name)
		}
	}
	switch {
	case o.rounds < 1 || o.rounds > 1000:
		return errors.New("--rounds must be from 1 to 1000")
	case o.timeout < time.Second:
		return errors.New("--timeout must be a second or more")
	case o.parallel < 1 || o.parallel > 10_000:
		return errors.New("--parallel must be from 1 to 10000")
	case o.port < 0 || o.port > 65535:
		return errors.New("--port must be from 1 to 65535, or 0 for any free one")
	}
	return o.spec.Validate()
}

func splitList(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
}

// choose returns the peers that the list names, in its order; "" = all.
func choose(peers []peer, list string) ([]peer, error) {
	names := splitList(list)
	if len(names) == 0 {
		return peers, nil
	}
	var out []peer
	for _, name := range names {
		i := slices.IndexFunc(peers, func(p peer) bool { return p.name == name })
		if i < 0 {
			return nil, fmt.Errorf("--only names %q, which is no crawler here", name)
		}
		if slices.ContainsFunc(out, func(p peer) bool { return p.name == name }) {
			return nil, fmt.Errorf("--only names %q twice", name)
		}
		out = append(out, peers[i])
	}
	return out, nil
}

var peerName = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9._-]{0,30}$`)

// pluggedPeer reads the value of --peer.
func pluggedPeer(v string) (peer, error) {
	name, command, ok := strings.Cut(v, "=")
	if !ok || !peerName.MatchString(name) || strings.TrimSpace(command) == "" {
		return peer{}, fmt.Errorf("%q is not name='command', the name of letters, digits, dots and dashes", v)
	}
	return peer{name: name, shell: command}, nil
}
