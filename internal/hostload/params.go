package hostload

import "time"

// Params are all constants of the capacity model. The documentation gives
// directions and no values: every value is a house choice, with its reason.
type Params struct {
	// Start is the limit of a hostname never crawled before, in
	// connection-seconds per second (E2). 0.05 with a server that needs 150 to
	// 250 ms is one request every three to five seconds.
	Start float64
	// Floor is the lowest limit (E4): the platform never stops asking.
	Floor float64
	// Ceiling is the highest limit, whatever the server bears.
	Ceiling float64
	// MinCost is the least a fetch is charged. Without it, a server that
	// answers in a millisecond would get a hundred times the requests of a
	// normal one, and pay for each in logs, bandwidth and caches.
	MinCost time.Duration
	// FirstCost is what the first fetch is expected to take.
	FirstCost time.Duration
	// Burst is for how long unused capacity is saved up.
	Burst time.Duration
	// MaxDebt bounds the pause that long fetches can cause: debt that takes
	// longer to refill is forgiven, so that the platform never stops asking (E4)
	// where a fetch takes so long that E1 alone would have it wait for hours. It
	// is as long as the longest back-off: a shorter one would let a slow hostname
	// at its floor be used many times more than its limit says.
	MaxDebt time.Duration
	// Window is how long answers are gathered before the limit may rise (E3).
	Window time.Duration
	// Step is added after a healthy window in which demand used the limit.
	Step float64
	// ErrorCut is the part of the limit that is lost when all distinct URLs of
	// a window failed with 429 or 5xx; a smaller share loses in proportion (E3).
	ErrorCut float64
	// NetworkCut is the part that a network failure costs at once (E4).
	NetworkCut float64
	// ShareOf is how many answers the share of failing URLs is taken of, at least.
	ShareOf float64
	// PauseShare is the share, and PauseRow the number of failures in a row, from
	// which on a 503 pauses the hostname.
	PauseShare float64
	PauseRow   int
	// LimiterTrust is for how long a URL that was refused and answered when it was
	// asked for again shows that refusals are a matter of rate; until one did, a 503
	// may as well be the URL's own.
	LimiterTrust time.Duration
	// PaceCut is the part of the pace, in requests per second, that a window with
	// refusals costs (429, 503), where the pace is what was refused.
	PaceCut float64
	// PaceGrow is by which part, and PaceStep by how many requests per second at
	// least, the pace rises after a healthy window in which it held demand back;
	// PaceSeek is the part while no pace was refused yet.
	PaceGrow, PaceSeek, PaceStep float64
	// Hold is for how long a pace that was refused is approached only up to
	// PaceHold of it, and a limit that was refused only up to one connection fewer:
	// each time more is tried costs a refusal and a pause.
	// HoldNetwork is the same for a limit at which a hostname that was answering
	// did not any more: longer, because that costs a timeout.
	Hold, HoldNetwork time.Duration
	PaceHold          float64
	// PaceFloor is the lowest pace, in requests per second (E4).
	PaceFloor float64
	// SlowFactor and SlowSlack say when latency has left its baseline: above
	// baseline × SlowFactor + SlowSlack.
	SlowFactor float64
	SlowSlack  time.Duration
	// BaselineTime is how slowly the baseline accepts that a hostname has become
	// slower.
	BaselineTime time.Duration
	// BaselineTimeLoaded is the same while more than one connection is allowed.
	BaselineTimeLoaded time.Duration
	// SlowCut is the largest part that one slow window costs.
	SlowCut float64
	// Backoff is the first pause after 429, 503 or a network failure without
	// Retry-After; it doubles with each one in a row, up to MaxBackoff.
	Backoff    time.Duration
	MaxBackoff time.Duration
	// Jitter spreads a pause by up to this part of it, upwards only.
	Jitter float64
	// MaxRetryAfter caps what a server may ask for (E8).
	MaxRetryAfter time.Duration
}

// Stranger returns the constants for hostnames of other people.
func Stranger() Params {
	return Params{
		Start: 0.05, Floor: 0.002, Ceiling: 1,
		MinCost: 100 * time.Millisecond, FirstCost: 200 * time.Millisecond,
		Burst: time.Second, MaxDebt: 30 * time.Minute,
		Window: 10 * time.Second, Step: 0.02,
		ErrorCut: 0.5, NetworkCut: 0.5,
		ShareOf: 20, PauseShare: 0.25, PauseRow: 2, LimiterTrust: 5 * time.Minute,
		PaceCut: 0.15, PaceGrow: 0.05, PaceSeek: 0.2, PaceStep: 0.02, PaceFloor: 0.1, PaceHold: 0.95, Hold: 5 * time.Minute, HoldNetwork: time.Hour,
		SlowFactor: 1.5, SlowSlack: 50 * time.Millisecond, SlowCut: 0.3, BaselineTime: 10 * time.Minute, BaselineTimeLoaded: 2 * time.Hour,
		Backoff: 5 * time.Second, MaxBackoff: 30 * time.Minute, Jitter: 0.25,
		MaxRetryAfter: 24 * time.Hour,
	}
}

// Own returns the constants for hostnames whose owner runs the crawl (E7): the
// limit starts high and rises fast, and falls for the same reasons.
func Own() Params {
	p := Stranger()
	p.Start, p.Floor, p.Ceiling = 4, 0.05, 64
	p.MinCost, p.FirstCost = 0, 50*time.Millisecond
	p.Window, p.Step, p.Hold, p.HoldNetwork = time.Second, 1, time.Minute, 15*time.Minute
	p.Backoff, p.MaxBackoff, p.MaxDebt = time.Second, 5*time.Minute, 5*time.Minute
	return p
}

// WithLimit returns p with the ceiling lowered to limit (E7): an owner may ask
// for less than the server bears, never for more. Whoever sets a limit means
// fewer requests, so each costs at least what a stranger's does, however fast
// the server.
func (p Params) WithLimit(limit float64) Params {
	if limit > 0 {
		p.MinCost = max(p.MinCost, Stranger().MinCost)
	}
	if limit > 0 && limit < p.Ceiling {
		p.Ceiling = limit
		p.Start = min(p.Start, limit)
		p.Floor = min(p.Floor, limit)
	}
	return p
}
