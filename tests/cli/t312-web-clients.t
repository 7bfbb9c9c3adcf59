#!/bin/sh
# t312-web-clients.t - no request ends the web UI: errors without a query, files in parallel, large pages, memory; paths
# SPDX-License-Identifier: Apache-2.0
program=${CPA:?}
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/page.sh"
export XDG_CONFIG_HOME="$tmp/config"
large="python3 -B $top_srcdir/tests/cli/large_output.py"

# open_file FILE: opens a profile as a page does, and prints its id
open_file() {
	curl -s -H "X-Cpa-Token: $token" -H 'Content-Type: application/octet-stream' --data-binary "@$1" "$url/ui/do/open" |
		sed -n 's/.*"id": *"\([0-9a-f]*\)".*/\1/p'
}
# start ARG...: starts a server and sets token
start() {
	page_start -symbolize=none "$@"
	page open
	token=$(sed -n 's/.*name="token" content="\([^"]*\)".*/\1/p' "$tmp/page" | head -n 1)
}
# is_alive: does the server answer?
is_alive() {
	kill -0 "$page_pid" 2>/dev/null && [ "$(curl -s -o /dev/null -w '%{http_code}' "$url/ui/help")" = 200 ]
}
# location PATH: prints the header Location of the answer to PATH, which is below the server, not below /ui/
location() {
	curl -s -g -D - -o /dev/null -H 'Accept: text/html' "$url/$1" | tr -d '\r' | sed -n 's/^Location: //p'
}
# refused STATUS TEXT PATH: checks that /ui/PATH is refused with this message, and the server continues
refused() {
	page "$3"
	[ "$status" = "$1" ] && has "$2" && is_alive
	result $? "$3 is refused ($status): $2"
}

start go-heap1.pb.gz
cpu=$(open_file go-cpu.pb.gz)
heap=$(open_file go-heap2.pb.gz)
for view in top diff flamegraph gate trend compare help; do
	refused 400 'role="alert"' "$view?base=$cpu,$heap&prof=$cpu"
done
page "top.json?base=$cpu,$heap" '*/*'
[ "$status" = 400 ] && is_alive
result $? "a file of profiles without a common type is refused"

exports() {
	for i in 1 2 3 4 5 6 7 8 9 10; do
		curl -s -o /dev/null -w '%{http_code}\n' "$url/ui/flamegraph.$1?width=$((600 + i * 7 + $2))"
	done >"$tmp/exports.$2"
}
for i in 1 2 3 4; do
	exports pdf "$i" &
	pids="${pids:-} $!"
	exports png "1$i" &
	pids="$pids $!"
done
# shellcheck disable=SC2086 # words
wait $pids
cat "$tmp"/exports.* >"$tmp/all"
is_equal "$(sort "$tmp/all" | uniq -c | tr -s ' ')" ' 80 200' 'clients that export PDF and PNG at the same time get their files'
is_alive
result $? 'the server continues after parallel exports'

is_equal "$(location '')" ui/ 'the first redirect is relative'
is_equal "$(location '?f=a')" 'ui/?f=a' 'it keeps the query'
is_equal "$(location ui)" ui/ '/ui leads to /ui/'
is_equal "$(location ui/)" flamegraph '/ui/ leads to the flame graph'
is_equal "$(location a/b/c?f=a)" '../../ui/?f=a' 'other paths lead to /ui/, relative to their depth'
for path in nosuch x/y x/y/z do/no/such; do
	page "$path"
	css=$(sed -n 's/.*<link rel="stylesheet" href="\([^"]*\)".*/\1/p' "$tmp/page")
	code=$(curl -s -o /dev/null -w '%{http_code}' "$url/ui/$path/../$css")
	[ "$status $code" = '404 200' ]
	result $? "the page for $path, which does not exist, has its style ($status, $code)"
done
page_stop

start
is_equal "$(location ui/)" flamegraph 'without a profile /ui/ leads to the flame graph'
is_equal "$(location ui/flamegraph)" open 'which leads to the page that opens files'
is_equal "$(location 'ui/source?f=a')" open 'so does every view'
page open
[ "$status" = 200 ] && has 'Drop profiles here' && has 'cpa -http=: -base=old.pb.gz new.pb.gz' && has_not 'class="error"'
result $? 'this page states what can be dropped, and the command lines'
for view in compare help capture; do
	page "$view"
	is_equal "$status" 200 "without a profile there is the page $view"
done
page top.json '*/*'
[ "$status" = 400 ] && has 'no profile is open'
result $? 'a file without a profile is refused'
refused 400 'is not open' 'top?prof=12345678'
id=$(open_file go-cpu.pb.gz)
page "top?prof=$id"
[ "$status" = 200 ] && has 'shop/parcel'
result $? 'an opened file is shown'
page top
is_equal "$status" 200 'it is the profile of addresses without one'
page_stop

