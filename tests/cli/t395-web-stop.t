#!/bin/sh
# t395-web-stop.t - a capture of the web UI that is stopped early keeps what the server has measured
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/page.sh"

# action NAME FORM: sends a POST and writes the answer to $tmp/page
action() {
	curl -s -m 60 -o "$tmp/page" -d "token=$token&$2" "$url/ui/do/$1"
}

# wait_for FILE TEXT: waits until the file has the text, at most 20 seconds
wait_for() {
	for _ in $(seq 200); do
		grep -q "$2" "$1" && return
		sleep 0.1
	done
	note "$1"
	return 1
}

# stopped N: stops capture N after a second and waits for its end; sets ms and id
stopped() {
	sleep 1
	action stop "capture=$1&keep=t"
	while curl -s -m 60 "$url/ui/progress?capture=$1" >"$tmp/answer" && grep -q '"running"' "$tmp/answer"; do
		sleep 0.1
	done
	ms=$(sed -n 's/.*"ms": \([0-9]*\).*/\1/p' "$tmp/answer")
	id=$(sed -n 's/.*prof=\([0-9a-f]*\).*/\1/p' "$tmp/answer")
	if [ -z "$id" ]; then note "$tmp/answer"; fi
}

"$CPA" run --profile-port=0 -- sh -c 'while :; do :; done' 2>"$tmp/run" &
program=$!
# shellcheck disable=SC2154 # page_pid is that of page.sh
trap 'page_stop; kill $program; rm -rf "$tmp"' EXIT
wait_for "$tmp/run" 'listening on'
address=$(sed -n 's|.*listening on http://\([^/]*\)/.*|\1|p' "$tmp/run")
page_start "--http-allow-server=$address" --http-allow-server=https://localhost:1 go-heap1.pb.gz
page top '*/*'
page capture
token=$(sed -n 's/.*name="token" content="\([^"]*\)".*/\1/p' "$tmp/page")
[ "$(grep -c 'With HTTPS, <i>Stop and keep</i> has only the complete pieces of 10 seconds' "$tmp/page")" = 1 ]
result $? "before the start, a page says when nothing could be kept"
action capture 'server=0&kind=profile&seconds=300&then=show'
stopped 1
[ "$ms" -lt 8000 ] && [ -n "$id" ]
result $? "a CPU profile ends when it is stopped, not at the end of a piece of 10 s"
page "top.txt?prof=$id" '*/*'
duration=$(sed -n 's/^Duration: \([0-9]*\)\(\.[0-9]*\)*m*s,.*/\1/p' "$tmp/page")
[ -n "$duration" ] && { [ "$duration" -lt 8 ] || grep -q '^Duration: [0-9.]*ms' "$tmp/page"; } && grep -q 'Total samples = ' "$tmp/page"
result $? "its duration is the measured one"
page compare
grep -q "$address profile 300s, stopped after [0-7]\.[0-9]s<" "$tmp/page"
result $? "its name states when it was stopped"
page_stop
done_testing
