package pgstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"trawl/internal/store"
)

// DatabaseError is a failure of the database, with what to do about it.
type DatabaseError struct {
	Advice string
	Class  error // of package store, nil = none of them
	Cause  error
}

func (e *DatabaseError) Error() string { return fmt.Sprintf("%v: %s", e.Cause, e.Advice) }

// Unwrap gives the class of package store and what the driver said.
func (e *DatabaseError) Unwrap() []error {
	if e.Class == nil {
		return []error{e.Cause}
	}
	return []error{e.Class, e.Cause}
}

// errConflict: another transaction was first. What it wrote is read the next time.
var errConflict = errors.New("another transaction was first")

// noSpace is of both classes, as the contract has it.
type noSpace struct{}

func (noSpace) Error() string   { return store.ErrNoSpace.Error() }
func (noSpace) Unwrap() []error { return []error{store.ErrNoSpace, store.ErrWriteFailed} }

// advice says what to do, by SQLSTATE or its class (two characters).
func advice(state string) (string, error) {
	switch state {
	case "53100":
		return "the disk of the database is full: free some space there, then go on", noSpace{}
	case "53300":
		return "the database takes no more connections: raise its max_connections, or lower pool_max_conns in the URL", nil
	case "25006":
		return "the database only reads: name the primary server, not a replica", store.ErrWriteFailed
	case "3D000":
		return "create the database first: createdb NAME, as a user who may", nil
	case "42501":
		return "the user has no right to do this: grant it the schema trawl, or use the user who made it", nil
	case "3F000", "42P01":
		return "there is no store in this database: run 'trawl store init' first", nil
	}
	switch state[:min(len(state), 2)] {
	case "28":
		return "check user and password (PGPASSWORD, ~/.pgpass), and pg_hba.conf of the server", nil
	case "53":
		return "the database lacks memory or disk: see its log", store.ErrWriteFailed
	case "57", "58", "XX":
		return "see the log of the database", store.ErrWriteFailed
	}
	return "", nil
}

// classify turns what the driver says into an error for callers.
func classify(err error) error {
	var own *DatabaseError
	if err == nil || errors.As(err, &own) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) && !lost(err) {
		return err
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		if text, class := advice(pg.Code); text != "" {
			return &DatabaseError{Advice: text, Class: class, Cause: err}
		}
		return err
	}
	if lost(err) {
		return &DatabaseError{
			Advice: "the database does not answer: check that it runs and that host and port are right; nothing that was committed is lost",
			Class:  store.ErrWriteFailed, Cause: err,
		}
	}
	return err
}

// lost reports whether the connection failed, or could not be made for now.
func lost(err error) bool {
	var connect *pgconn.ConnectError
	var network net.Error
	var pg *pgconn.PgError
	switch {
	case errors.As(err, &pg):
		return strings.HasPrefix(pg.Code, "08") || pg.Code == "57P01" || pg.Code == "57P02" || pg.Code == "57P03" || pg.Code == "25P03"
	case errors.As(err, &connect), errors.As(err, &network), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed):
		return true
	}
	return pgconn.SafeToRetry(err) || strings.Contains(err.Error(), "conn closed")
}

// again reports whether the same work may succeed at the next try: a race that
// was lost (40001, 40P01, 55P03, or a row that another made), or a lost
// connection.
func again(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch pg.Code {
		case "40001", "40P01", "55P03":
			return true
		}
	}
	return errors.Is(err, errConflict) || lost(err)
}

// retry calls f until it succeeds, fails for good, or patience is over. Between
// calls it waits, longer each time and by chance, so that transactions that met
// do not meet again.
func retry(ctx context.Context, patience time.Duration, f func() error) error {
	const first, most = 2 * time.Millisecond, time.Second
	deadline := time.Now().Add(patience)
	for wait := first; ; wait = min(2*wait, most) {
		err := f()
		if err == nil || ctx.Err() != nil || !again(err) {
			return classify(err)
		}
		pause := wait/2 + rand.N(wait)
		if time.Now().Add(pause).After(deadline) {
			return classify(err)
		}
		t := time.NewTimer(pause)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return errors.Join(ctx.Err(), classify(err))
		}
	}
}
