#!/bin/sh
# t352-stored-server.t - sources store: on a collector, which is a server of Python here that prints the queries
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

"${PYTHON3:-python3}" - "$TESTDATA/go-cpu.pb.gz" "$tmp/port" "$tmp/queries" <<'PY' &
import http.server, sys, urllib.parse
data = open(sys.argv[1], "rb").read()
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        with open(sys.argv[3], "a") as f:
            print(url.path, *urllib.parse.parse_qs(url.query)["q"], file=f)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(data)
    def log_message(self, *args):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
with open(sys.argv[2] + ".new", "w") as f:
    print(server.server_port, file=f)
import os
os.rename(sys.argv[2] + ".new", sys.argv[2])
server.serve_forever()
PY
server=$!
trap 'kill $server; rm -rf "$tmp"' EXIT
while [ ! -e "$tmp/port" ] && kill -0 $server; do sleep 0.1; done
where=http://127.0.0.1:$(cat "$tmp/port")

# asks QUERY ARG...: "cpa ARG..." succeeds and the last query of the server is QUERY
asks() {
	query=$1
	shift
	"$CPA" "$@" >"$tmp/out" 2>"$tmp/err" && [ "$(tail -n 1 "$tmp/queries")" = "/api/v1/profile $query" ]
	status=$?
	[ $status -eq 0 ] || note "$tmp/queries"
	result $status "cpa $* asks for $query"
}
asks 'store:shop/cpu@2026-11-22T14:00:00Z..2026-11-22T15:00:00Z' top --no-save "store:$where#shop@2026-11-22T14Z"
asks 'store:shop@deploy' top --no-save "store:$where#shop@deploy"
asks 'store:"a/b"/heap{x="1,2"}' top --no-save "store:$where#\"a/b\"/heap{x=\"1,2\"}"
asks 'store:shop/cpu@2026-11-22T14:00:00Z..2026-11-22T14:10:00Z+keep=zone,pod' \
	top --no-save -tagfocus=zone=. -tagleaf=pod -tagignore=pod=x "store:$where/#shop@2026-11-22T14Z+10m"
fails 'stores at ftp:// are not supported' top 'store:ftp://host/db#shop'
done_testing
