#!/bin/sh
# t389-store-kill.t - processes that write a store are killed at random moments, and lose nothing that they acknowledged
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

mkdir -m 700 "$tmp/kills"
"${PYTHON3:-python3}" -B "$top_srcdir/tests/cli/store_kills.py" "$CPA" "$tmp/kills" 40 >"$tmp/out" 2>&1
status=$?
note "$tmp/out"
result $status 'forty kills lose nothing'

done_testing
