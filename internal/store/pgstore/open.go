package pgstore

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"trawl/internal/store"
)

// Options of a store; zero fields take the default.
type Options struct {
	Now         func() time.Time // clock of the leases, for tests; nil = the database's
	Conns       int32            // connections at most; default 8, or pool_max_conns of the URL
	SeenEntries int              // table of recently seen (URL, client), 8 bytes each; default 1 Mi
	Patience    time.Duration    // how long a lost connection is waited for; default 30 s
}

// Store implements [store.Store] on a database.
type Store struct {
	name     string // of the database, for people: no password in it
	now      func() time.Time
	pool     *pgxpool.Pool
	patience time.Duration
	clients  *clientDict
	seen     *seenTable

	mu     sync.RWMutex
	closed bool
}

var _ store.Store = (*Store)(nil)

const (
	defaultConns    = 8
	defaultPatience = 30 * time.Second
	connectTimeout  = 10 * time.Second
	idleTransaction = "60s" // after which the server ends a transaction that its client forgot
)

// Open opens the store that [Migrate] has made in a database. The URL is that of
// libpq: postgres://user@host:port/database?sslmode=…; what it leaves out comes
// from PGHOST, PGPASSWORD, ~/.pgpass and the like. Errors: [SchemaError],
// [DatabaseError].
func Open(ctx context.Context, url string, opt Options) (*Store, error) {
	cfg, err := poolConfig(url, opt.Conns)
	if err != nil {
		return nil, err
	}
	s, err := open(ctx, cfg, opt)
	if err != nil {
		return nil, fmt.Errorf("opening the store in %s: %w", Name(url), err)
	}
	return s, nil
}

func open(ctx context.Context, cfg *pgxpool.Config, opt Options) (*Store, error) {
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, classify(err)
	}
	if opt.SeenEntries <= 0 {
		opt.SeenEntries = 1 << 20
	}
	if opt.Patience <= 0 {
		opt.Patience = defaultPatience
	}
	s := &Store{
		name: cfg.ConnConfig.Database, now: opt.Now, pool: pool,
		clients: newClientDict(), seen: newSeenTable(opt.SeenEntries),
	}
	err = s.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		if err := checkSchema(ctx, conn); err != nil {
			return err
		}
		return s.clients.load(ctx, conn)
	})
	if err != nil {
		pool.Close()
		return nil, err
	}
	s.patience = opt.Patience // whoever opens a store is told at once
	return s, nil
}

// poolConfig reads a URL. The password is in none of its errors.
func poolConfig(text string, conns int32) (*pgxpool.Config, error) {
	cfg, err := pgxpool.ParseConfig(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %s is no URL of a database: write postgres://user@host:5432/database?sslmode=require (%s)",
			store.ErrInvalid, Name(text), strings.TrimSpace(reason(err)))
	}
	switch {
	case conns > 0:
		cfg.MaxConns = conns
	case !strings.Contains(text, "pool_max_conns"):
		cfg.MaxConns = defaultConns
	}
	if cfg.ConnConfig.ConnectTimeout == 0 {
		cfg.ConnConfig.ConnectTimeout = connectTimeout
	}
	if cfg.ConnConfig.RuntimeParams["application_name"] == "" {
		cfg.ConnConfig.RuntimeParams["application_name"] = "trawl"
	}
	cfg.AfterConnect = settings
	return cfg, nil
}

// reason is what a parser says, without the URL that it quotes.
func reason(err error) string {
	var pe interface{ Unwrap() error }
	if errors.As(err, &pe) {
		if inner := pe.Unwrap(); inner != nil {
			var ue *url.Error
			if errors.As(inner, &ue) {
				return ue.Err.Error()
			}
			if !strings.Contains(inner.Error(), "://") {
				return inner.Error()
			}
		}
	}
	return "it cannot be parsed"
}

// settings prepares a connection: each statement is planned once (all of them are
// look-ups by key, whatever the parameters), and a transaction that this process
// has forgotten ends. A server that does not know a setting goes without it.
func settings(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, `SELECT set_config(e.name, e.value, false)
		FROM unnest($1::text[], $2::text[]) e(name, value) JOIN pg_settings s ON s.name = e.name`,
		[]string{"plan_cache_mode", "enable_seqscan", "jit", "idle_in_transaction_session_timeout", "default_transaction_isolation"},
		[]string{"force_generic_plan", "off", "off", idleTransaction, "read committed"})
	return err
}

// Name is a database URL for people: without password and parameters.
func Name(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" {
		return "the database"
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	u.RawQuery, u.Fragment = "", ""
	return u.String()
}

// begin starts an operation; the caller ends it with s.mu.RUnlock unless an error
// came back.
func (s *Store) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.RLock()
	if s.closed {
		s.mu.RUnlock()
		return store.ErrClosed
	}
	return nil
}

// with runs f on a connection, again as long as patience lasts if the connection
// or the race with another transaction was lost. f starts from scratch each time.
func (s *Store) with(ctx context.Context, f func(ctx context.Context, conn *pgx.Conn) error) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.mu.RUnlock()
	return retry(ctx, s.patience, func() error {
		conn, err := s.pool.Acquire(ctx)
		if err != nil {
			return err
		}
		defer conn.Release()
		return f(ctx, conn.Conn())
	})
}

// Close ends the store; a second Close does nothing. It waits for operations in
// flight.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		s.pool.Close()
	}
	return nil
}

// nanos is the time of the leases as a parameter: nil = the database's.
func (s *Store) nanos() *int64 {
	if s.now == nil {
		return nil
	}
	n := s.now().UnixNano()
	return &n
}
