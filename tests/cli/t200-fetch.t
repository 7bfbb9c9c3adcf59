#!/bin/sh
# t200-fetch.t - profiles from URLs and sockets
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/server.sh"
server_start "$TESTDATA/go-cpu.pb.gz"
"$CPA" top -nodecount=7 go-cpu.pb.gz >"$tmp/want"

fetches "a URL" top -nodecount=7 "http://$host/ok"
fetches "host:port/path" top -nodecount=7 "$host/debug/pprof/heap"
fetches "host:port asks for a CPU profile" top -nodecount=7 "$host"
fetches "a socket" top -nodecount=7 "unix:$sock:/debug/pprof/heap"
fetches "a socket with three slashes" top -nodecount=7 "unix://$sock:/ok"
fetches "a socket alone asks for a CPU profile" top -nodecount=7 "unix:$sock"
fetches "an answer that is packed on the way" top -nodecount=7 "$host/gzip"
fetches "a redirect" top -nodecount=7 "$host/redirect"
fetches "a redirect to another server" top -nodecount=7 "$host/elsewhere"
fetches "a query, behind a word that looks like a pattern" top -nodecount=7 "$host/ok?b=1&a=[2]"
fetches "one thread" top -threads=1 -nodecount=7 "$host/ok"
server_log >"$tmp/asked"
grep -q '^GET plain /debug/pprof/profile Accept-Encoding=gzip$' "$tmp/asked" &&
	grep -q '^GET socket /debug/pprof/profile ' "$tmp/asked" && grep -q '^GET plain /ok?a=%5B2%5D&b=1 ' "$tmp/asked"
result $? "the server was asked with the default path, gzip and a sorted query" || note "$tmp/asked"

"$CPA" top -seconds=5 "$host?seconds=9&x=1" 2>"$tmp/err" >/dev/null
{ echo "cpa: Fetching profile over HTTP from http://$host/debug/pprof/profile?seconds=5&x=1"
	echo "cpa: Please wait... (5s)"; } >"$tmp/say"
head -n 2 "$tmp/err" >"$tmp/said"
same "what is fetched is said as pprof says it" "$tmp/say" "$tmp/said"
server_log | grep -q 'profile?seconds=5&x=1'
result $? "-seconds takes the place of the seconds of the URL"

# a server on which three have to wait at once before any of them is answered
"$CPA" top -threads=1 -nodecount=7 go-cpu.pb.gz go-cpu.pb.gz go-cpu.pb.gz >"$tmp/want"
fetches "sources are fetched side by side" top -threads=1 -nodecount=7 "$host/together" "$host/together" "$host/together"
"$CPA" top -nodecount=7 -diff_base=go-cpu.pb.gz -diff_base=go-cpu.pb.gz go-cpu.pb.gz >"$tmp/want" 2>/dev/null
fetches "and bases with them" top -nodecount=7 -diff_base="$host/together" -diff_base="$host/together" "$host/together"
"$CPA" top -nodecount=7 go-cpu.pb.gz go-cpu.pb.gz >"$tmp/want"
fetches "files and URLs" top -nodecount=7 go-cpu.pb.gz "unix:$sock:/ok"
"$CPA" top -nodecount=7 go-cpu.pb.gz >"$tmp/want"
"$CPA" top -nodecount=7 "$host/ok" "$host/none" >"$tmp/got" 2>"$tmp/err"
status=$?
cmp -s "$tmp/want" "$tmp/got" && [ "$status" -eq 2 ] && grep -q "^cpa: $host/none: server response: 404 Not Found$" "$tmp/err" &&
	grep -q 'Fetched 1 source profiles out of 2' "$tmp/err"
result $? "of several sources those that answer are reported, with status 2"
"$CPA" diff "$host/ok" "unix:$sock:/ok" >"$tmp/got" 2>"$tmp/err" && grep -q "^BASE (before): $host/ok, " "$tmp/got"
result $? "diff takes URLs"
"$CPA" trend --all "$host/ok" "$host/gzip" go-cpu.pb.gz >"$tmp/got" 2>"$tmp/err" && grep -q "^FIRST: $host/ok, " "$tmp/got"
result $? "trend takes URLs"
"$CPA" merge -o "$tmp/all.pb.gz" "$host/ok" "$host/ok" 2>"$tmp/err" && "$CPA" raw "$tmp/all.pb.gz" >"$tmp/all" &&
	"$CPA" merge -o "$tmp/all.pb.gz" go-cpu.pb.gz go-cpu.pb.gz 2>"$tmp/err" && "$CPA" raw "$tmp/all.pb.gz" >"$tmp/all2"
same "merge takes URLs" "$tmp/all" "$tmp/all2"

