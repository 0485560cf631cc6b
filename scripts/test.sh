#!/usr/bin/env bash
# Everything that CI runs: linters, all tests with the race detector, the
# end-to-end comparison with other programs, cross builds, the bench module.
#
#   scripts/test.sh
#
# As root on Debian it installs what is missing. Elsewhere, tests that need a
# missing program say so and are skipped; with TRAWL_REQUIRE_PEERS=1 (the
# default when CI=true) something missing is a failure instead.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/debian-packages.sh

command -v go >/dev/null 2>&1 || { echo "test: Go is needed: https://go.dev/dl/" >&2; exit 1; }
if [ "${CI:-}" = true ]; then export TRAWL_REQUIRE_PEERS="${TRAWL_REQUIRE_PEERS:-1}"; fi

need make=make gcc=gcc /usr/include/string.h=libc6-dev git=git || exit 1
if ! { need /usr/lib/postgresql=postgresql wget2=wget2 vsftpd=vsftpd nginx=nginx apache2=apache2 /usr/lib/nginx/modules/ngx_http_brotli_static_module.so=libnginx-mod-http-brotli-static && scripts/serve-docs.sh --check; }; then
  if [ "${TRAWL_REQUIRE_PEERS:-}" = 1 ]; then
    echo "test: TRAWL_REQUIRE_PEERS=1, and what is named above is missing" >&2
    exit 1
  fi
  echo "test: SKIPPING the tests that need what is named above" >&2
fi

exec make --no-print-directory lint race peers scenarios e2e cross check-bench
