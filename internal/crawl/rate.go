package crawl

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