# secrets
printf '# ours\nX-Secret: open sesame\n' >"$tmp/headers"
echo tok-123 >"$tmp/token"
chmod 600 "$tmp/headers" "$tmp/token"
fetches "headers and a token from files" top -nodecount=7 -header_file="$tmp/headers" -bearer_file="$tmp/token" "$host/guarded"
refused 'server response: 403 Forbidden - who are you$' top "$host/guarded"
server_log >/dev/null
fetches "a redirect with secrets" top -nodecount=7 -header_file="$tmp/headers" "http://user:geheim@$host/elsewhere"
server_log >"$tmp/asked"
grep -q '^GET plain /elsewhere X-Secret=open sesame Authorization=Basic dXNlcjpnZWhlaW0= ' "$tmp/asked" &&
	grep -q '^GET plain /ok Accept-Encoding=gzip$' "$tmp/asked"
result $? "secrets go to the server that was named and not to where it redirects" || note "$tmp/asked"
fetches "a redirect on the same server" top -nodecount=7 -header_file="$tmp/headers" "$host/redirect"
server_log | grep -q '^GET plain /ok X-Secret=open sesame '
result $? "secrets go along with a redirect on the same server"
printf 'machine 127.0.0.1 login ich password geheim\n' >"$tmp/netrc"
chmod 600 "$tmp/netrc"
fetches "netrc" top -nodecount=7 --netrc="$tmp/netrc" "$host/ok"
server_log | grep -q '^GET plain /ok Authorization=Basic aWNoOmdlaGVpbQ== '
result $? "a netrc file logs in"
"$CPA" top --label=from -tagshow=from -tagroot=from -v "http://user:geheim@$host/ok" "user:geheim@$host/none" >"$tmp/got" 2>"$tmp/err"
"$CPA" diff "http://user:geheim@$host/ok" "user:geheim@$host/ok" >>"$tmp/got" 2>>"$tmp/err"
gzip -dc "$saved"/* >"$tmp/kept"
! grep -q -e geheim -e 'user' "$tmp/got" "$tmp/err" && ! grep -a -q -e geheim "$tmp/kept"
result $? "user and password are neither printed nor kept"
"$CPA" flame -base "user:geheim@$host/ok" "http://user:geheim@$host/ok" >"$tmp/flame" 2>>"$tmp/err"
grep -q "base .*ok: 5.77s" "$tmp/flame" && ! grep -q -e geheim -e user: -e user@ "$tmp/flame" "$tmp/err"
result $? "the legend of a flame graph names servers without user and password"
grep -q "http://$host/ok" "$tmp/got"
result $? "the rest of the URL is"
chmod 644 "$tmp/token"
"$CPA" top -bearer_file="$tmp/token" "$host/ok" 2>&1 >/dev/null | grep -q 'token: others can read this file'
result $? "a token that others can read is told"
refused '^cpa: .*--header_file: .*none: No such file or directory$' top -header_file="$tmp/none" "$host/ok"

# proxies are those of the environment, and not for this machine
server_log >/dev/null
for variable in http_proxy HTTP_PROXY; do
	env $variable="http://$host" "$CPA" top -nodecount=7 -header_file="$tmp/headers" http://nowhere.invalid/ok \
		>"$tmp/got" 2>"$tmp/err" 9>&-
	same "$variable is heeded" "$tmp/want" "$tmp/got"
	server_log | grep -q '^GET plain http://nowhere.invalid/ok X-Secret'
	result $? "with $variable the proxy is asked"
	env $variable=http://127.0.0.1:1 "$CPA" top -nodecount=7 "$host/ok" >"$tmp/got" 2>>"$tmp/err2" 9>&-
	same "$variable is not asked for a server on this machine" "$tmp/want" "$tmp/got"
done
grep -q 'secrets go to nowhere.invalid without encryption; https:// would keep them' "$tmp/err"
result $? "secrets that go without encryption to another machine are told" || note "$tmp/err"
grep -q 'without encryption' "$tmp/err2"
[ $? -eq 1 ]
result $? "but not when they stay on this one"

# what is kept
rm -rf "$saved"
"$CPA" top "$host/ok" >"$tmp/got" 2>"$tmp/err" 9>&-
"$CPA" top "$host/ok" >"$tmp/got" 2>"$tmp/err" 9>&-
(cd "$saved" && ls) >"$tmp/got"
echo pprof.shop.samples.cpu.001.pb.gz >"$tmp/names"
echo pprof.shop.samples.cpu.002.pb.gz >>"$tmp/names"
same "what was fetched is saved under a new number" "$tmp/names" "$tmp/got"
grep -q "^cpa: Saved profile in $saved/pprof.shop.samples.cpu.002.pb.gz$" "$tmp/err"
result $? "the path is printed" || note "$tmp/err"
[ "$(stat -c %a "$saved/pprof.shop.samples.cpu.001.pb.gz")" = 600 ]
result $? "only its owner can read it"
"$CPA" raw "$saved/pprof.shop.samples.cpu.001.pb.gz" >"$tmp/got" && "$CPA" raw go-cpu.pb.gz >"$tmp/raw"
same "it is the profile" "$tmp/raw" "$tmp/got"
rm -rf "$saved"
"$CPA" top --no_save "$host/ok" >"$tmp/got" 2>"$tmp/err" 9>&- && [ ! -e "$saved" ] && ! grep -q Saved "$tmp/err"
result $? "--no_save keeps nothing"
"$CPA" top go-cpu.pb.gz >"$tmp/got" 2>"$tmp/err" && [ ! -e "$saved" ]
result $? "files are not saved"
"$CPA" diff "$host/ok" go-cpu.pb.gz >"$tmp/got" 2>"$tmp/err" 9>&- && [ -e "$saved/pprof.shop.samples.cpu.001.pb.gz" ] &&
	[ ! -e "$saved/pprof.shop.samples.cpu.002.pb.gz" ]
result $? "diff saves the side that was fetched"
(unset PPROF_TMPDIR && XDG_STATE_HOME=$tmp/state "$CPA" top "$host/ok" 2>"$tmp/err" >"$tmp/got" 9>&-)
[ -s "$tmp/state/cpa/profiles/pprof.shop.samples.cpu.001.pb.gz" ]
result $? "without PPROF_TMPDIR the XDG state folder is taken"
(unset PPROF_TMPDIR XDG_STATE_HOME && HOME=$tmp/home "$CPA" top "$host/ok" 2>"$tmp/err" >"$tmp/got" 9>&-)
[ -s "$tmp/home/.local/state/cpa/profiles/pprof.shop.samples.cpu.001.pb.gz" ]
result $? "or the one below HOME"
: >"$tmp/file"
PPROF_TMPDIR=$tmp/file XDG_STATE_HOME=$tmp/state "$CPA" top -nodecount=7 "$host/ok" 2>"$tmp/err" >"$tmp/got" 9>&-
same "a folder that is none does not stop the report" "$tmp/want" "$tmp/got"
grep -q "Could not use temp dir $tmp/file: Not a directory" "$tmp/err" &&
	[ -s "$tmp/state/cpa/profiles/pprof.shop.samples.cpu.002.pb.gz" ]
result $? "it is told, and the next one taken" || note "$tmp/err"

# what is no profile
refused ': server response: 404 Not Found$' top "$host/none"
refused ': server response: 500 Internal Server Error - could not: \\x1b\[31mbusy$' top "$host/go500"
refused ': server response: 500 Internal Server Error$' top "$host/html500"
refused 'sent a web page and not a profile: "Please log in"' top "$host/html"
refused 'this is an execution trace and not a profile; look at it with: go tool trace' top "$host/trace"
refused 'the server sent nothing' top "$host/empty"
refused 'not a profile: neither profile.proto nor a legacy format' top "$host/garbage"
refused 'closed the connection without an answer' top "$host/noanswer"
refused 'closed the connection early, after 100 bytes' top "$host/short"
"$CPA" top -timeout=1 "$host/hang" "$host/drip" >"$tmp/out" 2>"$tmp/err"
status=$?
[ "$status" -eq 2 ] && [ ! -s "$tmp/out" ] && grep -q 'none of 2 source profiles could be read' "$tmp/err" &&
	[ "$(grep -c 'no complete answer within 6 s; -timeout=N waits longer' "$tmp/err")" -eq 2 ]
result $? "servers that hang or drip are left after -timeout and 5 seconds" || note "$tmp/err"
refused 'more than 1000000 bytes; --max-input lifts this limit' top --max-input=1000000 "$host/endless"
refused 'more than 536870912 bytes; --max-input\|more than [0-9]* bytes; --max-input' top "$host/gigabyte"
refused 'more than 1000000 bytes; --max-input lifts this limit' top --max-input=1000000 "$host/bomb"
refused 'stopped after 10 redirects' top "$host/loop"
refused 'rotocol "file" not supported' top "$host/tofile"
refused 'connect: Connection refused' top 127.0.0.1:1/x
refused "connect: No such file or directory" top "unix:$tmp/nobody:/x"
refused 'only http, https, https+insecure and unix can be fetched, not ftp' top ftp://host/x
refused '^cpa: http://h:p/: the URL has no valid host and port' top http://user:pw@h:p/
refused 'tls_key is specified, so -tls_cert must also be specified' top -tls_key=x "https://$host/"
refused 'could not load CA specified by -tls_ca: nothing: No such file' top -tls_ca=nothing "https://$host/"
refused '^cpa: nosuch.pb.gz: No such file or directory' top nosuch.pb.gz
done_testing
