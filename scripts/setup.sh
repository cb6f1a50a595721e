#!/bin/sh
# Installs what a verb of the Makefile needs and this machine lacks, with apt-get (Debian 12, Ubuntu 24.04).
# Usage: setup.sh test|clang|page|python      nothing is asked of the network if nothing is missing
set -eu

missing=""
need() { missing="$missing $1"; }
has() { command -v "$1" >/dev/null 2>&1; }
has_library() { has pkg-config && pkg-config --exists "$1"; }
has_header() { [ -n "$(find /usr/include /usr/local/include -path "*/$1" 2>/dev/null | head -n 1)" ]; }

need_test() {
  has g++ || need g++
  has cmake || need cmake
  has ninja || need ninja-build
  has pkg-config || need pkg-config
  has_library simdjson || need libsimdjson-dev
  has_library minizip || need libminizip-dev
  has_library zlib || need zlib1g-dev
  has_library lapacke || need liblapacke-dev
  has_header doctest/doctest.h || need doctest-dev
  has_header benchmark/benchmark.h || need libbenchmark-dev
  has python3 || need python3
}
need_python() {
  has python3 || need python3
  # Debian's Python makes no environments without this package.
  python3 -c 'import ensurepip, venv' >/dev/null 2>&1 || need python3-venv
}

case "${1:-}" in
  test) need_test ;;
  clang) need_test; has clang++-14 || need clang-14 ;;
  page) need_test; has chromium || has chromium-browser || has google-chrome || need chromium ;;
  python) need_python ;;
  *) echo "usage: $0 test|clang|page|python" >&2; exit 64 ;;
esac
[ -n "$missing" ] || exit 0

if ! has apt-get; then
  echo "rung needs these Debian packages, or what they are called here:$missing" >&2
  exit 1
fi
sudo=""
if [ "$(id -u)" -ne 0 ]; then
  has sudo || { echo "rung needs: apt-get install$missing (as root)" >&2; exit 1; }
  sudo=sudo
fi
echo "rung needs and installs, which may take minutes:$missing"
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get -qq update
# shellcheck disable=SC2086  # a list of words
$sudo apt-get -qq install -y --no-install-recommends $missing >/dev/null
