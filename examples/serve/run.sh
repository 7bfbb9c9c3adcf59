#!/bin/sh
# run.sh - start a server, and request its profiles: CPU time by tenant, a leak, a lock
# SPDX-License-Identifier: Apache-2.0
#
# usage: examples/serve/run.sh [SECONDS]
#
# Needs an installed cpa. From a build tree: PATH=BUILD/src:$PATH TOP_BUILDDIR=BUILD examples/serve/run.sh
set -e
here=$(cd "$(dirname "$0")" && pwd)
seconds=${1:-3}
out=$(mktemp -d)
server=
trap 'kill $server 2>/dev/null || :; rm -rf "$out"' EXIT
trap 'exit 1' INT TERM
if [ "${TOP_BUILDDIR:-}" ]; then
	library=$TOP_BUILDDIR/src/libcpaprof
	set -- "CPPFLAGS=-I$here/../../src/libcpaprof/api" "LDLIBS=-L$library -lcpaprof -Wl,-rpath,$library -pthread"
	ls "$library/libcpaprof.so.1" >/dev/null
else
	set --
fi
cp "$here"/*.c "$here"/*.cc "$here/Makefile" "$out"
make -s -C "$out" "$@" shop

"$out/shop" 127.0.0.1:0 >"$out/address" &
server=$!
until [ -s "$out/address" ]; do
	kill -0 $server
	sleep 0.1
done
url=$(cat "$out/address")/debug/pprof
show() {
	echo "\$ cpa $*"
	cpa "$@" 2>/dev/null
	echo
}
show tags -tagshow=tenant "$url/profile?seconds=$seconds"
show top -nodecount=3 "$url/heap?seconds=$seconds"
show top -cum -nodecount=6 "$url/mutex"
