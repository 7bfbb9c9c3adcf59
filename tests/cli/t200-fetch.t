#!/bin/sh
# t200-fetch.t - profiles from URLs and sockets
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/server.sh"
server_start "$TESTDATA/go-cpu.pb.gz"
"$CPA" top -nodecount=7 go-cpu.pb.gz >"$tmp/want"

fetches "fetches a URL" top -nodecount=7 "http://$host/ok"
fetches "fetches host:port/path" top -nodecount=7 "$host/debug/pprof/heap"
fetches "host:port without a path requests a CPU profile" top -nodecount=7 "$host"
fetches "fetches from a socket" top -nodecount=7 "unix:$sock:/debug/pprof/heap"
fetches "accepts unix:// and the path of a socket" top -nodecount=7 "unix://$sock:/ok"
fetches "a socket without a path requests a CPU profile" top -nodecount=7 "unix:$sock"
fetches "reads a compressed response" top -nodecount=7 "$host/gzip"
fetches "follows a redirect" top -nodecount=7 "$host/redirect"
fetches "follows a redirect to another server" top -nodecount=7 "$host/elsewhere"
fetches "sends a query that looks like a file name pattern" top -nodecount=7 "$host/ok?b=1&a=[2]"
fetches "fetches with one thread" top -threads=1 -nodecount=7 "$host/ok"
server_log >"$tmp/requests"
grep -q '^GET plain /debug/pprof/profile Accept-Encoding=gzip$' "$tmp/requests" &&
	grep -q '^GET socket /debug/pprof/profile ' "$tmp/requests" && grep -q '^GET plain /ok?a=%5B2%5D&b=1 ' "$tmp/requests"
result $? "requests have the default path, accept gzip and sort the query" || note "$tmp/requests"

"$CPA" top -seconds=5 "$host?seconds=9&x=1" 2>"$tmp/err" >/dev/null
{ echo "cpa: Fetching profile over HTTP from http://$host/debug/pprof/profile?seconds=5&x=1"
	echo "cpa: Please wait... (5s)"; } >"$tmp/expected"
head -n 2 "$tmp/err" >"$tmp/messages"
same "the messages about fetching are those of pprof" "$tmp/expected" "$tmp/messages"
server_log | grep -q 'profile?seconds=5&x=1'
result $? "-seconds replaces the seconds of the URL"

# The server answers /together only when three requests are waiting.
"$CPA" top -threads=1 -nodecount=7 go-cpu.pb.gz go-cpu.pb.gz go-cpu.pb.gz >"$tmp/want"
fetches "sources are fetched in parallel" top -threads=1 -nodecount=7 "$host/together" "$host/together" "$host/together"
"$CPA" top -nodecount=7 -diff_base=go-cpu.pb.gz -diff_base=go-cpu.pb.gz go-cpu.pb.gz >"$tmp/want" 2>/dev/null
fetches "bases and sources are fetched in parallel" top -nodecount=7 -diff_base="$host/together" -diff_base="$host/together" "$host/together"
"$CPA" top -nodecount=7 go-cpu.pb.gz go-cpu.pb.gz >"$tmp/want"
fetches "reads files and URLs together" top -nodecount=7 go-cpu.pb.gz "unix:$sock:/ok"
"$CPA" top -nodecount=7 go-cpu.pb.gz >"$tmp/want"
"$CPA" top -nodecount=7 "$host/ok" "$host/none" >"$tmp/got" 2>"$tmp/err"
status=$?
cmp -s "$tmp/want" "$tmp/got" && [ "$status" -eq 2 ] && grep -q "^cpa: $host/none: server response: 404 Not Found$" "$tmp/err" &&
	grep -q 'Fetched 1 source profiles out of 2' "$tmp/err"
result $? "sources that fail are skipped, with status 2"
"$CPA" diff "$host/ok" "unix:$sock:/ok" >"$tmp/got" 2>"$tmp/err" && grep -q "^BASE (before): $host/ok, " "$tmp/got"
result $? "diff reads URLs"
"$CPA" trend --all "$host/ok" "$host/gzip" go-cpu.pb.gz >"$tmp/got" 2>"$tmp/err" && grep -q "^FIRST: $host/ok, " "$tmp/got"
result $? "trend reads URLs"
"$CPA" merge -o "$tmp/all.pb.gz" "$host/ok" "$host/ok" 2>"$tmp/err" && "$CPA" raw "$tmp/all.pb.gz" >"$tmp/all" &&
	"$CPA" merge -o "$tmp/all.pb.gz" go-cpu.pb.gz go-cpu.pb.gz 2>"$tmp/err" && "$CPA" raw "$tmp/all.pb.gz" >"$tmp/all2"
same "merge reads URLs" "$tmp/all" "$tmp/all2"

