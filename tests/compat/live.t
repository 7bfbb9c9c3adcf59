#!/bin/sh
# live.t - fetch profiles from a Go server with net/http/pprof in every way, and compare them with pprof
# SPDX-License-Identifier: Apache-2.0
names=yes # lib.sh: look for names
. "${top_srcdir:?}/tests/compat/pprof.sh"
command -v openssl >/dev/null || { echo "1..0 # SKIP no openssl" && exit 0; }
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY all_proxy ALL_PROXY no_proxy NO_PROXY DEBUGINFOD_URLS
GO111MODULE=off go build -o "$tmp/server" "$top_srcdir/tests/compat/live/server.go" 2>"$tmp/go" || {
	note "$tmp/go"
	echo "1..0 # SKIP the server could not be built"
	exit 0
}

certificate() { # NAME: make NAME.pem and NAME.key, signed by ca
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$tmp/$1.key" -out "$tmp/$1.csr" \
		-subj "/CN=$1" 2>/dev/null &&
		printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\n' >"$tmp/ext" &&
		openssl x509 -req -in "$tmp/$1.csr" -CA "$tmp/ca.pem" -CAkey "$tmp/ca.key" -CAcreateserial \
			-out "$tmp/$1.pem" -days 2 -extfile "$tmp/ext" 2>/dev/null
}
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$tmp/ca.key" -out "$tmp/ca.pem" \
	-subj /CN=ca -days 2 2>/dev/null
certificate server && certificate client
mkfifo "$tmp/end"
"$tmp/server" "$tmp/sock" "$tmp/server.pem" "$tmp/server.key" "$tmp/ca.pem" <"$tmp/end" >"$tmp/ports" 2>"$tmp/server.err" &
server=$!
exec 9>"$tmp/end" # the server ends with this script
trap 'exec 9>&-; wait "$server"; rm -rf "$tmp"' EXIT
for _ in $(seq 100); do
	[ -s "$tmp/ports" ] && break
	sleep 0.1
done
read -r plain tls guarded <"$tmp/ports" || { note "$tmp/server.err" && exit 1; }

# fetched ARG...: top of a fetched profile equals pprof -top of the file that was saved
fetched() {
	"$CPA" top -nodecount=0 -symbolize=none "$@" >"$tmp/got" 2>"$tmp/err" 9>&-
	got=$?
	file=$(sed -n 's/^cpa: Saved profile in //p' "$tmp/err")
	"$pprof" -top -nodecount=0 -symbolize=none "$file" >"$tmp/want" 2>"$tmp/err2"
	want=$?
	compare_outputs "fetched $*"
}
for path in profile?seconds=1 heap allocs goroutine block mutex threadcreate 'heap?gc=1' 'heap?debug=1' 'goroutine?debug=1'; do
	fetched "http://127.0.0.1:$plain/debug/pprof/$path"
done
fetched -seconds=1 "localhost:$plain"
fetched "unix:$tmp/sock:/debug/pprof/heap"
fetched -seconds=1 "unix:$tmp/sock"
fetched -tls_ca="$tmp/ca.pem" -tls_cert="$tmp/client.pem" -tls_key="$tmp/client.key" "https://localhost:$tls/debug/pprof/heap"
fetched -tls_cert="$tmp/client.pem" -tls_key="$tmp/client.key" "https+insecure://localhost:$tls/debug/pprof/mutex"
printf 'X-Secret: open sesame\n' >"$tmp/headers"
printf 'tok-123\n' >"$tmp/token"
chmod 600 "$tmp/headers" "$tmp/token"
fetched -header_file="$tmp/headers" -bearer_file="$tmp/token" "http://127.0.0.1:$guarded/debug/pprof/heap"
fetched "127.0.0.1:$plain/debug/pprof/heap" "unix:$tmp/sock:/debug/pprof/heap" "localhost:$plain/debug/pprof/heap"

# refused PATTERN URL: cpa top URL fails with a message that matches PATTERN
refused() {
	"$CPA" top "$2" >"$tmp/got" 2>"$tmp/err" 9>&-
	[ $? -eq 2 ] && [ ! -s "$tmp/got" ] && grep -q "$1" "$tmp/err"
	result $? "${2##*/} fails with: $1"
}
refused 'the server sent an execution trace' "127.0.0.1:$plain/debug/pprof/trace?seconds=1"
refused 'server response: 404 Not Found - Unknown profile' "127.0.0.1:$plain/debug/pprof/nosuch"
refused 'sent a web page, not a profile: "/debug/pprof/"' "127.0.0.1:$plain/debug/pprof/"
refused 'server response: 403 Forbidden' "127.0.0.1:$guarded/debug/pprof/heap"
refused 'it may require a client certificate' "https+insecure://127.0.0.1:$tls/debug/pprof/heap"

# requests, messages and saved files are the same as those of pprof
for arg in 'heap' 'profile?seconds=1' 'mutex?b=2&a=1' 'heap?debug=1'; do
	rm -rf "$tmp/ours" "$tmp/theirs"
	mkdir "$tmp/theirs"
	PPROF_TMPDIR=$tmp/ours "$CPA" proto -o /dev/null "127.0.0.1:$plain/debug/pprof/$arg" 2>"$tmp/err" 9>&-
	PPROF_TMPDIR=$tmp/theirs "$pprof" -proto -output=/dev/null "127.0.0.1:$plain/debug/pprof/$arg" 2>"$tmp/err2" 9>&-
	{ sed -n 's/^cpa: Fetching/Fetching/p' "$tmp/err" && ls "$tmp/ours"; } >"$tmp/got"
	{ sed -n '/^Fetching/p' "$tmp/err2" && ls "$tmp/theirs"; } >"$tmp/want"
	same "$arg is requested and saved as by pprof" "$tmp/want" "$tmp/got"
done

# addresses without names get them from the server
PPROF_BINARY_PATH=/nonexistent "$CPA" top -nodecount=0 "127.0.0.1:$plain/debug/pprof/heap?debug=1" >"$tmp/got" 2>"$tmp/err" 9>&-
grep -q main.main "$tmp/got"
result $? "names come from the server"
done_testing
