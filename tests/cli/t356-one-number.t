#!/bin/sh
# t356-one-number.t - random windows of random stores have one number everywhere; see one_number.py
# SPDX-License-Identifier: Apache-2.0
# CPA_ONE_NUMBER=QUESTIONS asks more, and CPA_ONE_NUMBER_SEED=N begins with that seed: script/soak numbers
. "${top_srcdir:?}/tests/cli/lib.sh"

"${PYTHON3:-python3}" "$top_srcdir/tests/cli/one_number.py" "$CPA" "$tmp" "${CPA_ONE_NUMBER_SEED:-1}" \
	"${CPA_ONE_NUMBER:-300}" >"$tmp/out" 2>&1
status=$?
note "$tmp/out"
result $status "top, peek, folded, flame, series, trend, diff, the page and a collector have one number"
done_testing
