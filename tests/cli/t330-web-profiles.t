#!/bin/sh
# t330-web-profiles.t - several profiles in the web UI: files, differences, verdicts, captures
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/page.sh"

# take_token: sets token to that of the page
take_token() {
	page top "*/*" # waits until the profile is loaded
	page compare
	token=$(sed -n 's/.*name="token" content="\([^"]*\)".*/\1/p' "$tmp/page")
}

# action NAME FORM: sends a POST; sets status and writes the answer to $tmp/page
action() {
	status=$(curl -s -m 60 -o "$tmp/page" -w '%{http_code}' -d "token=$token&$2" "$url/ui/do/$1")
}

# open_file FILE: uploads a file; sets id
open_file() {
	curl -s -m 60 --data-binary "@$1" -H "X-Cpa-Token: $token" -H 'Content-Type: application/octet-stream' \
		"$url/ui/do/open?name=$1" >"$tmp/answer"
	id=$(sed -n 's/.*"id": "\([^"]*\)".*/\1/p' "$tmp/answer")
}

# ended NUMBER: waits until a capture has ended and writes its state to $tmp/answer
ended() {
	while curl -s -m 60 "$url/ui/progress?capture=$1" >"$tmp/answer" && grep -q '"running"' "$tmp/answer"; do
		sleep 0.1
	done
	[ -s "$tmp/answer" ]
}

