# Sourced by the other scripts: makes Debian packages present.
#
#   need COMMAND-OR-PATH=PACKAGE ...
#
# installs with apt-get each PACKAGE whose COMMAND (or absolute PATH) is
# missing. Returns 1, after saying on stderr what to install by hand, when that
# is impossible: no root, no apt-get, no package archive.

_missing() {
  local pair
  for pair in "$@"; do
    case "${pair%%=*}" in
      /*) [ -e "${pair%%=*}" ] || echo "${pair#*=}" ;;
      *) PATH="$PATH:/usr/sbin:/sbin" command -v "${pair%%=*}" >/dev/null 2>&1 || echo "${pair#*=}" ;;
    esac
  done | sort -u
}

need() {
  local packages
  packages=$(_missing "$@" | tr '\n' ' ')
  [ -n "${packages// /}" ] || return 0
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "missing: $packages(as root on Debian: apt-get install --no-install-recommends $packages)" >&2
    return 1
  fi
  echo "installing: $packages" >&2
  # The list may be older than the archive: update only when it has to be.
  # policy-rc.d keeps a newly installed nginx from starting as a service.
  local guard=/usr/sbin/policy-rc.d made=
  if [ ! -e "$guard" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$guard" && chmod +x "$guard" && made=1
  fi
  local ok=0
  # shellcheck disable=SC2086
  _apt_install $packages || { apt-get update -qq >&2 && _apt_install $packages; } || ok=1
  if [ "$ok" -eq 0 ] && [ -n "$(_missing "$@")" ]; then
    # Installed before, but without its documentation.
    # shellcheck disable=SC2086
    _apt_install --reinstall $packages || ok=1
  fi
  [ -z "$made" ] || rm -f "$guard"
  if [ "$ok" -ne 0 ] || [ -n "$(_missing "$@")" ]; then
    echo "could not install: $packages(see apt-get's messages above)" >&2
    return 1
  fi
}

_apt_install() {
  # Documentation is what we want to crawl: undo a dpkg setting, usual in
  # container images, that leaves it out.
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    -o 'DPkg::Options::=--path-include=/usr/share/doc/*' "$@" >&2
}
