#!/bin/sh
# t855-endpoint-web.t - the web UI captures profiles of a program started by cpa run
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
. "$top_srcdir/tests/runtime/endpoint.sh"
. "$top_srcdir/tests/cli/page.sh"
trap 'page_stop; cleanup' EXIT
compile serves -Wall

capture() { # FORM: starts a capture and waits until it has ended; writes its state to $tmp/answer
	number=$(curl -s -m 60 -d "token=$token&server=0&$1" "$url/ui/do/capture" | sed -n 's/.*capture=\([0-9]*\)".*/\1/p')
	while curl -s -m 60 "$url/ui/progress?capture=$number" >"$tmp/answer" && grep -q '"running"' "$tmp/answer"; do
		sleep 0.1
	done
	shown=$(sed -n 's/.*"location": "[^"]*\(prof=[0-9a-f]*\)".*/\1/p' "$tmp/answer")
}

serve_ready --enable-profiling -- ./serves 600 1 0
page_start "$base/debug/pprof/heap"
page top "*/*" # waits until the profile is loaded
page capture
token=$(sed -n 's/.*name="token" content="\([^"]*\)".*/\1/p' "$tmp/page")
page top
[ "$status" = 200 ] && has keeper
ok $? 'the heap profile of the command line is shown'
capture 'kind=profile&seconds=1&hz=200'
page "top?$shown"
[ "$status" = 200 ] && has burner
ok $? 'a CPU profile is captured'
first=$shown
capture 'kind=profile&seconds=1'
grep -q "diff?base=${first#prof=}" "$tmp/answer"
ok $? 'the next one is compared with it'
capture 'kind=heap'
page "top?$shown"
[ "$status" = 200 ] && has keeper
ok $? 'a heap profile is captured'
end TERM
capture 'kind=profile&seconds=1'
grep -q '"failed"' "$tmp/answer" && grep -q 'refused' "$tmp/answer"
ok $? 'the error is shown when the program has ended'
page "top?$first"
[ "$status" = 200 ] && has burner
ok $? 'earlier captures remain'
page_stop
done_testing