page_start gate/slow-1.pb.gz
take_token
[ ${#token} = 32 ]
result $? "a page has a token for scripts"
open_file gate/base-1.pb.gz
first=$id
open_file gate/base-2.pb.gz
[ -n "$first" ] && [ -n "$id" ] && [ "$first" != "$id" ]
result $? "uploaded files get ids"

printf 'main;parse 30\nmain;send 12\n' >"$tmp/stacks.json"
curl -s -m 60 --data-binary "@$tmp/stacks.json" -H "X-Cpa-Token: $token" -H 'Content-Type: application/octet-stream' \
	"$url/ui/do/open?name=stacks.json" >"$tmp/answer"
page "top?prof=$(sed -n 's/.*"id": "\([^"]*\)".*/\1/p' "$tmp/answer")"
[ "$status" = 200 ] && has '>parse<'
result $? "folded stacks are opened too, also if their name has another ending"

second=$id
for file in perf/two-zstd.data jfr/async.jfr.gz callgrind/mill.out; do
	open_file "formats/$file"
	page "top.csv?n=5&nf=0&prof=$id" '*/*'
	"$CPA" top --csv -nodecount=5 -nodefraction=0 "formats/$file" >"$tmp/want" 2>"$tmp/err"
	cmp -s "$tmp/want" "$tmp/page" || echo "$file $status"
done >"$tmp/differ"
[ ! -s "$tmp/differ" ]
result $? "files of perf, Java and Valgrind have the numbers of the command line" || note "$tmp/differ"
id=$second

"$CPA" gate --json -base=gate/base-1.pb.gz -base=gate/base-2.pb.gz gate/slow-1.pb.gz >"$tmp/want"
page "data/verdicts?base=$first,$id" '*/*'
diff "$tmp/want" "$tmp/page" >"$tmp/diff" || note "$tmp/diff"
cmp -s "$tmp/want" "$tmp/page"
result $? "the verdicts are those of cpa gate --json"

page "gate?base=$first&base=$id"
[ "$status" = 200 ] && has 'verdict-suspect">SUSPECT' && has '2 profiles' && has 'A side is a single profile'
result $? "the gate's page has verdicts, sides, and what a single profile does not prove"
"$CPA" diff gate/base-1.pb.gz gate/slow-1.pb.gz >"$tmp/want"
page "diff?base=$first"
[ "$status" = 200 ] && has '>792ms</td><td data-value="1040000000">1,040ms</td><td class="more">&#43;248ms</td>' && has '>+31.31%</td>' &&
	grep -q '792ms.*1,040ms.*+248ms.*+31.31%' "$tmp/want"
result $? "the difference has the numbers of cpa diff"
has '"command">cpa diff gate/base-1.pb.gz gate/slow-1.pb.gz<'
result $? "its command line names both files"
page "diff?base=$first&scale=total"
[ "$status" = 200 ] && has_not '<td>792ms</td><td>1,040ms</td>'
result $? "a difference can be scaled to equal totals"
page "flamegraph.svg?base=$first"
[ "$status" = 200 ] && has '<svg'
result $? "the flame graph shows the difference"
curl -s -F "token=$token" -F 'file=@gate/base-3.pb.gz' -o "$tmp/page" -D "$tmp/head" -H 'Accept: text/html' "$url/ui/do/open"
grep -q '^HTTP/1.1 303' "$tmp/head" && grep -qi '^location: \.\./flamegraph?prof=' "$tmp/head"
result $? "a form without scripts opens a file"
page_stop

mkdir "$tmp/runs"
cp gate/base-1.pb.gz gate/base-2.pb.gz "$tmp/runs"
touch -d 2020-01-01 "$tmp/runs/base-1.pb.gz"
ln -s /etc/passwd "$tmp/runs/link"
page_start "$tmp/runs"
take_token
has '<option value="base-1.pb.gz">' && has_not 'link"'
result $? "the files of a folder are listed, without links"
page flamegraph
[ "$status" = 200 ] && has 'base-2.pb.gz'
result $? "the newest file is shown"
action folder 'folder=0&file=base-1.pb.gz&file=base-2.pb.gz'
[ "$status" = 200 ] && has 'diff?base='
result $? "two files of a folder are compared"
for file in link ../runs/base-1.pb.gz /etc/passwd none; do
	action folder "folder=0&file=$file"
	[ "$status" = 400 ] && has 'no such file'
	result $? "$file is refused"
done
action folder 'folder=1&file=base-1.pb.gz'
[ "$status" = 400 ]
result $? "other folders are refused"
page_stop

if ! command -v python3 >/dev/null; then
	done_testing
	exit
fi
mkfifo "$tmp/stdin"
python3 "$top_srcdir/tests/cli/profile_server.py" . <"$tmp/stdin" >"$tmp/port" &
exec 8>"$tmp/stdin"
while [ ! -s "$tmp/port" ]; do sleep 0.05; done
port=$(cat "$tmp/port")
page_start "127.0.0.1:$port/debug/pprof/heap"
take_token

action capture 'server=0&kind=heap'
ended 1 && grep -q '"done"' "$tmp/answer" && grep -q '"flamegraph?prof=' "$tmp/answer"
result $? "a capture of the heap is opened"
action capture 'server=0&kind=heap'
ended 2 && grep -q '"done"' "$tmp/answer"
result $? "it can be captured again"
page capture
has 'equal to the previous' || has 'compare with the previous'
result $? "the list compares it with the previous capture"
action capture 'server=0&kind=profile&seconds=12'
action capture 'server=0&kind=heap'
[ "$status" = 400 ] && has 'is running; stop it first'
result $? "one capture at a time runs per server"
ended 3 && grep -q '"done"' "$tmp/answer" && grep -q '"samples": 1[0-9]*' "$tmp/answer"
result $? "a long CPU profile is the sum of its pieces"
action capture 'server=0&kind=profile&seconds=60'
sleep 0.3
action stop 'capture=4&keep=f'
ended 4 && grep -q '"discarded"' "$tmp/answer"
result $? "a capture can be discarded"
action capture 'server=0&kind=profile&seconds=301'
[ "$status" = 400 ] && has '300 seconds'
result $? "a capture takes at most 300 seconds"
action capture 'server=1&kind=heap'
[ "$status" = 400 ] && has 'no such server'
result $? "other servers are refused"
action capture 'server=0&kind=../../x'
[ "$status" = 400 ] && has 'unknown kind'
result $? "other paths are refused"

action capture 'server=0&kind=block'
ended 5 && grep -q '"done"' "$tmp/answer"
result $? "a redirect within the server is followed"
action capture 'server=0&kind=mutex'
ended 6 && grep -q 'redirects to another server' "$tmp/answer"
result $? "a redirect to another server is refused"
action capture 'server=0&kind=goroutine'
ended 7 && grep -q '"failed"' "$tmp/answer" && page capture && has 'Internal Server Error' && has_not '<b>'
result $? "an error of the server is shown as text"
action reload ''
ended 8 && grep -q '"done"' "$tmp/answer"
result $? "the sources of the command line are fetched again"
action capture 'server=0&kind=allocs'
ended 9 && grep -q '"failed"' "$tmp/answer"
result $? "a server that exits during a capture is an error"
page top
[ "$status" = 200 ] && has 'inuse_space'
result $? "the profile of the command line remains"
page_stop
exec 8>&-

sleep 300 &
sleeper=$!
page_start --no-save "pid:$sleeper?wall&seconds=1"
take_token
page capture
has 'Fetch again' && has 'name="kind" value="profile"' && has_not 'value="heap"'
result $? "a running process can be captured, CPU only"
action capture 'server=0&kind=heap'
[ "$status" = 400 ] && has 'a running process has only CPU profiles'
result $? "other kinds of a process are refused"
action capture 'server=0&kind=profile&seconds=1'
ended 1 && grep -q '"done"' "$tmp/answer"
result $? "a running process is captured"
page_stop
kill $sleeper

"$CPA" -http=127.0.0.1: -no_browser --http-allow-server=a/b/c gate/slow-1.pb.gz 2>"$tmp/err"
[ $? = 2 ] && grep -q -- '--http-allow-server=a/b/c: expected HOST:PORT' "$tmp/err"
result $? "an invalid server is refused at the start"
done_testing
