#!/bin/sh
# web.t - cpa -http gives the responses of pprof -http, for every test profile and every parameter
# SPDX-License-Identifier: Apache-2.0
#
# Compares with google/pprof (PPROF_ITSELF names the program) and with the pprof of Go, whichever is installed.
PATH=$PATH:/usr/local/go/bin
go_pprof=$(go tool pprof -h >/dev/null 2>&1; go tool -n pprof 2>/dev/null)
cpa_itself=$CPA
. "${top_srcdir:?}/tests/cli/lib.sh"

itself=${PPROF_ITSELF:-$(command -v pprof)}
if [ ! -x "$itself" ] && [ ! -x "$go_pprof" ]; then
	echo '1..0 # SKIP no pprof, so the web UI is not compared with it; install Go to do so'
	exit 0
fi
export HOME=/nonexistent PPROF_BINARY_PATH=/nonexistent PPROF_TMPDIR="$tmp"
for pprof in "$itself" "$go_pprof"; do
	[ -x "$pprof" ] || continue
	name=web
	[ "$pprof" != "$go_pprof" ] || name=go
	"${PYTHON3:-python3}" -B "$top_srcdir/tests/compat/web.py" live "$pprof" "$cpa_itself" $name "$count" >"$tmp/out" ||
		echo 'Bail out! web.py ended early'
	cat "$tmp/out"
	count=$((count + $(grep -c '^ok \|^not ok ' "$tmp/out")))
done
done_testing
