#!/bin/sh
# t393-collect-state.t - cpa collect: plan and start agree, errors end, sockets of killed collectors are removed
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/collect.sh"
cd "$tmp" || exit 1

# one round does not wait for the length of a capture that failed
begin=$(date +%s)
"$CPA" collect --once --cpu=120s 127.0.0.1:1 >out 2>err 9>&-
is_equal "$? $(($(date +%s) - begin < 60))" '2 1' '--once ends when the connection is refused'
rm -rf store

# quota and start times
small='cpa: --cap: cap 16MiB: the quota of a store must be at least 64 MiB'
for how in --check --once; do
	"$CPA" collect $how --cap=16MiB 127.0.0.1:1 >out 2>err
	is_equal "$? $(cat err)" "2 $small" "$how refuses a small quota"
done
"$CPA" collect --check --cap=64MiB --every=6h 127.0.0.1:1 >out 2>err
first=$(sed -n 's/.* first \([0-9:]*\).*/\1/p' out)
late=$(($(date -u +%s) - $(date -u -d "$first" +%s)))
is_equal "$((late >= -1 && late < 120))" 1 "--check says that the first scrape begins at once ($first)"
printf 'store %s\nevery 6h\njob shop\n  target 127.0.0.1:1\n' "$tmp/store" >c.cpa
"$CPA" collect --check c.cpa >out 2>err
first=$(sed -n 's/.* first \([0-9:]*\).*/\1/p' out)
collector c.cpa
waits 'the target is listed' sh -c "'$CPA' collect --status --json | grep -q '\"next\": *\"'"
is_equal "$("$CPA" collect --status --json | sed -n 's/.*"next": *"[^T]*T\([0-9:]*\)Z.*/\1/p')" "$first" 'with a file, --check and start agree'

# sockets of killed collectors
collector_end KILL 2>/dev/null
dead=$(find run -name 'collect-*.sock')
"$CPA" collect --status >out 2>err
is_equal "$? $(cat err)" "2 cpa: no collector runs on the store $tmp/store" 'a killed collector does not run'
collector c.cpa
is_equal "$(find run -name 'collect-*.sock' | grep -c "collect-$collector_pid") $(find run -name 'collect-*.sock' | grep -c "$dead")" '1 0' \
	'the socket of a killed collector is removed at the next start'
collector_end

# the last error has a time, and ends when the kind is scraped again
cat >server.py <<'END'
import http.server, os, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = open(sys.argv[2], "rb").read()
        self.send_response(500 if os.path.exists("broken") else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *args):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
open(sys.argv[1] + ".new", "w").write(str(server.server_port))
os.rename(sys.argv[1] + ".new", sys.argv[1])
server.serve_forever()
END
touch broken
"${PYTHON3:-python3}" server.py port "$TESTDATA/go-heap1.pb.gz" 9>&- &
server_pid=$!
waits 'the server listens' test -s port
rm -rf store
collector --kinds=heap --every=1s "http://127.0.0.1:$(cat port)"
status_has() { "$CPA" collect --status | grep -q -- "$1"; }
status_lacks() { status_has ' ok ' && ! status_has "$1"; }
waits 'an error is listed with its time' status_has 'Z heap: server response: 500'
rm broken
waits 'it ends when the profile is scraped again' status_lacks 'heap:'
"$CPA" collect --status --json | tr -d ' \n' >status.json
is_equal "$(grep -c '"last_error_time":null,"last_error":""' status.json)" 1 'also in JSON'
collector_end
kill "$server_pid"
done_testing
