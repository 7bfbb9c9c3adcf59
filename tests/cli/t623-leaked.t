#!/bin/sh
# t623-leaked.t - cpa threads prints leaked goroutines, of files and of servers with the profile goroutineleak
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
cat >"$tmp/dump" <<'END'
goroutine 1 [IO wait]:
main.main()
	/src/main.go:3 +0x1d

goroutine 21 [chan send (leaked)]:
main.leak.func1()
	/src/main.go:9 +0x1d
created by main.leak in goroutine 1
	/src/main.go:8 +0x4a

goroutine 22 [chan send (leaked), 3 minutes]:
main.leak.func1()
	/src/main.go:9 +0x1d
created by main.leak in goroutine 1
	/src/main.go:8 +0x4a
END
cat >"$tmp/server.py" <<'END'
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        known = self.path in ('/debug/pprof/goroutineleak?debug=2', '/new/debug/pprof/goroutineleak?debug=2')
        self.send_response(200 if known else 404)
        self.send_header('Content-Type', 'text/plain')
        self.end_headers()
        if known:
            self.wfile.write(open(sys.argv[1], 'rb').read())
    def log_message(self, *args):
        pass
server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
open(sys.argv[2], 'w').write(str(server.server_port) + '\n')
server.serve_forever()
END
cat >"$tmp/want" <<'END'
2 of 3 goroutines leaked

2 goroutines, chan send (leaked), 0 to 3 minutes: 21, 22
    main.leak.func1  main.go:9
    created by main.leak  main.go:8
END
check() { # DESCRIPTION ARG...
	description=$1
	shift
	"$CPA" threads "$@" >"$tmp/out" 2>"$tmp/err"
	diff "$tmp/want" "$tmp/out" >"$tmp/diff"
	result $? "$description" || { note "$tmp/diff" && note "$tmp/err"; }
}
refused() { # DESCRIPTION PATTERN ARG...
	description=$1 pattern=$2
	shift 2
	"$CPA" threads "$@" >"$tmp/out" 2>"$tmp/err"
	[ $? -eq 2 ] && grep -q -e "$pattern" "$tmp/err" && [ "$(wc -l <"$tmp/err")" -eq 1 ]
	result $? "$description" || note "$tmp/err"
}
check '--leaked selects the leaked goroutines of a file' --leaked "$tmp/dump"
"$CPA" threads "$tmp/dump" | head -1 >"$tmp/out"
grep -qx '3 goroutines' "$tmp/out"
result $? 'without it, all are printed' || note "$tmp/out"
"$CPA" threads --leaked --focus=nothing "$tmp/dump" | head -1 >"$tmp/out"
grep -qx '0 of 3 goroutines leaked' "$tmp/out"
result $? '--focus applies as well' || note "$tmp/out"
refused 'a process has no goroutines' '--leaked apply to servers and files only$' --leaked $$
if ! "${PYTHON3:-python3}" -c 'import ctypes; ctypes.CDLL("libcurl.so.4")' 2>/dev/null; then
	echo "ok $((count + 1)) - servers # SKIP no python3, or no libcurl"
	count=$((count + 1))
	done_testing
	exit 0
fi
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY all_proxy ALL_PROXY no_proxy NO_PROXY
"${PYTHON3:-python3}" "$tmp/server.py" "$tmp/dump" "$tmp/port" &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$tmp"' EXIT
for _ in $(seq 100); do
	[ -s "$tmp/port" ] && break
	sleep 0.1
done
host=127.0.0.1:$(cat "$tmp/port")
check '--leaked asks a server for the profile' --leaked "$host"
check 'a URL of the profile does the same' "http://$host/debug/pprof/goroutineleak"
check 'also with a query' "http://$host/debug/pprof/goroutineleak?debug=1"
check 'also in another folder' "http://$host/new/debug/pprof/goroutineleak"
refused 'a server without the profile is named, with the remedy' "$host/none/goroutineleak?debug=2: no such profile; Go 1.26 has it" "http://$host/none/goroutineleak"
done_testing
