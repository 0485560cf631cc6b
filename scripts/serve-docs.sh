#!/usr/bin/env bash
# Serves three Debian documentation packages with nginx on three loopback hosts,
# so that there are real pages to crawl without internet.
#
#   scripts/serve-docs.sh [--port N] [--dir DIR] [--pidfile FILE]   serve in the background
#   scripts/serve-docs.sh --foreground [--port N] [--dir DIR]       serve until it is stopped
#   scripts/serve-docs.sh --stop --dir DIR | --pidfile FILE         stop it again
#   scripts/serve-docs.sh --check                                   only make sure that it could
#
# Prints the URLs of the three roots on stdout, one a line, when they answer;
# everything else goes to stderr. DIR (a temporary directory by default) gets
# nginx's configuration, its pid file, error.log and, in the combined format, one
# access log for each host (127.0.0.2.log, …). The nginx is a process of its own:
# a system's nginx and its configuration are not touched.
#
# Exit codes: 0 served; 1 nginx failed or the port is in use; 2 bad usage;
# 3 a package is missing and cannot be installed here.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/debian-packages.sh"
PATH="$PATH:/usr/sbin:/sbin"

port=8089 dir= pidfile= mode=background
while [ $# -gt 0 ]; do
  case "$1" in
    --port) port=${2:?--port needs a number}; shift ;;
    --dir) dir=${2:?--dir needs a directory}; shift ;;
    --pidfile) pidfile=${2:?--pidfile needs a file}; shift ;;
    --foreground | --stop | --check) mode=${1#--} ;;
    -h | --help) sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p}' "$0"; exit 0 ;;
    *) echo "serve-docs: unknown argument $1 (--help shows the usage)" >&2; exit 2 ;;
  esac
  shift
done
case "$port" in *[!0-9]* | "") echo "serve-docs: --port $port is not a number" >&2; exit 2 ;; esac

hosts=(127.0.0.2 127.0.0.3 127.0.0.4)
roots=(
  /usr/share/doc/python3.11/html
  /usr/share/doc/debian-handbook/html/en-US
  /usr/share/doc/postgresql-doc-15/html
)

stop() {
  local file=${pidfile:-${dir:?serve-docs: --stop needs --dir or --pidfile}/nginx.pid} pid
  [ -s "$file" ] || return 0
  pid=$(cat "$file")
  # A stale pid file must not stop a stranger.
  if grep -q '^nginx' "/proc/$pid/comm" 2>/dev/null; then
    kill "$pid" 2>/dev/null || true
    for _ in $(seq 50); do [ -e "/proc/$pid" ] || break; sleep 0.1; done
  fi
  rm -f "$file"
}
if [ "$mode" = stop ]; then stop; exit 0; fi

need nginx=nginx-light /etc/nginx/mime.types=nginx-common \
  "${roots[0]}/index.html=python3.11-doc" \
  "${roots[1]}/index.html=debian-handbook" \
  "${roots[2]}/index.html=postgresql-doc-15" || exit 3
if [ "$mode" = check ]; then exit 0; fi

for host in "${hosts[@]}"; do
  if (exec 3<>"/dev/tcp/$host/$port") 2>/dev/null; then
    echo "serve-docs: $host:$port is in use: stop what listens there, or take another port with --port" >&2
    exit 1
  fi
done

hint=
if [ -z "$dir$pidfile" ]; then hint=1; fi
[ -n "$dir" ] || dir=$(mktemp -d "${TMPDIR:-/tmp}/trawl-docs.XXXXXX")
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
pid="${pidfile:-$dir/nginx.pid}"
case "$pid" in /*) ;; *) pid="$PWD/$pid" ;; esac

# Directory names in nginx.conf are quoted: a checkout may lie in "My Files".
{
  [ "$(id -u)" -ne 0 ] || echo "user www-data;"
  cat <<CONF
worker_processes 1;
pid "$pid";
error_log "$dir/error.log" warn;
events { worker_connections 4096; }
http {
  include /etc/nginx/mime.types;
  default_type application/octet-stream;
  client_body_temp_path "$dir/tmp-body";
  proxy_temp_path "$dir/tmp-proxy";
  fastcgi_temp_path "$dir/tmp-fastcgi";
  uwsgi_temp_path "$dir/tmp-uwsgi";
  scgi_temp_path "$dir/tmp-scgi";
  sendfile on;
  tcp_nodelay on;
  keepalive_requests 100000;
  gzip on;
  gzip_types text/plain text/css text/javascript application/javascript application/json application/xml image/svg+xml;
  server_tokens off;
  disable_symlinks off; # the packages link to shared scripts
CONF
  for i in "${!hosts[@]}"; do
    cat <<CONF
  server {
    listen ${hosts[i]}:$port;
    server_name ${hosts[i]};
    root "${roots[i]}";
    index index.html;
    access_log "$dir/${hosts[i]}.log" combined;
  }
CONF
  done
  echo "}"
} >"$dir/nginx.conf"

urls() { for host in "${hosts[@]}"; do echo "http://$host:$port/"; done; }
if [ "$mode" = foreground ]; then
  urls
  exec nginx -p "$dir" -c "$dir/nginx.conf" -e "$dir/error.log" -g 'daemon off;'
fi
if ! nginx -p "$dir" -c "$dir/nginx.conf" -e "$dir/error.log" >&2; then
  echo "serve-docs: nginx does not start; its messages are above and in $dir/error.log" >&2
  exit 1
fi
[ -z "$hint" ] || echo "serve-docs: serving; stop it with: $0 --stop --pidfile $pid" >&2
urls
