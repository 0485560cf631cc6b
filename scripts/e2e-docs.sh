#!/usr/bin/env bash
# End to end, on real pages: three documentation packages served by nginx are
# crawled, and nginx's access logs say what was asked for.
#
#   1. trawl reaches the same URLs as wget2 does by its own recursion, but for
#      the differences explained in testdata/e2e/differences.txt.
#   2. Killed with SIGKILL at ten random moments and resumed each time, trawl
#      reaches the same URLs again, none of them more than MAX_FETCHES times, and
#      its archive holds them.
#
#   scripts/e2e-docs.sh [--port N] [--seed N] [--keep]
#
# The random moments come from the seed, which is printed. --keep leaves logs and
# data for a look. Skipped with a message when nginx or wget2 is missing, unless
# TRAWL_REQUIRE_PEERS=1. Exit codes: 0 all held (or skipped), 1 something did not.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/debian-packages.sh

port=8090 seed=$RANDOM keep= kills=10
MAX_FETCHES=5
while [ $# -gt 0 ]; do
  case "$1" in
    --port) port=${2:?--port needs a number}; shift ;;
    --seed) seed=${2:?--seed needs a number}; shift ;;
    --keep) keep=1 ;;
    *) echo "e2e: unknown argument $1" >&2; exit 2 ;;
  esac
  shift
done
if ! { need wget2=wget2 && scripts/serve-docs.sh --check; }; then
  [ "${TRAWL_REQUIRE_PEERS:-}" != 1 ] || exit 1
  echo "e2e: SKIPPED: what is named above is missing"
  exit 0
fi
make --no-print-directory build

work=$(mktemp -d "${TMPDIR:-/tmp}/trawl-e2e.XXXXXX")
crawler=
cleanup() {
  [ -z "$crawler" ] || kill -9 "$crawler" 2>/dev/null || true
  for d in "$work"/serve-*; do scripts/serve-docs.sh --stop --dir "$d" || true; done
  if [ -n "$keep" ]; then echo "e2e: kept $work"; else rm -rf "$work"; fi
}
trap cleanup EXIT
fail() { echo "e2e: FAIL: $*" >&2; exit 1; }

serve() { # NAME: starts nginx with fresh logs, sets urls
  mapfile -t urls < <(scripts/serve-docs.sh --port "$port" --dir "$work/serve-$1" 2>"$work/nginx-$1.err")
  [ ${#urls[@]} -eq 3 ] || { cat "$work/nginx-$1.err" >&2; fail "nginx does not serve on port $port"; }
}

unserve() { # NAME: stops nginx, writes NAME.counts: "requests host path" (robots.txt apart)
  scripts/serve-docs.sh --stop --dir "$work/serve-$1"
  for log in "$work/serve-$1"/127.*.log; do
    cut -d'"' -f2 "$log" | cut -d' ' -f2 | sed "s/^/$(basename "$log" .log) /"
  done | grep -v ' /robots\.txt$' | sort | uniq -c | awk '{print $1, $2, $3}' >"$work/$1.counts"
  cut -d' ' -f2- "$work/$1.counts" | sort -u >"$work/$1.set"
}

crawl() { # DATA [FLAG...]: one run of trawl in the background, sets crawler
  local data=$1
  shift
  bin/trawl crawl "${urls[@]}" --own --data "$work/$data" "$@" >"$work/$data.out" 2>&1 &
  crawler=$!
}

finish() { # DATA: waits for the run, which must end well
  local code=0
  wait "$crawler" || code=$?
  crawler=
  [ "$code" -eq 0 ] || { tail -n 40 "$work/$1.out" >&2; fail "trawl crawl ended with exit code $code"; }
}

explain() { # prints each difference between wget2.set and trawl.set with its reason
  local side re n unexplained=0
  comm -23 "$work/wget2.set" "$work/trawl.set" | sed 's/^/only-wget2 /' >"$work/diff"
  comm -13 "$work/wget2.set" "$work/trawl.set" | sed 's/^/only-trawl /' >>"$work/diff"
  cp "$work/diff" "$work/left"
  while read -r side re; do
    case "$side" in only-wget2 | only-trawl) ;; *) continue ;; esac
    # The regex is for "HOST PATH", without the side.
    awk -v s="$side" '$1 == s { print $2, $3 }' "$work/diff" | grep -E -- "$re" | sed "s/^/$side /" >"$work/matched" || true
    n=$(wc -l <"$work/matched")
    echo "  $n $side: $re"
    if [ "$n" -eq 0 ]; then echo "e2e: the difference \"$side $re\" no longer exists: remove it" >&2; unexplained=1; fi
    grep -v -x -F -f "$work/matched" "$work/left" >"$work/left.next" || true
    [ "$n" -eq 0 ] || mv "$work/left.next" "$work/left"
  done <testdata/e2e/differences.txt
  if [ -s "$work/left" ]; then
    echo "e2e: unexplained differences:" >&2
    head -n 50 "$work/left" >&2
    unexplained=1
  fi
  return $unexplained
}

