package crawl

import "time"

// RateEffect is what a response does to the crawl capacity of its hostname
// (E3, E4, E6).
type RateEffect uint8

// The rate effects.
const (
	RateNone     RateEffect = iota // says nothing about the server's health: 4xx but 429
	RateHealthy                    // 2xx, 3xx
	RateError                      // 5xx but 503
	RateOverload                   // 429, 503
	RateNetwork                    // timeout, reset, DNS failure
)

var rateNames = names{"none", "healthy", "server error", "overload", "network failure"}

func (r RateEffect) String() string               { return rateNames.text(uint8(r)) }
func (r RateEffect) MarshalText() ([]byte, error) { return []byte(r.String()), nil }
func (r *RateEffect) UnmarshalText(b []byte) error {
	v, err := rateNames.parse("rate effect", b)
	*r = RateEffect(v)
	return err
}

// RateCause is the kind of a change of a hostname's crawl capacity limit, or of
// a pause (E1 to E8).
type RateCause uint8

// The causes.
const (
	RateCauseNone    RateCause = iota
	RateCauseStart             // never crawled before (E2)
	RateCauseHealthy           // healthy answers while demand used the limit (E3)
	RateCauseErrors            // a share of the URLs failed with 429 or 5xx (E3)
	RateCauseSlow              // latency left its baseline (E3)
	RateCauseBackoff           // paused after 429, 503 or another overload (E3, E8)
	RateCauseNetwork           // timeout, reset, DNS failure (E4)
	RateCauseOwner             // the owner's limit (E7)
)

var rateCauseNames = names{"none", "start", "healthy", "server errors", "slower", "back-off", "network failure", "owner"}

func (r RateCause) String() string               { return rateCauseNames.text(uint8(r)) }
func (r RateCause) MarshalText() ([]byte, error) { return []byte(r.String()), nil }
func (r *RateCause) UnmarshalText(b []byte) error {
	v, err := rateCauseNames.parse("cause of a rate change", b)
	*r = RateCause(v)
	return err
}

// RateChange is one entry of the history of a hostname's crawl capacity limit,
// or several in a row with the same cause.
type RateChange struct {
	Cause  RateCause `json:"cause"`
	From   float64   `json:"from"`           // limit before the first of them, connection-seconds per second
	To     float64   `json:"to"`             // limit after the last of them
	Since  time.Time `json:"since"`          // the first of them
	At     time.Time `json:"at"`             // the last of them
	Until  time.Time `json:"until,omitzero"` // end of the pause that the last of them began; zero = none
	Count  int       `json:"count"`          // how many of them
	Detail string    `json:"detail"`         // of the last of them: one sentence for people
}

// MaxRateChanges bounds the changes kept for a hostname (house choice).
const MaxRateChanges = 24
