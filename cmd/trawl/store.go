package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/spf13/cobra"

	"trawl/internal/store"
	"trawl/internal/store/pgstore"
)

// storeFlag adds --store, for commands that work on the store of a crawl.
func storeFlag(cmd *cobra.Command, url *string) {
	cmd.Flags().StringVar(url, "store", "", "keep what is known in this database instead of the data directory: postgres://user@host/database (see 'trawl store')")
}

// openCrawl opens the store of a crawl: in its data directory, or in a database
// if a URL is given; then the directory is for the archive.
func openCrawl(ctx context.Context, path, url string, create bool, s streams) (*dataDir, error) {
	if url == "" {
		return openData(path, create, s)
	}
	if path == "" {
		return nil, usageError("--data needs the name of a directory")
	}
	if err := checkStoreURL(url); err != nil {
		return nil, err
	}
	worker, err := remoteWorker(path)
	if err != nil {
		return nil, err
	}
	st, err := pgstore.Open(ctx, url, pgstore.Options{})
	if err != nil {
		return nil, storeError(url, err)
	}
	return &dataDir{path: path, store: st, worker: worker, remote: true, where: pgstore.Name(url), streams: s}, nil
}

// holdData makes sure that one crawl uses the data directory. An embedded store
// does that itself.
func (d *dataDir) holdData() error {
	if !d.remote {
		return nil
	}
	err := os.MkdirAll(d.path, 0o755)
	if err == nil {
		d.lock, err = vfs.Default.Lock(filepath.Join(d.path, "LOCK"))
	}
	if err != nil {
		return &exitError{exitFailed, fmt.Errorf("data directory %s cannot be used, perhaps another trawl does: stop that one, or use another directory (--data): %w", d.path, err)}
	}
	return nil
}

// remoteWorker is the name under which a crawl leases the shards of a database:
// that of its data directory, so that the same crawl, run again after a crash, need
// not wait for its leases to expire, and another one does not take them.
func remoteWorker(path string) (string, error) {
	host, err := os.Hostname()
	if err != nil {
		return "", fmt.Errorf("the name of this machine: %w", err)
	}
	path, err = filepath.Abs(path)
	return host + ":" + path, err
}

func checkStoreURL(url string) error {
	scheme, _, ok := strings.Cut(url, "://")
	if !ok || scheme != "postgres" && scheme != "postgresql" {
		return usageError("--store takes the URL of a PostgreSQL database, postgres://user@host/database; a directory is given with --data")
	}
	return nil
}

// storeError says what to do about a database that cannot be used.
func storeError(url string, err error) error {
	var schema *pgstore.SchemaError
	code := exitFailed
	switch {
	case errors.As(err, &schema) && schema.Have < schema.Want:
		err = fmt.Errorf("%s: %w --store %s", pgstore.Name(url), schema, pgstore.Name(url))
		if schema.Have > 0 {
			err = fmt.Errorf("%s: %w", pgstore.Name(url), schema)
		}
	case errors.Is(err, store.ErrInvalid):
		code = exitUsage
	}
	return &exitError{code, err}
}

func newStore(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "store",
		Short: "Prepare a database that keeps what crawls know",
		Long: `By default a crawl keeps what it knows in its data directory, and nothing has to be
prepared. With --store it keeps it in a PostgreSQL database (15 or later), where several
machines reach it, and backups and replicas are those of the database. The pages
themselves still go to the data directory of the machine that fetches them.

The URL is that of PostgreSQL's own programs: postgres://user@host:5432/database, with
?sslmode=require and the like. What it leaves out comes from PGPASSWORD, ~/.pgpass,
PGHOST and so on: a password in a URL can be seen in the list of processes.`,
		Example: "  createdb crawl\n  trawl store init --store postgres://crawler@db.example.org/crawl\n  trawl crawl --store postgres://crawler@db.example.org/crawl https://www.example.org/",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError("%s has no command %q: its commands are %s", cmd.CommandPath(), args[0], subcommands(cmd))
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(newStoreInit(s), newStoreMigrate(s))
	return cmd
}

// prepared is what the commands of store print.
type prepared struct {
	Store       string   `json:"store"`
	Applied     []string `json:"applied"`
	Distributed bool     `json:"distributed"`
}

func (p *prepared) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return printJSON(w, p)
	}
	text := "the schema is up to date"
	if len(p.Applied) > 0 {
		text = "applied " + strings.Join(p.Applied, ", ")
	}
	if p.Distributed {
		text += "; distributed over the nodes of the cluster"
	}
	_, err := fmt.Fprintf(w, "%s: %s\n", p.Store, text)
	return err
}

func newStoreInit(s streams) *cobra.Command {
	var url string
	var distribute, asJSON bool
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Make a store in a database that has none",
		Long: `Init makes the tables of a store, in a schema named trawl. The database must exist, and
the user must be allowed to create in it. Done before, it brings the schema up to date.

With --distribute the tables are spread over the nodes of a Citus cluster, by the shard
of the hostname; the extension citus must be there. Do it before the first crawl.

Exit codes: 0 done; 1 failed; 2 bad usage.`,
		Example: "  trawl store init --store postgres://crawler@db.example.org/crawl\n  trawl store init --store postgres://crawler@coordinator.example.org/crawl --distribute",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := prepare(cmd.Context(), url, true)
			if err == nil && distribute {
				if err = pgstore.Distribute(cmd.Context(), url); err != nil {
					return storeError(url, err)
				}
				p.Distributed = true
			}
			if err != nil {
				return err
			}
			return p.print(s.out, asJSON)
		},
	}
	storeFlag(cmd, &url)
	cmd.Flags().BoolVar(&distribute, "distribute", false, "spread the tables over the nodes of a Citus cluster")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func newStoreMigrate(s streams) *cobra.Command {
	var url string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Bring the schema of a store up to date",
		Long: `Migrate applies the changes of the schema that came with newer versions of trawl, each
in a transaction. There is no way back: make a backup before. Stop the crawls that use
the store: an older trawl refuses a newer schema.

Exit codes: 0 done, or nothing to do; 1 failed; 2 bad usage.`,
		Example: "  trawl store migrate --store postgres://crawler@db.example.org/crawl",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := prepare(cmd.Context(), url, false)
			if err != nil {
				return err
			}
			return p.print(s.out, asJSON)
		},
	}
	storeFlag(cmd, &url)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func prepare(ctx context.Context, url string, create bool) (*prepared, error) {
	if url == "" {
		return nil, usageError("name the database with --store postgres://user@host/database")
	}
	if err := checkStoreURL(url); err != nil {
		return nil, err
	}
	done, err := pgstore.Migrate(ctx, url, create)
	if err != nil {
		return nil, storeError(url, err)
	}
	return &prepared{Store: pgstore.Name(url), Applied: append([]string{}, done...)}, nil
}
