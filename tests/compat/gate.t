#!/bin/sh
# gate.t - the example of the gate: a C program under gperftools, one function made slower
# SPDX-License-Identifier: Apache-2.0
names=yes # lib.sh: look for names
. "${top_srcdir:?}/tests/cli/lib.sh"

judged() { # STATUS NAME: a result of samples, which script/rerun-measured repeats when nothing else runs
	[ "$1" -eq 0 ] || echo "# measured: profiles of a real program"
	result "$1" "$2"
}

CPA=$CPA "$top_srcdir/examples/gate/run.sh" "$tmp/gate" >"$tmp/said" 2>"$tmp/err"
status=$?
[ $status -ne 77 ] || { echo "1..0 # SKIP $(cat "$tmp/err")" && exit 0; }
[ $status -eq 0 ] || note "$tmp/err"
judged $status "the gates of the example have the expected results"
note "$tmp/said"

sed '1,/^== base against slow/d' "$tmp/said" >"$tmp/slow"
grep -m1 '^FAIL' "$tmp/slow" | grep -q 'price\|look_up'
judged $? "the first row is the slower function"
grep -A1 '^FAIL' "$tmp/slow" | grep -q 'orders\.c:[0-9]'
judged $? "the slower function has file and line"
! grep '^FAIL  *[+-]' "$tmp/slow" | grep -v 'price\|look_up'
judged $? "no other function fails"
done_testing
