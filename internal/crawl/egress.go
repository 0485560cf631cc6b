package crawl

import "time"

// EgressRecord is how a hostname answered requests from each region (B10).
// Package egress alone changes it. A zero record is a hostname that was asked
// from nowhere but its configured region.
type EgressRecord struct {
	Choice  string         `json:"choice,omitempty"` // region of this crawl session; "" = direct
	Session time.Time      `json:"session,omitzero"` // when it began
	Regions []EgressRegion `json:"regions,omitempty"`
}

// EgressRegion is the record of one region on a hostname.
type EgressRegion struct {
	Region  string    `json:"region"`             // "" = direct
	Good    int       `json:"good"`               // pages of this session that the hostname answered
	Bad     int       `json:"bad"`                // requests of this session that it refused or did not answer
	Proxy   int       `json:"proxy_failures"`     // in a row, of the region's own proxies
	Blocked int       `json:"blocked_sessions"`   // sessions in a row that it blocked
	Tried   time.Time `json:"tried,omitzero"`     // when a session last left from here
	LastOK  time.Time `json:"last_good,omitzero"` // when it last answered a page
}

// MaxEgressRegions bounds the regions kept for a hostname (house choice).
const MaxEgressRegions = 16
