package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"trawl/internal/store/pgstore/pgtest"
)

// postgres is a server for scripts, started when the first one wants it.
type postgres struct {
	once   sync.Once
	server *pgtest.Server
	err    error
}

func (p *postgres) start() (*pgtest.Server, error) {
	p.once.Do(func() {
		p.server, p.err = pgtest.Start(true)
	})
	return p.server, p.err
}

func (p *postgres) stop(t *testing.T) {
	if p.server == nil {
		return
	}
	if err := p.server.Stop(); err != nil {
		t.Error(err)
	}
}

// condition is [postgres]: a server can be run here. Where peers are required it
// is true in any case, so that the script fails.
func (p *postgres) condition() (bool, error) {
	_, err := p.start()
	if errors.Is(err, pgtest.ErrMissing) && os.Getenv("TRAWL_REQUIRE_PEERS") != "1" {
		return false, nil
	}
	return err == nil, err
}

// database makes an empty database: database NAME; its URL is $NAME_STORE.
func (p *postgres) database(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 1, "database NAME")
	s, err := p.start()
	ts.Check(err)
	url, err := s.Database(context.Background())
	ts.Check(err)
	ts.Setenv(strings.ToUpper(args[0])+"_STORE", url)
}
