package pgstore

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"trawl/internal/crawl"
	"trawl/internal/store"
	"trawl/internal/store/pgstore/pgtest"
)

// TestL1StatementsNameTheirShard: whatever touches a table that is spread over
// nodes says which shard it means, in every place where the table stands.
func TestL1StatementsNameTheirShard(t *testing.T) {
	bound := map[reach]string{
		oneShard:   `\bshard = \$1|VALUES \(\$1|SELECT \$1,`,
		manyShards: `\bshard = any\(\$\d(::int2\[\])?\)|\bshard = e\.shard|\bshard >= \$1|\bshard BETWEEN \$1 AND \$2`,
	}
	for _, s := range statements() {
		if !strings.HasPrefix(s.sql, "/* "+s.name+" */\n") {
			t.Errorf("%s does not say its name", s.name)
		}
		spreadTables, found := 0, 0
		for _, x := range spreads() {
			n := len(regexp.MustCompile(`trawl\.`+x.table+`\b`).FindAllString(s.sql, -1))
			if !x.reference {
				spreadTables += n
			}
		}
		if s.reach == everywhere {
			if spreadTables > 0 {
				t.Errorf("%s touches a table that is spread, and names no shard", s.name)
			}
			continue
		}
		found = len(regexp.MustCompile(bound[s.reach]).FindAllString(s.sql, -1))
		if found < spreadTables {
			t.Errorf("%s names its shard %d times, and touches spread tables %d times:\n%s", s.name, found, spreadTables, s.sql)
		}
	}
}

// TestStatementsAreListed: no SQL of this package is outside of the list, but for
// the schema's own and the settings of a connection.
func TestStatementsAreListed(t *testing.T) {
	listed := map[string]bool{}
	for _, s := range statements() {
		listed[s.name] = true
	}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range files {
		name := f.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || name == "migrate.go" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			lit, ok := node.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING || !strings.Contains(lit.Value, "trawl.") || !regexp.MustCompile(`\b(SELECT|INSERT|UPDATE|DELETE)\b`).MatchString(lit.Value) {
				return true
			}
			m := regexp.MustCompile(`/\* (\w+) \*/`).FindStringSubmatch(lit.Value)
			if name != "statements.go" || m == nil || !listed[m[1]] {
				t.Errorf("%s has SQL that is not in the list: %s", name, lit.Value)
			}
			n++
			return true
		})
	}
	if n < len(listed) {
		t.Errorf("%d texts found, %d are listed", n, len(listed))
	}
}

// TestL1PlansUseIndexes: on tables with some thousand rows the planner, as it
// comes, reads none of them from end to end.
func TestL1PlansUseIndexes(t *testing.T) {
	server := pgtest.Needed(t, false)
	url, err := server.Database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Migrate(t.Context(), url, true); err != nil {
		t.Fatal(err)
	}
	fill(t, url)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	exec := func(sql string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	exec("VACUUM ANALYZE")
	exec("SET plan_cache_mode = force_generic_plan")
	big := regexp.MustCompile(`Seq Scan on (host|url|queue|page|robots|stat|doc)\b`)
	control := statement{"control", everywhere, "SELECT count(record) FROM trawl.url"}
	for _, s := range append(statements(), control) {
		exec("PREPARE " + s.name + " AS " + s.sql)
		nulls := make([]string, parameters(s.sql))
		for i := range nulls {
			nulls[i] = "NULL"
		}
		call := "EXPLAIN EXECUTE " + s.name
		if len(nulls) > 0 {
			call += "(" + strings.Join(nulls, ", ") + ")"
		}
		rows, err := conn.Query(t.Context(), call, pgx.QueryExecModeSimpleProtocol)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if text := strings.Join(plan, "\n"); big.MatchString(text) != (s.name == control.name) {
			t.Errorf("%s reads a big table from end to end:\n%s", s.name, text)
		}
	}
}

// parameters is the highest number of a parameter in a statement.
func parameters(sql string) int {
	most := 0
	for _, m := range regexp.MustCompile(`\$(\d+)`).FindAllStringSubmatch(sql, -1) {
		if n, err := strconv.Atoi(m[1]); err == nil {
			most = max(most, n)
		}
	}
	return most
}

// fill commits URLs of some hundred hostnames.
func fill(t *testing.T, url string) {
	t.Helper()
	s, err := Open(t.Context(), url, Options{})
	if err != nil {
		t.Fatal(err)
	}
	shards := make([]crawl.Shard, crawl.Shards)
	for i := range shards {
		shards[i] = crawl.Shard(i)
	}
	leases, err := s.Acquire(t.Context(), "w", shards, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1790000000, 0)
	var batch []*crawl.Outcome
	for h := range 400 {
		host := crawl.Host(fmt.Sprintf("h%d.example", h))
		root := crawl.URL("http://" + host + "/")
		for i := range 5 {
			u := root + crawl.URL(fmt.Sprint("page-", i))
			o := &crawl.Outcome{
				URL: u, Visit: &crawl.Visit{Client: "c", LastCrawl: now, Due: now, Crawls: 1}, Links: []uint32{1, 2, 3},
				Index: &crawl.IndexChange{At: now}, Document: &crawl.Document{URL: u}, Robots: []crawl.RobotsRecord{{Origin: root.Origin()}},
				Host: &crawl.HostRecord{Host: host, Due: now}, Events: []crawl.Event{{Host: host, At: now.AddDate(0, 0, i), Client: "c"}},
			}
			for j := range 8 {
				o.Discovered = append(o.Discovered, crawl.Discovery{URL: u + crawl.URL(fmt.Sprint("/", j)), Client: "c", At: now, Due: now.Add(time.Duration(j))})
			}
			batch = append(batch, o)
		}
		if len(batch) < 100 {
			continue
		}
		if _, err := s.Commit(t.Context(), leases, batch); err != nil {
			t.Fatal(err)
		}
		batch = nil
	}
	var known int
	for _, err := range s.URLs(t.Context(), store.URLFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		known++
	}
	if known != 400*45 {
		t.Fatalf("%d URLs are known, %d were committed", known, 400*45)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
