package main

import (
	"fmt"
	"io"
	"net/netip"
	"strings"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/report"
)

func (r *fetchReport) text(w io.Writer) error {
	for i := range r.Hops {
		if i > 0 {
			fmt.Fprintln(w)
		}
		r.Hops[i].text(w)
	}
	end := ""
	if r.Error != "" {
		end = "\n" + report.Safe(r.Error) + "\n"
	}
	_, err := io.WriteString(w, end)
	return err
}

func (h *hop) text(w io.Writer) {
	fmt.Fprintf(w, "%s\n", report.Safe(string(h.URL)))
	if h.Status > 0 {
		fmt.Fprintf(w, "  %d %s over %s%s from %s\n", h.Status, report.Safe(h.Reason), h.Protocol, tlsText(h.TLS), h.Remote)
	}
	if h.Failure != nil {
		fmt.Fprintf(w, "  failure: %s\n", report.Safe(failureText(h.Failure)))
	}
	if h.Note != "" {
		fmt.Fprintf(w, "  redirect error: %s\n", report.Safe(h.Note))
	}
	if len(h.Request) > 0 {
		h.figures(w)
	}
	h.way(w)
	judged := ""
	if h.Partial {
		judged = fmt.Sprintf("; %s: what came is judged as if it were whole (B3)", h.Failure.Class)
	}
	fmt.Fprintf(w, "  meaning (%s): crawl rate: %s; index: %s%s\n", h.Row, h.Rate, h.Index, judged)
	h.hints(w)
	if h.Page != nil {
		h.Page.text(w)
	}
	if why := h.notModified(); why != "" {
		fmt.Fprintf(w, "  not modified: %s\n", report.Safe(why))
	}
	if h.Stored != nil {
		h.Stored.show(w)
	}
	if v := h.Robots; v != nil {
		word := "disallowed"
		if v.Allowed {
			word = "allowed"
		}
		fmt.Fprintf(w, "  robots.txt: %s for %s: %s\n", word, v.Client, report.Safe(v.Why))
	}
	if len(h.Request) > 0 {
		fmt.Fprintln(w, "  request")
		fields(w, h.Request)
	}
	for _, i := range h.Interim {
		fmt.Fprintf(w, "  interim response %d\n", i.Status)
		fields(w, i.Header)
	}
	if h.MoreInterim > 0 {
		fmt.Fprintf(w, "  and %d more interim responses\n", h.MoreInterim)
	}
	if len(h.Header) > 0 {
		fmt.Fprintln(w, "  response")
		fields(w, h.Header)
	}
}

// figures are the timings and bytes of a request that was sent.
func (h *hop) figures(w io.Writer) {
	t := h.Timings
	conn := fmt.Sprintf("dns %s, connect %s, tls %s", ms(t.DNS), ms(t.Connect), ms(t.TLS))
	if t.Reused {
		conn = "connection reused"
	}
	fmt.Fprintf(w, "  timings: %s, wait %s, body %s, total %s\n", conn, ms(t.Wait), ms(t.Body), ms(t.Total))
	cut := "whole"
	switch {
	case h.Truncated:
		cut = "cut at the byte limit (B5)"
	case h.Failure != nil:
		cut = "incomplete"
	}
	if h.Status == 0 {
		return
	}
	label := coding(h.Coding)
	if h.Mislabeled {
		label += ", another one than Content-Encoding says (B3)"
	}
	fmt.Fprintf(w, "  bytes: header %d, wire %d, decoded %d (%s), limit %d, %s\n", h.HeaderBytes, h.WireBytes, h.BodyBytes, label, h.Limit, cut)
}

// way is how the request left, and over what.
func (h *hop) way(w io.Writer) {
	if len(h.Request) == 0 {
		return
	}
	if h.Status > 0 {
		fmt.Fprintf(w, "  protocol: %s\n", h.Why)
	}
	if h.Region != "" {
		fmt.Fprintf(w, "  region: %s\n", h.Region)
	}
	if h.Way == nil {
		return
	}
	if len(h.Way.Answer) > 0 {
		fmt.Fprintf(w, "  dns answer: %s\n", joined(h.Way.Answer))
	}
	if len(h.Way.Tried) > 0 {
		through := ""
		if h.Way.Proxy != "" {
			through = " through " + h.Way.Proxy
		}
		fmt.Fprintf(w, "  dialled: %s%s\n", joined(h.Way.Tried), through)
	}
}

func joined[T netip.Addr | netip.AddrPort](list []T) string {
	out := make([]string, len(list))
	for i, a := range list {
		out[i] = fmt.Sprint(a)
	}
	return strings.Join(out, ", ")
}

// hints are what the header says about the next request.
func (h *hop) hints(w io.Writer) {
	if v := h.Header.Get("Retry-After"); v != "" {
		read := "not understood, so it says nothing"
		if h.RetryAfter > 0 {
			read = "no request to this hostname for " + h.RetryAfter.Round(time.Second).String()
			if h.Status != 429 && h.Status != 503 {
				read = "of no effect with this status"
			}
		}
		fmt.Fprintf(w, "  Retry-After: %s (E8)\n", read)
	}
	if h.MaxAge > 0 {
		fmt.Fprintf(w, "  max-age: %s, a hint for the next crawl (G3)\n", h.MaxAge)
	}
	if h.Validators != nil {
		fmt.Fprintf(w, "  a recrawl may send %s (G1, G2)\n", report.Safe(h.Validators.Next))
	}
}

func (p *pageFacts) text(w io.Writer) {
	kind := p.MediaType
	if p.Charset != "" {
		kind += ", " + p.Charset
	}
	fmt.Fprintf(w, "  page: %s, %s\n", report.Safe(kind), report.Count(int64(p.Links), "link"))
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "    %s: %s\n", name, report.Safe(value))
		}
	}
	line("title", p.Title)
	line("robots", robotsRules(p.Noindex, p.Nofollow))
	line("canonical", string(p.Canonical))
	if p.Refresh != "" {
		line("refresh", fmt.Sprintf("to %s after %s: as a %s redirect (B6)", p.Refresh, p.RefreshIn, map[bool]string{true: "permanent", false: "temporary"}[p.RefreshIn == 0]))
	}
	for _, n := range append(p.Notes, p.Bounded...) {
		line("note", n)
	}
}

func robotsRules(noindex, nofollow bool) string {
	switch {
	case noindex && nofollow:
		return "noindex, nofollow"
	case noindex:
		return "noindex"
	case nofollow:
		return "nofollow"
	}
	return ""
}

func fields(w io.Writer, h crawl.Header) {
	for _, f := range h {
		fmt.Fprintf(w, "    %s: %s\n", report.Safe(f.Name), report.Safe(f.Value))
	}
}

func tlsText(v string) string {
	if v == "" {
		return ""
	}
	return " (TLS " + v + ")"
}

func coding(c string) string {
	if c == "" {
		return "identity"
	}
	return c
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)) }
