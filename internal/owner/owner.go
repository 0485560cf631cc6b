// Package owner holds what the owner of a hostname asked the platform for: a
// lower crawl rate, or a pause, for a time or until it is lifted (E7).
//
// It decides which wishes are in force at a time and what they do to the
// constants of the crawl capacity; never more than the server's health gives:
// nothing here can raise a limit. It does not decide how a limit acts (package
// hostload) nor where wishes are kept: they travel as settings of a store, one
// for each hostname, so that every worker sees them.
//
// Invariants: a wish that is over changes nothing; what cannot be read is an
// error for whoever reads it, never silently "no wish".
//
// Source: behaviour E7; M14 for why it has to act at once.
package owner

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/hostload"
)

// Wish is what was asked for one hostname.
type Wish struct {
	Limit  float64   `json:"limit,omitempty"` // upper bound of the crawl capacity limit, connection-seconds per second; 0 = none
	Paused bool      `json:"paused,omitempty"`
	Until  time.Time `json:"until,omitzero"` // end of the wish; zero = until it is lifted
	Note   string    `json:"note,omitempty"` // why, in the words of whoever asked
	At     time.Time `json:"at"`             // when it was asked
}

// The bounds of a wish (house choices). A limit below MinLimit would be a pause
// by another name.
const (
	MinLimit = 0.001
	MaxLimit = 1000
	MaxNote  = 500 // bytes
)

// Kind is what a wish is about: a hostname may have one of each kind.
type Kind string

// The kinds.
const (
	KindLimit Kind = "limit"
	KindPause Kind = "pause"
)

// Prefix is what the names of settings that hold wishes start with; the kind
// and the hostname follow.
const Prefix = "owner/"

// Name returns the name of the setting for a hostname.
func Name(k Kind, h crawl.Host) string { return Prefix + string(k) + "/" + string(h) }

// Check says what is wrong with a wish, in words for who made it.
func (w Wish) Check() error {
	switch {
	case math.IsNaN(w.Limit) || w.Limit < 0 || w.Limit > MaxLimit || w.Limit > 0 && w.Limit < MinLimit:
		return fmt.Errorf("a limit is %g to %d connection-seconds per second, not %g: for no requests at all, pause the hostname", MinLimit, MaxLimit, w.Limit)
	case !w.Until.IsZero() && !w.Until.After(w.At):
		return fmt.Errorf("it would end at %s, before it begins", w.Until.UTC().Format(time.RFC3339))
	case len(w.Note) > MaxNote:
		return fmt.Errorf("the note has %d bytes, at most %d are kept", len(w.Note), MaxNote)
	}
	return nil
}

// Empty reports whether nothing is asked for.
func (w Wish) Empty() bool { return w.Limit == 0 && !w.Paused }

// Active returns the wish as it is in force at now: the zero Wish when it is over.
func (w Wish) Active(now time.Time) Wish {
	if !w.Until.IsZero() && !now.Before(w.Until) {
		return Wish{}
	}
	return w
}

// Encode returns the value of a setting: "" for a wish that asks for nothing.
func (w Wish) Encode() string {
	if w.Empty() {
		return ""
	}
	b, err := json.Marshal(w)
	if err != nil { // a limit that Check refuses: NaN, Inf
		return ""
	}
	return string(b)
}

// Decode reads the name and value of a setting.
func Decode(name, value string) (Kind, crawl.Host, Wish, error) {
	kind, host, ok := strings.Cut(strings.TrimPrefix(name, Prefix), "/")
	if !ok || host == "" || !strings.HasPrefix(name, Prefix) || Kind(kind) != KindLimit && Kind(kind) != KindPause {
		return "", "", Wish{}, fmt.Errorf("setting %.100q does not name a limit or a pause of a hostname", name)
	}
	var w Wish
	if value == "" {
		return Kind(kind), crawl.Host(host), w, nil
	}
	err := json.Unmarshal([]byte(value), &w)
	if err == nil {
		err = w.Check()
	}
	if err == nil && w.Paused != (Kind(kind) == KindPause) {
		err = fmt.Errorf("it is no %s", kind)
	}
	if err != nil {
		return "", "", Wish{}, fmt.Errorf("%s of %.100s: %w", kind, host, err)
	}
	return Kind(kind), crawl.Host(host), w, nil
}

// Wishes are those of one hostname.
type Wishes struct {
	Limit Wish
	Pause Wish
}

// Params applies the limit to the constants of a hostname's capacity.
func (w Wishes) Params(p hostload.Params, now time.Time) hostload.Params {
	return p.WithLimit(w.Limit.Active(now).Limit)
}

// Paused reports whether nothing may be sent, and until when; zero = until it is
// lifted.
func (w Wishes) Paused(now time.Time) (bool, time.Time) {
	p := w.Pause.Active(now)
	return p.Paused, p.Until
}

// Book is the wishes of many hostnames. It is read only once it was handed on.
type Book map[crawl.Host]Wishes

// Add reads one setting into the book.
func (b Book) Add(name, value string) error {
	kind, host, w, err := Decode(name, value)
	if err != nil || w.Empty() {
		return err
	}
	all := b[host]
	if kind == KindPause {
		all.Pause = w
	} else {
		all.Limit = w
	}
	b[host] = all
	return nil
}
