package ftpfetch

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"trawl/internal/crawl"
)

// httpDate is the form of dates in header fields (RFC 9110 section 5.6.7).
const httpDate = "Mon, 02 Jan 2006 15:04:05 GMT"

// set adds a field to the header that stands for what the server says of a file.
func (x *exchange) set(name, value string) {
	x.res.Header = append(x.res.Header, crawl.Field{Name: name, Value: value})
}

// retrieve gets a file, or finds that it is a directory.
func (x *exchange) retrieve() error {
	if _, err := x.must("TYPE", "I"); err != nil {
		return err
	}
	size, err := x.describe()
	if err != nil || x.res.Status != 0 {
		return err
	}
	data, err := x.open("RETR", x.target.path)
	var no *refusal
	if errors.As(err, &no) && no.reply.code != 421 && no.reply.code != 425 {
		return x.directory(err)
	}
	if err != nil {
		return err
	}
	x.begin(mediaType(x.target.path))
	body, over, err := x.read(data, x.res.Limit, size)
	x.res.Body, x.res.WireBytes = body, int64(len(body))
	if over {
		x.res.Truncated = true
		x.closeAll() // nothing more is read (B5)
		return nil
	}
	if err != nil {
		return err
	}
	err = x.finish(data, size)
	if errors.As(err, &no) && len(body) == 0 && no.reply.code >= 450 {
		// Some servers begin the transfer before they look.
		x.res.Status = 0
		return x.directory(err)
	}
	return err
}

// describe asks for size and time of the file; the size is -1 where the server
// does not say. It answers an If-Modified-Since by itself.
func (x *exchange) describe() (size int64, err error) {
	size = -1
	r, err := x.ask("SIZE", x.target.path)
	if err != nil {
		return size, err
	}
	if r.code == 213 {
		if n, err := strconv.ParseInt(r.text, 10, 64); err == nil && n >= 0 {
			size = n
		}
	}
	if r, err = x.ask("MDTM", x.target.path); err != nil {
		return size, err
	}
	if mt := mediaType(x.target.path); mt != "" {
		x.set("Content-Type", mt)
	}
	if size >= 0 {
		x.set("Content-Length", strconv.FormatInt(size, 10))
	}
	modified, ok := parseTime(r)
	if !ok {
		return size, nil
	}
	x.set("Last-Modified", modified.Format(httpDate))
	since, err := time.Parse(httpDate, x.req.IfModifiedSince)
	if err == nil && !modified.After(since) {
		x.res.Status, x.res.Reason = 304, "not modified since, says MDTM"
	}
	return size, nil
}

// parseTime reads the reply to MDTM: 213 and a time in UTC, fractions of a
// second ignored (RFC 3659 section 2.3).
func parseTime(r reply) (time.Time, bool) {
	text, _, _ := strings.Cut(r.text, ".")
	if r.code != 213 {
		return time.Time{}, false
	}
	t, err := time.Parse("20060102150405", text)
	return t, err == nil
}

// directory looks whether the path that could not be retrieved is that of a
// directory: then the answer is a redirect to the name with its slash, so that
// the links of the listing resolve. Otherwise refused stands.
func (x *exchange) directory(refused error) error {
	r, err := x.ask("CWD", x.target.path)
	if err != nil {
		return err
	}
	if r.code/100 != 2 {
		return refused
	}
	x.res.Status, x.res.Reason = 301, "a directory"
	x.res.Header = crawl.Header{{Name: "Location", Value: x.target.fields + "/"}}
	return nil
}