# Secrets.
printf '# ours\nX-Secret: open sesame\n' >"$tmp/headers"
echo tok-123 >"$tmp/token"
chmod 600 "$tmp/headers" "$tmp/token"
fetches "sends headers and a token from files" top -nodecount=7 -header_file="$tmp/headers" -bearer_file="$tmp/token" "$host/guarded"
refused 'server response: 403 Forbidden - who are you$' top "$host/guarded"
server_log >/dev/null
fetches "follows a redirect of a request with secrets" top -nodecount=7 -header_file="$tmp/headers" "http://user:geheim@$host/elsewhere"
server_log >"$tmp/requests"
grep -q '^GET plain /elsewhere X-Secret=open sesame Authorization=Basic dXNlcjpnZWhlaW0= ' "$tmp/requests" &&
	grep -q '^GET plain /ok Accept-Encoding=gzip$' "$tmp/requests"
result $? "secrets are sent to the given server and not to the target of its redirect" || note "$tmp/requests"
fetches "follows a redirect on the same server" top -nodecount=7 -header_file="$tmp/headers" "$host/redirect"
server_log | grep -q '^GET plain /ok X-Secret=open sesame '
result $? "secrets are sent again after a redirect on the same server"
printf 'machine 127.0.0.1 login ich password geheim\n' >"$tmp/netrc"
chmod 600 "$tmp/netrc"
fetches "fetches with --netrc" top -nodecount=7 --netrc="$tmp/netrc" "$host/ok"
server_log | grep -q '^GET plain /ok Authorization=Basic aWNoOmdlaGVpbQ== '
result $? "--netrc sends user and password"
"$CPA" top --label=from -tagshow=from -tagroot=from -v "http://user:geheim@$host/ok" "user:geheim@$host/none" >"$tmp/got" 2>"$tmp/err"
"$CPA" diff "http://user:geheim@$host/ok" "user:geheim@$host/ok" >>"$tmp/got" 2>>"$tmp/err"
gzip -dc "$saved"/* >"$tmp/contents"
! grep -q -e geheim -e 'user' "$tmp/got" "$tmp/err" && ! grep -a -q -e geheim "$tmp/contents"
result $? "user and password are neither printed nor saved"
"$CPA" flame -base "user:geheim@$host/ok" "http://user:geheim@$host/ok" >"$tmp/flame" 2>>"$tmp/err"
grep -q "base .*ok: 5.77s" "$tmp/flame" && ! grep -q -e geheim -e user: -e user@ "$tmp/flame" "$tmp/err"
result $? "the legend of a flame graph shows the URL without user and password"
grep -q "http://$host/ok" "$tmp/got"
result $? "the URL without user and password is printed"
chmod 644 "$tmp/token"
"$CPA" top -bearer_file="$tmp/token" "$host/ok" 2>&1 >/dev/null | grep -q 'token: readable by other users'
result $? "a token file that others can read causes a warning"
refused '^cpa: .*--header_file: .*none: No such file or directory$' top -header_file="$tmp/none" "$host/ok"

# Environment variables set a proxy, which is not used for servers on this machine.
server_log >/dev/null
for variable in http_proxy HTTP_PROXY; do
	env $variable="http://$host" "$CPA" top -nodecount=7 -header_file="$tmp/headers" http://nowhere.invalid/ok \
		>"$tmp/got" 2>"$tmp/err" 9>&-
	same "$variable sets the proxy" "$tmp/want" "$tmp/got"
	server_log | grep -q '^GET plain http://nowhere.invalid/ok X-Secret'
	result $? "with $variable the proxy receives the request"
	env $variable=http://127.0.0.1:1 "$CPA" top -nodecount=7 "$host/ok" >"$tmp/got" 2>>"$tmp/err2" 9>&-
	same "$variable is not used for a server on this machine" "$tmp/want" "$tmp/got"
done
grep -q 'secrets are sent to nowhere.invalid without encryption; use https://' "$tmp/err"
result $? "secrets sent to another machine without encryption cause a warning" || note "$tmp/err"
grep -q 'without encryption' "$tmp/err2"
[ $? -eq 1 ]
result $? "secrets sent within this machine cause no warning"

# Saved profiles.
rm -rf "$saved"
"$CPA" top "$host/ok" >"$tmp/got" 2>"$tmp/err" 9>&-
"$CPA" top "$host/ok" >"$tmp/got" 2>"$tmp/err" 9>&-
(cd "$saved" && ls) >"$tmp/got"
echo pprof.shop.samples.cpu.001.pb.gz >"$tmp/names"
echo pprof.shop.samples.cpu.002.pb.gz >>"$tmp/names"
same "a fetched profile is saved under a new number" "$tmp/names" "$tmp/got"
grep -q "^cpa: Saved profile in $saved/pprof.shop.samples.cpu.002.pb.gz$" "$tmp/err"
result $? "the path of the saved profile is printed" || note "$tmp/err"
[ "$(stat -c %a "$saved/pprof.shop.samples.cpu.001.pb.gz")" = 600 ]
result $? "a saved profile is readable by the owner only"
"$CPA" raw "$saved/pprof.shop.samples.cpu.001.pb.gz" >"$tmp/got" && "$CPA" raw go-cpu.pb.gz >"$tmp/raw"
same "the saved profile equals the one fetched" "$tmp/raw" "$tmp/got"
rm -rf "$saved"
"$CPA" top --no_save "$host/ok" >"$tmp/got" 2>"$tmp/err" 9>&- && [ ! -e "$saved" ] && ! grep -q Saved "$tmp/err"
result $? "--no_save saves no profile"
"$CPA" top go-cpu.pb.gz >"$tmp/got" 2>"$tmp/err" && [ ! -e "$saved" ]
result $? "profiles read from files are not saved"
"$CPA" diff "$host/ok" go-cpu.pb.gz >"$tmp/got" 2>"$tmp/err" 9>&- && [ -e "$saved/pprof.shop.samples.cpu.001.pb.gz" ] &&
	[ ! -e "$saved/pprof.shop.samples.cpu.002.pb.gz" ]
result $? "diff saves the fetched side only"
(unset PPROF_TMPDIR && XDG_STATE_HOME=$tmp/state "$CPA" top "$host/ok" 2>"$tmp/err" >"$tmp/got" 9>&-)
[ -s "$tmp/state/cpa/profiles/pprof.shop.samples.cpu.001.pb.gz" ]
result $? "without PPROF_TMPDIR profiles are saved in the XDG state folder"
(unset PPROF_TMPDIR XDG_STATE_HOME && HOME=$tmp/home "$CPA" top "$host/ok" 2>"$tmp/err" >"$tmp/got" 9>&-)
[ -s "$tmp/home/.local/state/cpa/profiles/pprof.shop.samples.cpu.001.pb.gz" ]
result $? "without XDG_STATE_HOME profiles are saved below HOME"
: >"$tmp/file"
PPROF_TMPDIR=$tmp/file XDG_STATE_HOME=$tmp/state "$CPA" top -nodecount=7 "$host/ok" 2>"$tmp/err" >"$tmp/got" 9>&-
same "the report is printed even if PPROF_TMPDIR is not a folder" "$tmp/want" "$tmp/got"
grep -q "Could not use temp dir $tmp/file: Not a directory" "$tmp/err" &&
	[ -s "$tmp/state/cpa/profiles/pprof.shop.samples.cpu.002.pb.gz" ]
result $? "if PPROF_TMPDIR is not a folder there is a warning and the next folder is used" || note "$tmp/err"

# Responses other than a profile.
refused ': server response: 404 Not Found$' top "$host/none"
refused ': server response: 500 Internal Server Error - could not: \\x1b\[31mbusy$' top "$host/go500"
refused ': server response: 500 Internal Server Error$' top "$host/html500"
refused ': server response: 401 Unauthorized; send a secret with --bearer-file, --header-file or --netrc$' top "$host/login"
refused ': server response: 400 Bad Request; the port expects https://$' top "$host/tlsonly"
refused 'the port does not use TLS; use http://$' top "https://${host#http://}/ok"
refused "^cpa: http fetch: Get \"http://$host/noanswer\": [^\"]*$" top "$host/noanswer"
refused 'sent a web page, not a profile: "Please log in"' top "$host/html"
refused 'the server sent an execution trace, not a profile; use go tool trace' top "$host/trace"
refused 'the server sent an empty answer' top "$host/empty"
refused 'not a profile: in no format that cpa reads; cpa help formats lists them' top "$host/garbage"
refused 'closed the connection without an answer' top "$host/noanswer"
refused 'closed the connection early, after 100 bytes' top "$host/short"
"$CPA" top -timeout=1 "$host/hang" "$host/drip" >"$tmp/out" 2>"$tmp/err"
status=$?
[ "$status" -eq 2 ] && [ ! -s "$tmp/out" ] && grep -q 'none of 2 source profiles could be read' "$tmp/err" &&
	[ "$(grep -c 'no complete answer within 6 s; set a longer limit with -timeout=N' "$tmp/err")" -eq 2 ]
result $? "requests to servers that hang or send slowly are aborted 5 seconds after -timeout" || note "$tmp/err"
refused 'more than 1000000 bytes; raise the limit with --max-input' top --max-input=1000000 "$host/endless"
refused 'more than 536870912 bytes; raise the limit with --max-input\|more than [0-9]* bytes; raise the limit with --max-input' top "$host/gigabyte"
refused 'more than 1000000 bytes; raise the limit with --max-input' top --max-input=1000000 "$host/bomb"
refused 'stopped after 10 redirects' top "$host/loop"
refused 'rotocol "file" not supported\|rotocol "file" disabled' top "$host/tofile"
refused 'connect: Connection refused' top 127.0.0.1:1/x
refused "connect: No such file or directory" top "unix:$tmp/nosuch:/x"
refused 'unsupported scheme ftp; use http, https, https+insecure or unix' top ftp://host/x
refused '^cpa: http://h:p/: the URL has no valid host and port' top http://user:pw@h:p/
refused 'tls_key is specified, so -tls_cert must also be specified' top -tls_key=x "https://$host/"
refused 'could not load CA specified by -tls_ca: nothing: No such file' top -tls_ca=nothing "https://$host/"
refused '^cpa: nosuch.pb.gz: No such file or directory' top nosuch.pb.gz
done_testing
