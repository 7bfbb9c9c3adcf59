#!/bin/sh
# store.t - sums of windows of a store, and its single profiles, equal those of pprof
# SPDX-License-Identifier: Apache-2.0
#
# 900 successive CPU profiles, and 90 of each other kind, are made when the test runs, which takes half a minute.
. "${top_srcdir:?}/tests/compat/pprof.sh"
GO111MODULE=off go build -o "$tmp/series" "$top_srcdir/tests/compat/store/main.go" 2>"$tmp/go" || {
	note "$tmp/go"
	echo "1..0 # SKIP the program could not be built"
	exit 0
}
mkdir "$tmp/profiles"
"$tmp/series" "$tmp/profiles" 900 90 2>"$tmp/err" || {
	note "$tmp/err"
	exit 1
}
PPROF=$pprof TMPDIR=$tmp CPA_STORE=$tmp/store PYTHONDONTWRITEBYTECODE=1
export PPROF TMPDIR CPA_STORE PYTHONDONTWRITEBYTECODE
"${PYTHON3:-python3}" "$top_srcdir/tests/compat/store/compare.py" "$tmp/profiles" >"$tmp/out" 2>"$tmp/err"
result $? "windows of a store, and its profiles"
grep -v '^ok' "$tmp/out" >"$tmp/problems"
note "$tmp/problems"
note "$tmp/err"
n=$(grep -c '^ok' "$tmp/out")
[ "$n" -ge 60 ]
result $? "$n comparisons with pprof"
done_testing
