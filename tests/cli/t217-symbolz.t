#!/bin/sh
# t217-symbolz.t - function names from the server of a profile
# SPDX-License-Identifier: Apache-2.0
names=yes # lib.sh: symbolize
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/server.sh"
printf 'goroutine profile: total 3\n1 @ 0x1001 0x2001\n2 @ 0x3001 0x2001\n' >"$tmp/profile"
server_start "$tmp/profile"

# named DESCRIPTION ARG...: checks that the report has the function names of the server
named() {
	description=$1
	shift
	"$CPA" top "$@" >"$tmp/got" 2>"$tmp/err" 9>&-
	grep -q 'function_3000$' "$tmp/got" && grep -q 'function_2000$' "$tmp/got"
	result $? "$description" || note "$tmp/err"
}
named "names come from the server of a URL" "$host/debug/pprof/heap"
named "names come from the server of a socket" "unix:$sock:/debug/pprof/heap"
named "-symbolize=remote reads names from the server" -symbolize=remote "$host/debug/pprof/heap"
server_log >"$tmp/requests"
[ "$(grep -c 'POST [a-z]* /debug/pprof/symbol ' "$tmp/requests")" -eq 3 ]
result $? "the requests go to /debug/pprof/symbol" || note "$tmp/requests"
named "names come from a server that is not a Go program" "$host/ok"
server_log | grep -q 'POST plain /symbolz '
result $? "for a server that is not a Go program, the request goes to /symbolz"
named "the saved profile has the names" "$(sed -n 's/^cpa: Saved profile in //p' "$tmp/err")"
printf 'X-Secret: open sesame\n' >"$tmp/headers"
chmod 600 "$tmp/headers"
named "names come from a server that requires headers" -header_file="$tmp/headers" "$host/ok"
server_log | grep -q 'POST plain /symbolz X-Secret=open sesame '
result $? "the headers are sent with the request for names"
for mode in none local; do
	"$CPA" top -symbolize=$mode "$host/ok" >"$tmp/got" 2>"$tmp/err" 9>&-
	server_log | grep -q POST
	[ $? -eq 1 ]
	result $? "-symbolize=$mode sends no request for names"
done
"$CPA" raw "$host/ok" 2>"$tmp/err" 9>&- | sed -n '/^Mappings/,$p' >"$tmp/got"
! grep -q http "$tmp/got"
result $? "no mapping has a URL as its name"
done_testing
