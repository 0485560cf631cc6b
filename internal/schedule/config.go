package schedule

import (
	"time"

	"trawl/internal/client"
	"trawl/internal/crawl"
	"trawl/internal/demand"
	"trawl/internal/egress"
	"trawl/internal/hostload"
	"trawl/internal/protocol"
	"trawl/internal/react"
	"trawl/internal/robots"
)

// Client is one crawler client with work in this crawl.
type Client struct {
	Profile client.Profile
	Weight  float64 // share of a hostname's capacity when several want it (E5); 0 = 1
}

// Config is what a Scheduler is made with. It is read only afterwards.
type Config struct {
	Clients  []Client // the first one is the primary: it leads the index state
	Identity client.Identity
	Capacity func(crawl.Host) hostload.Params // per hostname: stranger, own, owner's limit
	Paused   func(crawl.Host) bool            // the owner's pause (E7); nil = none
	Egress   func(crawl.Host) egress.Plan     // per hostname: the regions it may be asked from (B10); nil = direct
	Robots   robots.Times
	React    react.Params
	Demand   demand.Params
	Protocol protocol.Params // zero = defaults
	Timeouts crawl.Timeouts
	Scope    Scope
	Window   int   // URLs of a hostname kept in memory for each client; 0 = DefaultWindow
	HostRoom int   // hostnames kept in memory; 0 = MaxHosts
	MaxPages int64 // page requests of this run; 0 = no limit
	MaxLinks int   // links read of a page; 0 = the content package's default
	Rand     func() float64
}

const (
	// DefaultWindow is how many URLs of a hostname are kept in memory for each
	// client (house choice).
	DefaultWindow = 256
	// minWindow and windowTime bound it where a hostname bears next to nothing:
	// what is in memory is served before what becomes due meanwhile, so that it
	// must not last for days (house choices).
	minWindow  = 64
	windowTime = 24 * time.Hour
	// MaxHosts bounds the hostnames kept in memory (house choice); the
	// others wait in the store.
	MaxHosts = 20_000
	// MaxOrigins bounds the robots.txt files kept in memory for one hostname;
	// more than one or two means that somebody links to every port.
	MaxOrigins = 32
	// MaxSitemaps bounds the sitemaps taken from one robots.txt (house choice).
	MaxSitemaps = 1000
	// keepWarm is for how long a hostname without present work stays in memory
	// (house choice); a driver's patience should not exceed it.
	keepWarm = time.Minute
	// storedAfter is how long after an answer the record of a hostname is taken
	// to be in the store (house choice): outcomes of robots.txt name no URL whose
	// commit would tell, and with them a Retry-After would be lost.
	storedAfter = 10 * time.Second
	// abandonedPause is how long a URL waits at least after it was counted as
	// abandoned (C6), so that a stopped hostname is not counted in a loop.
	abandonedPause = time.Minute
)

func (c *Config) client(id crawl.ClientID) *Client {
	for i := range c.Clients {
		if c.Clients[i].Profile.ID == id {
			return &c.Clients[i]
		}
	}
	return nil
}

func (c *Config) primary() crawl.ClientID { return c.Clients[0].Profile.ID }

func (c *Config) hostRoom() int {
	if c.HostRoom > 0 {
		return c.HostRoom
	}
	return MaxHosts
}

func (c *Config) window() int {
	if c.Window > 0 {
		return c.Window
	}
	return DefaultWindow
}

func (c *Config) protocol() protocol.Params {
	if c.Protocol == (protocol.Params{}) {
		return protocol.DefaultParams()
	}
	return c.Protocol
}
