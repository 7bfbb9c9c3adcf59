#!/bin/sh
# t622-served-names.t - names from the server of a profile count as found
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2034 # read by lib.sh
names=yes
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/server.sh"
if ! "${PYTHON3:-python3}" "$top_srcdir/tests/symbol/make_profile.py" "$tmp/profile" '1000-9000@0=/nowhere/prog' '1001,2001*1' '3001,2001*2'; then
	echo "1..0 # SKIP no python3"
	exit 0
fi
server_start "$tmp/profile"
"$CPA" top "$host/debug/pprof/heap" >"$tmp/out" 2>"$tmp/err" 9>&-
grep -q 'function_3001$' "$tmp/out"
result $? 'functions have the names of the server' || note "$tmp/out"
grep -q '^cpa: symbolized 3 of 3 addresses in 0 of 1 binary, 3 by the server$' "$tmp/err"
result $? 'the summary counts them, and names no missing file' || note "$tmp/err"
"$CPA" symbolize -o "$tmp/named.pb.gz" "$host/debug/pprof/heap" >"$tmp/out" 2>"$tmp/err" 9>&-
status=$?
[ $status -eq 0 ] && ! grep -q 'no function names found' "$tmp/err"
result $? 'cpa symbolize succeeds with them' || note "$tmp/err"
"$CPA" top -symbolize=local "$host/debug/pprof/heap" >"$tmp/out" 2>"$tmp/err" 9>&-
grep -q '^cpa: symbolized 0 of 3 addresses in 0 of 1 binary; prog: ' "$tmp/err"
result $? 'without the server, they are missing' || note "$tmp/err"
done_testing
