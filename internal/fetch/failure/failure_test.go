package failure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"trawl/internal/crawl"
)

func TestB7Connecting(t *testing.T) {
	call := func(err error) error {
		return fmt.Errorf("wrapped: %w", &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", err)})
	}
	for _, c := range []struct {
		name  string
		phase crawl.Phase
		err   error
		want  crawl.FailureClass
	}{
		{"no such name", crawl.PhaseDNS, &net.DNSError{IsNotFound: true}, crawl.FailDNS},
		{"DNS timeout", crawl.PhaseDNS, &net.DNSError{IsTimeout: true}, crawl.FailDNSUnresponsive},
		{"any DNS error", crawl.PhaseDNS, errors.New("x"), crawl.FailDNSUnresponsive},
		{"refused", crawl.PhaseConnect, call(syscall.ECONNREFUSED), crawl.FailRefused},
		{"kernel timeout", crawl.PhaseConnect, call(syscall.ETIMEDOUT), crawl.FailConnectTimeout},
		{"our timeout", crawl.PhaseConnect, context.DeadlineExceeded, crawl.FailConnectTimeout},
		{"no route", crawl.PhaseConnect, call(syscall.EHOSTUNREACH), crawl.FailUnreachable},
		{"no network", crawl.PhaseConnect, call(syscall.ENETUNREACH), crawl.FailUnreachable},
		{"firewall of our own", crawl.PhaseConnect, call(syscall.EPERM), crawl.FailUnreachable},
		{"reset", crawl.PhaseConnect, call(syscall.ECONNRESET), crawl.FailReset},
		{"out of files", crawl.PhaseConnect, call(syscall.EMFILE), crawl.FailOther},
		{"TLS closed", crawl.PhaseTLS, io.EOF, crawl.FailReset},
		{"TLS reset", crawl.PhaseTLS, call(syscall.ECONNRESET), crawl.FailReset},
		{"TLS stalled", crawl.PhaseTLS, os.ErrDeadlineExceeded, crawl.FailTLS},
		{"TLS alert", crawl.PhaseTLS, errors.New("remote error: tls: handshake failure"), crawl.FailTLS},
		{"a phase without rules", crawl.PhaseBody, io.EOF, crawl.FailOther},
	} {
		t.Run(c.name, func(t *testing.T) {
			class, say := Connecting().Find(c.err, c.phase)
			if class != c.want || !strings.HasSuffix(say, Clip(c.err.Error())) {
				t.Errorf("%v, %q; want %v", class, say, c.want)
			}
		})
	}
}

// The first rule of the phase decides, not the first that matches.
func TestB7Precedence(t *testing.T) {
	table := Table{
		{crawl.PhaseBody, Anything, crawl.FailReset, "other phase"},
		{crawl.PhaseHeaders, Says("x"), crawl.FailUnparseable, "first"},
		{crawl.PhaseHeaders, Anything, crawl.FailOther, "second"},
	}
	if class, say := table.Find(errors.New("a x b"), crawl.PhaseHeaders); class != crawl.FailUnparseable || say != "first: a x b" {
		t.Errorf("%v, %q", class, say)
	}
	if class, _ := table.Find(errors.New("y"), crawl.PhaseHeaders); class != crawl.FailOther {
		t.Errorf("%v", class)
	}
}

func TestClip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		got := Clip(s)
		if len(got) > 3*300+len("…") || !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Fatalf("%q", got)
		}
	})
	if got := Clip(strings.Repeat("x", 301)); got != strings.Repeat("x", 300)+"…" {
		t.Errorf("%q", got)
	}
}