// list gets a directory as a document of links.
func (x *exchange) list() error {
	path := strings.TrimRight(x.target.path, "/")
	if path == "" {
		path = "/"
	}
	if _, err := x.must("CWD", path); err != nil {
		return err
	}
	machine, err := x.mlsd()
	if err != nil {
		return err
	}
	var data net.Conn
	var no *refusal
	if machine {
		data, err = x.open("MLSD", "")
		if errors.As(err, &no) && (no.reply.code == 500 || no.reply.code == 502 || no.reply.code == 504) {
			machine = false
		}
	}
	if !machine {
		data, err = x.open("LIST", "")
	}
	empty := errors.As(err, &no) && (no.reply.code == 450 || no.reply.code == 550) && speaksOf(no.reply.text, "no files", "no such file", "empty")
	if err != nil && !empty {
		return err
	}
	x.set("Content-Type", "text/html; charset=utf-8")
	x.begin("text/html")
	if empty {
		x.res.Body = document(x.target.path, nil)
		return nil
	}
	raw, over, err := x.read(data, x.res.Limit, -1)
	x.res.WireBytes = int64(len(raw))
	if over {
		x.closeAll() // nothing more is read (B5)
	}
	entries, unread := parseListing(raw, machine)
	if len(entries) > x.opt.MaxEntries {
		entries, over = entries[:x.opt.MaxEntries], true
	}
	entries, cut := fitting(x.target.path, entries, x.res.Limit)
	if err == nil && !over {
		err = x.finish(data, -1)
	}
	if err == nil && len(entries) == 0 && unread > 0 && !over && !cut {
		return &fault{crawl.FailUnparseable, crawl.PhaseBody, fmt.Sprintf("none of the %d lines of the listing is in a known form", unread)}
	}
	x.res.Body = document(x.target.path, entries)
	if int64(len(x.res.Body)) > x.res.Limit { // no room even for the title
		x.res.Body = x.res.Body[:x.res.Limit]
	}
	x.res.Truncated = (over || cut) && err == nil
	return err
}

// begin starts the body of a response with status 200.
func (x *exchange) begin(mediaType string) {
	x.res.Status, x.res.Reason = 200, "transfer"
	x.res.Limit = x.req.Limits.For(mediaType)
	x.phase = crawl.PhaseBody
}

// finish reads what the server says at the end of a transfer whose data came
// to its end. Only that tells a whole file from one that was cut off.
func (x *exchange) finish(data net.Conn, size int64) error {
	data.Close()
	short := size >= 0 && x.res.WireBytes < size
	x.control.conn.SetReadDeadline(x.within(x.timeouts.Idle))
	r, err := readReply(x.control.in, &x.control.left)
	switch {
	case err == nil && r.code/100 != 2:
		return &refusal{r}
	case short:
		return &fault{crawl.FailIncomplete, crawl.PhaseBody, fmt.Sprintf("%d bytes came of the %d that the server promised; they are kept", x.res.WireBytes, size)}
	case err != nil && size >= 0 && x.ctx.Err() == nil:
		return nil // all that was promised is here
	case err != nil && x.ctx.Err() == nil:
		return &fault{crawl.FailIncomplete, crawl.PhaseBody, "the server did not confirm that the data is whole; what came is kept: " + clip(err.Error())}
	}
	return err
}

const (
	firstRead   = 32 << 10
	trustedSize = 1 << 20 // memory given on the word of SIZE alone
)

// read reads data to its end, at most room bytes; over says that there was
// more. What came is returned whatever err is. It keeps Timeouts.Idle and, in
// the time spent waiting, Timeouts.MinRate.
func (x *exchange) read(data net.Conn, room, size int64) (body []byte, over bool, err error) {
	buf := make([]byte, 0, min(max(size, firstRead), trustedSize, room)+1)
	var waited time.Duration
	for {
		if len(buf) == cap(buf) {
			grown := make([]byte, len(buf), min(2*int64(cap(buf)), room+1))
			copy(grown, buf)
			buf = grown
		}
		since := time.Now()
		limit := x.timeouts.Idle
		if rate := x.timeouts.MinRate; rate > 0 {
			paid := time.Duration(int64(len(buf))/rate) * time.Second
			limit = min(limit, max(limit, paid)-waited)
		}
		data.SetReadDeadline(x.within(limit))
		n, err := data.Read(buf[len(buf):cap(buf)])
		waited += time.Since(since)
		if n > 0 && x.data.IsZero() {
			x.data = time.Now()
		}
		buf = buf[:len(buf)+n]
		if int64(len(buf)) > room {
			return buf[:room], true, nil
		}
		switch {
		case err == io.EOF:
			return buf, false, nil
		case err != nil:
			return buf, false, err
		}
	}
}