echo "== wget2"
serve wget2
code=0
wget2 -q -r -l inf --robots=off --delete-after --max-threads=4 -P "$work/wget2-files" "${urls[@]}" || code=$?
case $code in 0 | 8) ;; *) fail "wget2 ended with exit code $code" ;; esac # 8: a link was broken
unserve wget2

echo "== trawl"
serve trawl
crawl trawl-data
finish trawl-data
unserve trawl
echo "wget2 asked for $(wc -l <"$work/wget2.set") URLs, trawl for $(wc -l <"$work/trawl.set"); differences:"
explain || fail "the sets of URLs differ"

echo "== trawl, killed $kills times (seed $seed)"
RANDOM=$seed
serve killed
# An owner's limit makes the crawl last long enough to be hit every time.
printf 'hosts:\n' >"$work/slow.yaml"
for h in 127.0.0.2 127.0.0.3 127.0.0.4; do printf '  - {host: %s, limit: 10}\n' "$h" >>"$work/slow.yaml"; done
hit=0
for _ in $(seq $kills); do
  crawl killed-data --config "$work/slow.yaml"
  sleep "0.$(printf '%03d' $((200 + RANDOM % 700)))"
  if kill -9 "$crawler" 2>/dev/null; then hit=$((hit + 1)); fi
  wait "$crawler" 2>/dev/null || true
done
[ "$hit" -eq "$kills" ] || fail "only $hit of $kills kills hit a running crawl"
crawl killed-data
finish killed-data
unserve killed
diff "$work/trawl.set" "$work/killed.set" >"$work/killed.diff" || { head -n 50 "$work/killed.diff" >&2; fail "after kill -9 and resume the set of URLs is another"; }
most=$(awk '$1 > n { n = $1; line = $0 } END { print line }' "$work/killed.counts")
[ "${most%% *}" -le "$MAX_FETCHES" ] || fail "a URL was fetched ${most%% *} times: ${most#* }"
echo "killed $hit times while running; $(wc -l <"$work/killed.set") URLs, $(awk '{n += $1} END {print n}' "$work/killed.counts") requests, at most ${most%% *} for one URL"

# A file that was cut by the kill ends in the middle of a record: what stands
# before must be readable.
records=$(find "$work/killed-data" -name '*.warc.gz*' -exec sh -c 'for f; do gzip -dc "$f" 2>/dev/null; done' _ {} + | grep -a -c -E '^WARC-Type: (response|revisit)' || true)
[ "$records" -ge "$(wc -l <"$work/killed.set")" ] || fail "the archive holds $records responses, fewer than the URLs fetched"
echo "archive: $records responses readable"
TRAWL_ARCHIVE_DIR="$work/killed-data/warc" go test -count=1 -run TestGivenArchive -v ./internal/warc | grep -E 'files, records|^(---|FAIL|ok)' || fail "the archive does not pass the independent reader"
echo "e2e: ok"
