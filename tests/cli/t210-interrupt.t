#!/bin/sh
# t210-interrupt.t - while servers collect: what a terminal shows, and Ctrl-C
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/server.sh"
server_start "$TESTDATA/go-cpu.pb.gz"
"$CPA" top -nodecount=7 go-cpu.pb.gz >"$tmp/want"
terminal() { # WORD|WORD ARG...: run cpa on a terminal, press Ctrl-C each time it has shown the next WORD
	word=$1
	shift
	TERM=xterm "${PYTHON3:-python3}" "$top_srcdir/tests/cli/terminal.py" "$word" "$CPA" "$@" >"$tmp/got" 2>"$tmp/err" 9>&-
	status=$?
}

terminal '9 s left' top -seconds=10 -nodecount=7 "$host/ok" "$host/hang"
cmp -s "$tmp/want" "$tmp/got" && [ "$status" -eq 2 ] && grep -q "$host/hang: .*: interrupted" "$tmp/err" &&
	grep -q 'Fetched 1 source profiles out of 2' "$tmp/err"
result $? "Ctrl-C keeps what has arrived, tells what has not, and status is 2" || note "$tmp/err"
grep -q 'fetching 1 profile: 9 s left' "$tmp/err"
result $? "a terminal is told how long it takes" || note "$tmp/err"
rm -rf "$saved"
terminal 'fetching 1 profile ' top "$host/hang"
[ ! -s "$tmp/got" ] && [ "$status" -eq 2 ] && grep -q "$host/hang: .*: interrupted" "$tmp/err" && [ ! -e "$saved" ]
result $? "Ctrl-C before anything has arrived ends with status 2" || note "$tmp/err"
mkfifo "$tmp/never" # nobody writes to it, so reading goes on for ever
terminal 'fetching |going on with' top "$host/hang" "$tmp/never"
[ ! -s "$tmp/got" ] && [ "$status" -eq 130 ]
result $? "a second Ctrl-C ends it at once" || note "$tmp/err"
"$CPA" top "$host/ok" 2>&1 >/dev/null | grep -q fetching
[ $? -eq 1 ]
result $? "what is no terminal is not told"
done_testing
