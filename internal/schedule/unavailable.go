package schedule

import (
	"time"

	"trawl/internal/crawl"
	"trawl/internal/react"
)

// unavailable keeps when a page asks to be left out of the index from (F12,
// unavailable_after), and wants it visited then at the latest: whatever that
// visit gives, be it a 304 or nothing, the index state changes with it. v.Due is
// set already. What answers with an error keeps what it last said.
func unavailable(v *crawl.Visit, f *Findings, now time.Time) {
	switch f.Row.Index {
	case react.EffectPass, react.EffectEmpty, react.EffectStrong, react.EffectWeak, react.EffectRedirect, react.EffectGone:
		v.Unavailable = time.Time{}
		if f.Page != nil {
			v.Unavailable = f.Page.Directives.UnavailableAfter
		}
	case react.EffectNone, react.EffectStands, react.EffectServer, react.EffectNetwork, react.EffectBlocked:
	}
	if v.Unavailable.After(now) && v.Due.After(v.Unavailable) {
		v.Due = v.Unavailable
	}
}