# 1,000 inlined lines at one address: without limits the page would have 700 MB
$large "$tmp/inline.pb.gz" inline 1000
$large "$tmp/lines.pb.gz" lines 5000 100000
peak() { # ARG...: the most memory of "cpa ARG..." in MB
	python3 - "$CPA" "$@" 2>"$tmp/err" <<-'END'
		import os, subprocess, sys
		p = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
		_, status, used = os.wait4(p.pid, 0)
		print(used.ru_maxrss // 1024 if status == 0 else -1)
	END
}
# The limits are those of the plain build; sanitizers need several times as much.
most=64
if readelf -W --dyn-syms "$program" | grep -q "__[at]san_init"; then most=1000; fi
for name in inline lines; do
	mb=$(peak weblist . -o "$tmp/page.html" "$tmp/$name.pb.gz")
	size=$(($(wc -c <"$tmp/page.html") / 1000000))
	limit=$most
	[ $name = inline ] || limit=$((most + 256))
	[ "$mb" -gt 0 ] && [ "$mb" -le $limit ] && [ $size -le $limit ] && [ "$size" -gt 0 ]
	result $? "weblist of $name is bounded: $mb MB of memory, $size MB of page"
	cat "$tmp/err" >>"$tmp/errs"
done
grep -q 'weblist: 404550 inlined calls are omitted, since at most 100 are listed for an instruction' "$tmp/errs"
result $? 'weblist states how many inlined calls are omitted'
grep -q 'weblist: showing [0-9]* of 5000 functions, since the page would be larger than 64 MiB; select fewer' "$tmp/errs"
result $? 'weblist states how many functions are shown'
start "$tmp/inline.pb.gz"
page 'source?f=.'
[ "$status" = 200 ] && has '404550 inlined calls are omitted' && has '899 outer calls are omitted' && is_alive
result $? 'so does the page of source'
page_stop

# A request that needs too much memory is stopped; others continue.
$large "$tmp/names.pb.gz" names 5000 100000
start --http-memory=150MB "$tmp/names.pb.gz"
for path in profile.folded profile.txt 'traces?rows=all' profile.json profile.callgrind graph.dot tree.json 'peek.txt?f=.'; do
	page "$path"
	case $status in 200 | 400 | 507) ;; *) false ;; esac && is_alive
	result $? "/ui/$path of long names is answered ($status: $(head -c 70 "$tmp/page" | tr -d '\0' | head -n 1))"
done
page traces.txt '*/*'
[ "$status" = 507 ] && has 'needs more memory than the server may use (150MB)'
result $? "a request above --http-memory gets 507 ($status)"
page top
is_equal "$status" 200 'then other requests are answered'
page_stop
$large "$tmp/many.pb.gz" lines 500000 100
start --http-memory=30MB "$tmp/many.pb.gz"
page top '*/*'
[ "$status" = 507 ] && has 'needs more memory than the server may use (30MB)' && is_alive
result $? "a profile above --http-memory is not loaded, and the server continues ($status)"
page_stop
start --http-memory=150MB "$tmp/names.pb.gz"
page profile.folded '*/*'
if readelf -W --dyn-syms "$program" | grep -q "__[at]san_init"; then # the server may need 150 MB before the file has 256 MiB
	[ "$status" = 400 ] || [ "$status" = 507 ]
else
	[ "$status" = 400 ] && has 'the file is larger than 256 MiB'
fi
result $? "a file above 256 MiB is refused ($status)"
mb=$(($(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$page_pid/status") / 1024))
[ "$mb" -lt $((most + 600)) ]
result $? "the server never had more than 600 MB: $mb MB"
page_stop

fails '^cpa: --keys applies to the shell (cpa FILE), not to top$' top --keys='1 Show q' -o "$tmp/out.txt" go-cpu.pb.gz
fails '^cpa: --keys applies to the shell (cpa FILE), not to top$' top --keys='1 Show q' --json go-cpu.pb.gz
fails '^cpa: --keys applies to the shell (cpa FILE), not to -http$' -http=: --keys=q go-cpu.pb.gz
[ ! -e "$tmp/out.txt" ]
result $? 'nothing is written'

"$CPA" help http >"$tmp/out"
for option in http no_browser http-secret http-allow-host http-allow-server http-upload http-cache http-memory http-idle; do
	grep -q -e "^  *--*$option" "$tmp/out"
	result $? "cpa help http lists $option"
done
grep -q 'docs/web.md' "$tmp/out"
result $? 'cpa help http names the documentation'
done_testing
