#!/bin/sh
# t210-interrupt.t - progress on a terminal and Ctrl-C while servers collect
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/server.sh"
server_start "$TESTDATA/go-cpu.pb.gz"
"$CPA" top -nodecount=7 go-cpu.pb.gz >"$tmp/want"
terminal() { # WORD|WORD ARG...: runs cpa on a terminal and presses Ctrl-C each time it has printed the next WORD
	word=$1
	shift
	TERM=xterm "${PYTHON3:-python3}" "$top_srcdir/tests/cli/terminal.py" "$word" "$CPA" "$@" >"$tmp/got" 2>"$tmp/err" 9>&-
	status=$?
}

terminal '9 s left' top -seconds=10 -nodecount=7 "$host/ok" "$host/hang"
cmp -s "$tmp/want" "$tmp/got" && [ "$status" -eq 2 ] && grep -q "$host/hang[^ ]*: interrupted" "$tmp/err" &&
	grep -q 'Fetched 1 source profiles out of 2' "$tmp/err"
result $? "after Ctrl-C the profiles received are used, the others are reported, and the status is 2" || note "$tmp/err"
grep -q 'fetching 1 profile: 9 s left' "$tmp/err"
result $? "a terminal shows the remaining time" || note "$tmp/err"
rm -rf "$saved"
terminal 'fetching 1 profile ' top "$host/hang"
[ ! -s "$tmp/got" ] && [ "$status" -eq 2 ] && grep -q "$host/hang[^ ]*: interrupted" "$tmp/err" && [ ! -e "$saved" ]
result $? "Ctrl-C before any profile is received exits with status 2" || note "$tmp/err"
mkfifo "$tmp/never" # it has no writer, so that reading it never ends
terminal 'fetching |continuing with' top "$host/hang" "$tmp/never"
[ ! -s "$tmp/got" ] && [ "$status" -eq 130 ]
result $? "a second Ctrl-C ends cpa immediately" || note "$tmp/err"
"$CPA" top "$host/ok" 2>&1 >/dev/null | grep -q fetching
[ $? -eq 1 ]
result $? "progress is not printed unless standard error is a terminal"
done_testing
