package fetchtest

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// Stream is the server's end of one HTTP/2 stream, with the connection that it
// is on: for frames that no HTTP library would send.
type Stream struct {
	*http2.Framer
	ID   uint32
	conn *Conn
}

// HTTP2 returns a script that speaks the server's part of HTTP/2 (RFC 9113) as
// far as the request, and then lets answer do as it likes: it is called with
// each new stream, and the connection is closed when it returns false.
func HTTP2(answer func(s *Stream) bool) Script {
	return HTTP2After(func(f *http2.Framer) bool { return f.WriteSettings() == nil }, answer)
}

// HTTP2After is HTTP2 with another beginning than empty SETTINGS.
func HTTP2After(greet func(*http2.Framer) bool, answer func(s *Stream) bool) Script {
	return func(c *Conn) {
		preface := make([]byte, len(http2.ClientPreface))
		if _, err := io.ReadFull(c.in, preface); err != nil || string(preface) != http2.ClientPreface {
			return
		}
		f := http2.NewFramer(counted{c}, c.in)
		if !greet(f) {
			return
		}
		for {
			frame, err := f.ReadFrame()
			if err != nil {
				return
			}
			switch frame := frame.(type) {
			case *http2.SettingsFrame:
				if !frame.IsAck() && f.WriteSettingsAck() != nil {
					return
				}
			case *http2.PingFrame:
				if !frame.IsAck() && f.WritePing(true, frame.Data) != nil {
					return
				}
			case *http2.HeadersFrame:
				c.server.Requests.Add(1)
				if !answer(&Stream{Framer: f, ID: frame.StreamID, conn: c}) {
					return
				}
			}
		}
	}
}

// counted counts what is written like Conn.Send.
type counted struct{ c *Conn }

func (w counted) Write(p []byte) (int, error) {
	n, err := w.c.Conn.Write(p)
	w.c.server.Written.Add(int64(n))
	return n, err
}

// Block encodes fields, "name: value" each, as a header block for status.
func Block(status int, fields ...string) []byte {
	var b bytes.Buffer
	e := hpack.NewEncoder(&b)
	e.WriteField(hpack.HeaderField{Name: ":status", Value: strconv.Itoa(status)})
	for _, f := range fields {
		name, value, _ := strings.Cut(f, ": ")
		e.WriteField(hpack.HeaderField{Name: strings.ToLower(name), Value: value})
	}
	return b.Bytes()
}

// Head sends a response header that is whole; end also ends the stream.
func (s *Stream) Head(end bool, status int, fields ...string) bool {
	return s.WriteHeaders(http2.HeadersFrameParam{StreamID: s.ID, BlockFragment: Block(status, fields...), EndHeaders: true, EndStream: end}) == nil
}

// Answer sends a whole response.
func (s *Stream) Answer(status int, body string, fields ...string) bool {
	return s.Head(false, status, fields...) && s.WriteData(s.ID, true, []byte(body)) == nil
}

// Continue sends a header block in pieces: the first as HEADERS, each other as
// CONTINUATION, none of them the last.
func (s *Stream) Continue(first bool, fragment []byte) bool {
	if first {
		return s.WriteHeaders(http2.HeadersFrameParam{StreamID: s.ID, BlockFragment: fragment}) == nil
	}
	return s.WriteContinuation(s.ID, false, fragment) == nil
}

// Again sends by send until the client is gone.
func (s *Stream) Again(send func() bool) bool {
	for send() {
	}
	return false
}

// Await reads what the client sends until it is gone.
func (s *Stream) Await() bool {
	s.conn.Await()
	return false
}

// Idle waits for d, or less if the client is gone.
func (s *Stream) Idle(d time.Duration) bool { return !s.conn.gone(d) }

// Reset closes the connection with a TCP reset.
func (s *Stream) Reset() bool {
	s.conn.Reset()
	return false
}

