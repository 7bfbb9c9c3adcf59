#!/bin/sh
# t217-symbolz.t - names from the server that a profile came from
# SPDX-License-Identifier: Apache-2.0
names=yes # lib.sh: look for names
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/server.sh"
printf 'goroutine profile: total 3\n1 @ 0x1001 0x2001\n2 @ 0x3001 0x2001\n' >"$tmp/profile"
server_start "$tmp/profile"

# named DESCRIPTION ARG...: the names are those that the server gives
named() {
	description=$1
	shift
	"$CPA" top "$@" >"$tmp/got" 2>"$tmp/err" 9>&-
	grep -q 'function_3000$' "$tmp/got" && grep -q 'function_2000$' "$tmp/got"
	result $? "$description" || note "$tmp/err"
}
named "a server gives names" "$host/debug/pprof/heap"
named "also behind a socket" "unix:$sock:/debug/pprof/heap"
named "also when asked for" -symbolize=remote "$host/debug/pprof/heap"
server_log >"$tmp/asked"
[ "$(grep -c 'POST [a-z]* /debug/pprof/symbol ' "$tmp/asked")" -eq 3 ]
result $? "/debug/pprof/symbol was asked" || note "$tmp/asked"
named "a server that is not Go's" "$host/ok"
server_log | grep -q 'POST plain /symbolz '
result $? "/symbolz was asked"
named "what is saved has them" "$(sed -n 's/^cpa: Saved profile in //p' "$tmp/err")"
printf 'X-Secret: open sesame\n' >"$tmp/headers"
chmod 600 "$tmp/headers"
named "headers from a file" -header_file="$tmp/headers" "$host/ok"
server_log | grep -q 'POST plain /symbolz X-Secret=open sesame '
result $? "go along when names are asked"
for mode in none local; do
	"$CPA" top -symbolize=$mode "$host/ok" >"$tmp/got" 2>"$tmp/err" 9>&-
	server_log | grep -q POST
	[ $? -eq 1 ]
	result $? "-symbolize=$mode asks nobody"
done
"$CPA" raw "$host/ok" 2>"$tmp/err" 9>&- | sed -n '/^Mappings/,$p' >"$tmp/got"
! grep -q http "$tmp/got"
result $? "no mapping is called after its URL"
done_testing
