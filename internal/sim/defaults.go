package sim

import (
	"fmt"
	"strings"
	"time"

	"trawl/internal/client"
	"trawl/internal/crawl"
	"trawl/internal/schedule"
)

// The defaults of a scenario (house choices).
const (
	defaultConcurrency = 256
	defaultLoadDelay   = time.Millisecond
	defaultCommitDelay = 3 * time.Millisecond
	defaultLatency     = 200 * time.Millisecond
	defaultLinks       = 8
	defaultBytes       = 20_000
	defaultPoints      = 200
	defaultPerPage     = 3
	defaultAsset       = 50_000
)

// complete returns a copy of sc with every default filled in and hosts of a
// count written out. It is for scenarios that are valid.
func (sc Scenario) complete() Scenario {
	if sc.Start.IsZero() {
		sc.Start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	sc.Start = sc.Start.UTC()
	if sc.Interval == 0 {
		sc.Interval = max(sc.Duration/defaultPoints, time.Minute)
	}
	if sc.Concurrency == 0 {
		sc.Concurrency = defaultConcurrency
	}
	if sc.Window == 0 {
		sc.Window = schedule.DefaultWindow
	}
	if sc.HostRoom == 0 {
		sc.HostRoom = schedule.MaxHosts
	}
	if sc.LoadDelay == 0 {
		sc.LoadDelay = defaultLoadDelay
	}
	if sc.CommitDelay == 0 {
		sc.CommitDelay = defaultCommitDelay
	}
	if len(sc.Clients) == 0 {
		sc.Clients = []Client{{ID: client.DefaultID}}
	}
	var hosts []Host
	for _, h := range sc.Hosts {
		h = h.complete()
		for i := range max(1, h.Count) {
			one := h
			one.Count, one.Name = 1, h.name(i)
			hosts = append(hosts, one)
		}
	}
	sc.Faults = expandFaults(sc)
	sc.Hosts = hosts
	return sc
}

// expandFaults writes the names of numbered hosts out: the one that they share in
// the scenario stands for all of them.
func expandFaults(sc Scenario) []Fault {
	faults := make([]Fault, len(sc.Faults))
	for i, f := range sc.Faults {
		var names []string
		for _, n := range f.Hosts {
			for _, h := range sc.Hosts {
				for j := range max(1, h.Count) {
					if h.Name == n || h.name(j) == n {
						names = append(names, h.name(j))
					}
				}
			}
		}
		f.Hosts = names
		faults[i] = f
	}
	return faults
}

func (h Host) complete() Host {
	if h.Server.Latency == 0 {
		h.Server.Latency = defaultLatency
	}
	if h.Server.RateStatus == 0 {
		h.Server.RateStatus = 429
	}
	if h.Server.RateBurst == 0 {
		h.Server.RateBurst = 1
	}
	if h.Assets.PerPage == 0 {
		h.Assets.PerPage = defaultPerPage
	}
	h.Assets.PerPage = min(h.Assets.PerPage, h.Assets.Count)
	if h.Assets.Bytes == 0 {
		h.Assets.Bytes = defaultAsset
	}
	pages := make([]PageClass, len(h.Pages))
	for i, p := range h.Pages {
		if p.Links == 0 {
			p.Links = defaultLinks
		}
		if p.Bytes == 0 {
			p.Bytes = defaultBytes
		}
		if p.Disallow {
			h.Robots.Disallow = append(append([]string(nil), h.Robots.Disallow...), "/"+p.Name+"/")
		}
		pages[i] = p
	}
	h.Pages = pages
	return h
}

// name is the hostname of the i-th of the hosts that are alike.
func (h Host) name(i int) string {
	if h.Count <= 1 {
		return h.Name
	}
	label, rest, _ := strings.Cut(h.Name, ".")
	return fmt.Sprintf("%s%d.%s", label, i+1, rest)
}

// home is the seed of a host.
func home(name string) crawl.URL { return crawl.URL("https://" + name + "/") }