// HostileHTTP2 is [Hostile] for servers that have agreed to speak HTTP/2, by
// ALPN or by prior knowledge.
func HostileHTTP2() map[string]Script {
	flood := []byte(strings.Repeat("x", 16<<10))
	scripts := map[string]Script{
		"garbage":   Stall("\x00\x01\x02 garbage, no frame at all, and more than a frame's head\r\n\r\n"),
		"http/1.1":  Once(Response("400 Bad Request", "")),
		"silence":   Mute(),
		"closed":    func(c *Conn) { c.Read(make([]byte, 1)) },
		"reset":     func(c *Conn) { c.Read(make([]byte, 1)); c.Reset() },
		"no answer": HTTP2((*Stream).Await),
		"closed after request": HTTP2(func(*Stream) bool {
			return false
		}),
		"reset after request": HTTP2((*Stream).Reset),
		"no settings": HTTP2After(func(*http2.Framer) bool { return true }, func(s *Stream) bool {
			return s.Answer(200, "no settings") && s.Await()
		}),
		"settings flood": HTTP2(func(s *Stream) bool { return s.Again(func() bool { return s.WriteSettings() == nil }) }),
		"ping flood":     HTTP2(func(s *Stream) bool { return s.Again(func() bool { return s.WritePing(false, [8]byte{}) == nil }) }),
		"rst flood": HTTP2(func(s *Stream) bool {
			return s.Again(func() bool { return s.WriteRSTStream(s.ID, http2.ErrCodeCancel) == nil })
		}),
		"empty data flood": HTTP2(func(s *Stream) bool {
			return s.Head(false, 200) && s.Again(func() bool { return s.WriteData(s.ID, false, nil) == nil })
		}),
		"no streams": HTTP2After(func(f *http2.Framer) bool {
			return f.WriteSettings(http2.Setting{ID: http2.SettingMaxConcurrentStreams}) == nil
		}, (*Stream).Await),
		"bad settings": HTTP2After(func(f *http2.Framer) bool {
			return f.WriteSettings(http2.Setting{ID: http2.SettingMaxFrameSize, Val: 1}) == nil
		}, (*Stream).Await),
		"zero window": HTTP2(func(s *Stream) bool { // for ever: whatever is asked, nothing is sent
			return s.Head(false, 200, "Content-Length: 100") && s.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize}) == nil && s.Await()
		}),
		"over the window": HTTP2(func(s *Stream) bool {
			return s.Head(false, 200) && s.Again(func() bool { return s.WriteData(s.ID, false, flood[:16<<10]) == nil })
		}),
		"bad huffman": HTTP2(func(s *Stream) bool {
			return s.Continue(true, []byte{0x00, 0x84, 0xff, 0xff, 0xff, 0xff}) && s.WriteContinuation(s.ID, true, nil) == nil && s.Await()
		}),
		"no status": HTTP2(func(s *Stream) bool { return s.Head(true, 0) && s.Await() }),
		"103 for ever": HTTP2(func(s *Stream) bool {
			return s.Again(func() bool { return s.Head(false, 103, "Link: </a>; rel=preload") && s.Idle(20*time.Millisecond) })
		}),
		"trickled body": HTTP2(func(s *Stream) bool {
			return s.Head(false, 200) && s.Again(func() bool { return s.WriteData(s.ID, false, []byte("x")) == nil && s.Idle(20*time.Millisecond) })
		}),
		"stream of another": HTTP2(func(s *Stream) bool {
			other := *s
			other.ID += 2
			return other.Answer(200, "x") && s.Await()
		}),
		"body too long": HTTP2(func(s *Stream) bool { return s.Answer(200, "0123456789", "Content-Length: 3") && s.Await() }),
		"body cut off":  HTTP2(func(s *Stream) bool { return s.Answer(200, "0123456789", "Content-Length: 30") && s.Await() }),
		"push": HTTP2(func(s *Stream) bool {
			return s.WritePushPromise(http2.PushPromiseParam{StreamID: s.ID, PromiseID: 2, BlockFragment: Block(200), EndHeaders: true}) == nil && s.Await()
		}),
	}
	addFloods(scripts)
	addCodes(scripts)
	return scripts
}

// addFloods adds header blocks without end and without measure.
func addFloods(scripts map[string]Script) {
	one := Block(200, "X-More: "+strings.Repeat("y", 100))
	scripts["continuation flood"] = HTTP2(func(s *Stream) bool {
		return s.Continue(true, one) && s.Again(func() bool { return s.Continue(false, one[1:]) })
	})
	scripts["empty continuation flood"] = HTTP2(func(s *Stream) bool {
		return s.Continue(true, nil) && s.Again(func() bool { return s.Continue(false, nil) })
	})
	scripts["huge header list"] = HTTP2(func(s *Stream) bool {
		fields := make([]string, 10_000)
		for i := range fields {
			fields[i] = "X-" + strconv.Itoa(i) + ": " + strings.Repeat("y", 50)
		}
		block := Block(200, fields...)
		first := true
		for len(block) > 16<<10 {
			if !s.Continue(first, block[:16<<10]) {
				return false
			}
			first, block = false, block[16<<10:]
		}
		return s.WriteContinuation(s.ID, true, block) == nil && s.Await()
	})
	scripts["indexed bomb"] = HTTP2(func(s *Stream) bool { // one large field, named again by one byte each
		block := append(Block(200, "X-Big: "+strings.Repeat("y", 3000)), bytes.Repeat([]byte{0x80 | 62}, 12_000)...)
		return s.WriteHeaders(http2.HeadersFrameParam{StreamID: s.ID, BlockFragment: block, EndHeaders: true}) == nil && s.Await()
	})
}

// addCodes adds RST_STREAM and GOAWAY with each error code, ahead of and after
// the response header.
func addCodes(scripts map[string]Script) {
	for code := http2.ErrCodeNo; code <= http2.ErrCodeHTTP11Required; code++ {
		scripts["RST_STREAM "+code.String()] = HTTP2(func(s *Stream) bool { return s.WriteRSTStream(s.ID, code) == nil })
		scripts["body, RST_STREAM "+code.String()] = HTTP2(func(s *Stream) bool {
			return s.Head(false, 200, "Content-Length: 100") && s.WriteData(s.ID, false, []byte("x")) == nil && s.Idle(20*time.Millisecond) && s.WriteRSTStream(s.ID, code) == nil
		})
		scripts["GOAWAY "+code.String()] = HTTP2(func(s *Stream) bool {
			return s.WriteGoAway(s.ID, code, nil) == nil && s.Idle(20*time.Millisecond) && false
		})
		scripts["GOAWAY before, "+code.String()] = HTTP2(func(s *Stream) bool { return s.WriteGoAway(0, code, nil) == nil && s.Await() })
		scripts["body, GOAWAY "+code.String()] = HTTP2(func(s *Stream) bool {
			return s.Head(false, 200) && s.WriteData(s.ID, false, []byte("x")) == nil && s.WriteGoAway(s.ID, code, nil) == nil && s.WriteData(s.ID, true, []byte("yz")) == nil && s.Await()
		})
	}
}
