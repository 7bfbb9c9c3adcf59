#!/bin/sh
# t730-store-remote.t - a store is read through a collector as in its directory: gate, trend, series, diff, top, damage
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/collect.sh"
make="${PYTHON3:-python3} $top_srcdir/tests/cli/stored_profiles.py"
start=1795356000 # 2026-11-22T14:00:00Z

for i in 1 2 3; do
	$make "$tmp/cpu$i" cpu $start 60 60 $i
	"$CPA" store import --service=shop --label=instance=h$i:6060 --label=version=1.$i "$tmp/cpu$i" || exit 1
done >"$tmp/out"
for kind in heap mutex; do
	$make "$tmp/$kind" $kind $start 60 60
	for i in 1 2; do
		"$CPA" store import --service=shop --label=instance=h$i:6060 "$tmp/$kind" || exit 1
	done
done >>"$tmp/out"
"$CPA" store mark shop deploy 1.2 --at=2026-11-22T14:20:00Z >>"$tmp/out" 2>&1
collector --listen=127.0.0.1:0
where=http://$(listening)

# run_at FILE ARG...: the status and the texts of a command, in FILE.out and FILE.err. The place of the store is left out,
# and names of sources that are shortened or are URLs.
run_at() {
	file=$1
	shift
	"$CPA" "$@" >"$file.out" 2>"$file.err"
	echo "status $?" >>"$file.err"
	sed -i -e "s|$where#||g; /^cpa: Fetching profile over HTTP from/d" -e 's/^\(base\|new\)\( .*\): store:.*/\1\2/' \
		-e 's/^\(BASE (before)\|NEW (after)\): .*\(, [0-9-]* [0-9:]* UTC, \)/\1\2/' "$file.out" "$file.err"
}
# agree ARG...: the texts are the same for the directory and for the collector; @ in an argument is the place
agree() {
	local_args=$(printf '%s\n' "$@" | sed "s|store:@#|store:|; s/.*/'&'/" | tr '\n' ' ')
	remote_args=$(printf '%s\n' "$@" | sed "s|store:@#|store:$where#|; s/.*/'&'/" | tr '\n' ' ')
	eval "run_at $tmp/local $local_args"
	eval "run_at $tmp/remote $remote_args"
	[ -s "$tmp/local.out" ] || [ -n "$may_be_empty" ] || note "$tmp/local.err"
	cat "$tmp/local.out" "$tmp/local.err" >"$tmp/one"
	cat "$tmp/remote.out" "$tmp/remote.err" >"$tmp/two"
	same "cpa $*: the same through a collector" "$tmp/one" "$tmp/two"
}
may_be_empty=
hour='@2026-11-22T14Z'

agree series "store:@#shop$hour"
agree series --json "store:@#shop/heap$hour"
agree series --by=label:instance "store:@#shop$hour+step=5m"
agree series --by=label:instance "store:@#shop/mutex$hour"
agree series --sample_index=alloc_space "store:@#shop/heap$hour+keep=instance"
agree series --function=. "store:@#shop$hour+step=30m"
agree series "store:@#shop{instance=~h[12].*}$hour"
agree series "store:@#shop{version!=1.1}@deploy..now"
agree trend "store:@#shop$hour"
agree trend --json "store:@#shop/heap$hour+step=20m"
agree gate "store:@#shop{version=1.1}" -- "store:@#shop{version=1.3}"
agree gate --json=- "store:@#shop$hour+30m" -- "store:@#shop@2026-11-22T14:30Z+30m"
agree gate "store:@#shop/heap$hour+runs=3" -- "store:@#shop/heap$hour+runs=3"
agree diff --no-save "store:@#shop{version=1.1}$hour" "store:@#shop{version=1.3}$hour"
agree top --no-save "store:@#shop$hour"
agree top --no-save "store:@#shop/heap$hour+reduce=last"
may_be_empty=1
agree series "store:@#shop@2026-11-20T14Z"
agree series "store:@#nosuch$hour"
agree series "store:@#shop/nosuch$hour"
agree series "store:@#shop{x=1}$hour"
agree trend "store:@#shop@2026-11-20T14Z"
agree gate "store:@#shop@2026-11-20T14Z" -- "store:@#shop$hour"
agree series "store:@#shop$hour+step=1ms"

# page PLACE FILE: the page of the store, and that of a window that it opens, without tokens, ids and the place
page() {
	"$CPA" -http=127.0.0.1:0 -no_browser "store:$1shop" >"$2.log" 2>&1 &
	web=$!
	for _ in $(seq 300); do
		grep -q '^Serving' "$2.log" && break
		sleep 0.1
	done
	ui=$(sed -n 's/^Serving web UI on //p' "$2.log")
	curl -s "$ui/ui/store" >"$2.store"
	token=$(sed -n 's/.*name="token" content="\([^"]*\).*/\1/p' "$2.store")
	curl -s -d "token=$token&service=shop&kind=cpu&view=top&t0=2026-11-22T14:00:00&t1=2026-11-22T14:30:00" "$ui/ui/do/store" \
		>"$2.location"
	curl -s "$ui/ui/$(sed 's/.*: "\(.*\)".*/\1/' "$2.location")" >"$2.window"
	kill $web
	wait $web 2>/dev/null
	cat "$2.store" "$2.window" | sed -e "s|store:&#34;$where&#34;#|store:|g; s|store:$where#|store:|g; s|$ui||g" \
		-e 's/\(token" \(content\|value\)="\)[0-9a-f]*/\1/g; s/prof=[0-9a-z]*/prof=/g; s/[0-9a-f]\{8\}/ID/g; s/&#39;//g' >"$2"
}
page '' "$tmp/one"
page "$where#" "$tmp/two"
grep -q 'work' "$tmp/one.window"
result $? 'the page opens a window'
same 'the page of the store is the same through a collector' "$tmp/one" "$tmp/two"

# a damaged request is refused, and one for an operation that there is not
for operation in list nosuch; do
	printf 'shop' | curl -s -o "$tmp/body" -w '%{http_code}' --data-binary @- "$where/api/v1/read/$operation" >"$tmp/code"
	is_equal "$(cat "$tmp/code")" 400 "a damaged query to $operation has the status 400"
done
collector_end TERM
fails 'shop' series "store:$where#shop$hour"

# responses that end early or are of something else; a message of the collector
cat >"$tmp/server.py" <<'PY'
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(open(sys.argv[1], "rb").read())
    def log_message(self, *args):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
PY
"${PYTHON3:-python3}" "$tmp/server.py" "$tmp/response" >"$tmp/port" &
server=$!
for _ in $(seq 300); do
	[ -s "$tmp/port" ] && break
	sleep 0.1
done
where=http://127.0.0.1:$(cat "$tmp/port")
for response in 'record\0' 'record\0shop\0cpu\0009999999999\0' 'end\0' 'end\0001\0x\0\0' 'end\0000\0\0\0more' 'other\0' 'end\000-99\0x\0\0'; do
	# shellcheck disable=SC2059 # with escapes
	printf "$response" >"$tmp/response"
	fails 'is damaged, or of another version of cpa' series "store:$where#shop$hour"
done
printf 'end\000-1\0no such disk\0\0' >"$tmp/response"
fails 'no such disk' series "store:$where#shop$hour"
kill $server

fails 'stores at ftp:// are not supported' series 'store:ftp://host/db#shop'
done_testing
