#!/bin/sh
# clickhouse.t - stores in ClickHouse answer as local ones: Debian's server, alone and as two shards, and the engine of chdb-core
# SPDX-License-Identifier: Apache-2.0
#
# PROFILES of each series, QUESTIONS, PUSHES and KILLS set other numbers. CHDB_PYTHON is the interpreter that has the package chdb-core; default: python3.
. "${top_srcdir:?}/tests/cli/lib.sh"
PYTHONDONTWRITEBYTECODE=1 nice "${PYTHON3:-python3}" "$top_srcdir/tests/compat/clickhouse/compare.py" "$CPA" "$tmp" \
	"${PROFILES:-10}" "${QUESTIONS:-10}" "${KILLS:-4}" >"$tmp/out" 2>"$tmp/err"
status=$?
mkdir "$tmp/live"
PYTHONDONTWRITEBYTECODE=1 nice "${PYTHON3:-python3}" "$top_srcdir/tests/compat/clickhouse/collector.py" "$CPA" "$tmp/live" \
	"${PUSHES:-60}" "${KILLS:-4}" >>"$tmp/out" 2>>"$tmp/err" || status=1
if grep '^skip' "$tmp/out" >/dev/null; then
	echo "1..0 # SKIP $(sed -n 's/^skip //p' "$tmp/out")"
	exit 0
fi
note "$tmp/err"
grep '^#' "$tmp/out"
grep -v '^#' "$tmp/out" >"$tmp/checks"
while read -r line; do
	case $line in
	ok*) result 0 "${line#ok }" ;;
	*) result 1 "${line#not ok }" ;;
	esac
done <"$tmp/checks"
result $status 'all checks were made'
done_testing
