#!/bin/sh
# t800-http-bad.t - the server of /debug/pprof refuses invalid requests as Go's net/http does
# SPDX-License-Identifier: Apache-2.0
: "${top_srcdir:?}" "${top_builddir:?}" "${PYTHON3:?}"
GOCACHE=${GOCACHE:-$(go env GOCACHE 2>/dev/null)}
export GOCACHE
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
port="" pid=""
if GO111MODULE=off go build -o "$tmp/oracle" "$top_srcdir/tests/runtime/http_oracle.go" 2>"$tmp/log"; then
	mkfifo "$tmp/in"
	"$tmp/oracle" <"$tmp/in" >"$tmp/port" &
	pid=$!
	exec 3>"$tmp/in" # it ends with this
	for _ in $(seq 100); do
		port=$(cat "$tmp/port")
		[ -z "$port" ] || break
		sleep 0.1
	done
else
	echo "# without Go, answers are compared with recorded ones"
fi
# shellcheck disable=SC2086 # none, or one
"$PYTHON3" "$top_srcdir/tests/runtime/http_client.py" bad "$top_builddir/tests/runtime/http_server" $port 3>&-
exec 3>&-
[ -z "$pid" ] || wait "$pid"
