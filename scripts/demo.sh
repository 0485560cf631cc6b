#!/usr/bin/env bash
# Crawls real pages without internet: three documentation packages of Debian,
# served by an nginx of its own on three loopback hosts, in one run of trawl.
#
#   scripts/demo.sh [--fresh] [--port N] [-- FLAGS OF trawl crawl …]
#
# Installs what is missing (nginx-light and the documentation packages) when run
# as root on Debian. The crawl's data stays in demo-data/: a second run goes on
# where the first stopped; --fresh starts again from nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/debian-packages.sh

port=8089 fresh= data=demo-data
while [ $# -gt 0 ]; do
  case "$1" in
    --fresh) fresh=1 ;;
    --port) port=${2:?--port needs a number}; shift ;;
    --) shift; break ;;
    -h | --help) sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p}' "$0"; exit 0 ;;
    *) echo "demo: unknown argument $1 (--help shows the usage)" >&2; exit 2 ;;
  esac
  shift
done
command -v go >/dev/null 2>&1 || { echo "demo: Go is needed: https://go.dev/dl/" >&2; exit 1; }
need make=make git=git || exit 1
make --no-print-directory build

serving=$(mktemp -d "${TMPDIR:-/tmp}/trawl-demo.XXXXXX")
cleanup() { scripts/serve-docs.sh --stop --dir "$serving" || true; rm -rf "$serving"; }
trap cleanup EXIT
# The crawl stops gracefully by itself on ^C; the shell waits for it.
trap : INT TERM

mapfile -t urls < <(scripts/serve-docs.sh --port "$port" --dir "$serving" || echo failed)
case "${urls[*]}" in *failed*) exit 1 ;; esac
[ -z "$fresh" ] || rm -rf "$data"

echo "Crawling ${urls[*]}"
code=0
bin/trawl crawl "${urls[@]}" --own --data "$data" "$@" || code=$?
echo
echo "Requests that nginx saw, by host:"
for log in "$serving"/127.*.log; do
  printf '  %-11s %6d requests, %6d different URLs\n' "$(basename "$log" .log)" "$(wc -l <"$log")" "$(cut -d'"' -f2 "$log" | sort -u | wc -l)"
done
echo "Look further:  bin/trawl stats --data $data"
exit "$code"
