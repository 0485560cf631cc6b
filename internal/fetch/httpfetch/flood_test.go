package httpfetch

import (
	"errors"
	"net"
	"testing"
)

// endless is a connection that always has more, and takes everything.
type endless struct{ net.Conn }

func (endless) Read(p []byte) (int, error)  { return len(p), nil }
func (endless) Write(p []byte) (int, error) { return len(p), nil }

// TestB11Flood: what comes, or is answered, without anything of use between ends
// a connection over HTTP/2, and only one of those.
func TestB11Flood(t *testing.T) {
	const block = 16 << 10
	flooded := func(c *conn, answering bool, usefulEach int) (rounds int) {
		p := make([]byte, block)
		if answering {
			p = p[:9]
		}
		for ; rounds < 3*maxAnswers; rounds++ {
			if answering {
				c.Write(p)
			}
			if _, err := c.Read(p); errors.Is(err, errFlood) {
				return rounds
			}
			if usefulEach > 0 && rounds%usefulEach == 0 {
				c.overhead.useful()
			}
		}
		return rounds
	}
	for name, c := range map[string]struct {
		kept       *keeper
		answering  bool
		usefulEach int
		want       int
	}{
		"bytes":               {&keeper{}, false, 0, maxOverhead / block},
		"answers":             {&keeper{}, true, 0, maxAnswers},
		"bytes of use":        {&keeper{}, false, 100, 3 * maxAnswers},
		"answers, with use":   {&keeper{}, true, 900, 3 * maxAnswers},
		"HTTP/1.1 is another": {nil, true, 0, 3 * maxAnswers},
	} {
		t.Run(name, func(t *testing.T) {
			got := flooded(&conn{Conn: endless{}, kept: kept{keeper: c.kept}}, c.answering, c.usefulEach)
			if got != c.want {
				t.Errorf("ended after %d rounds; want %d", got, c.want)
			}
		})
	}
}
