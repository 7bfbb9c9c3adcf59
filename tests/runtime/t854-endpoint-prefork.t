#!/bin/sh
# t854-endpoint-prefork.t - servers that fork their workers: each worker is a process that can be asked for
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
. "$top_srcdir/tests/runtime/endpoint.sh"
compile prefork -Wall
compile serves -Wall

tell() { # LINE: give it to prefork, and print its answer
	before=$(wc -l <out)
	echo "$1" >pipe
	for _ in $(seq 200); do
		[ "$(wc -l <out)" -gt "$before" ] && break
		sleep 0.05
	done
	tail -n 1 out
}

status_of() { # PATH WANTED: the status, as soon as it is that one
	for _ in $(seq 20); do
		got=$(get "$1" | cut -d ' ' -f 1)
		[ "$got" = "$2" ] && break
		sleep 0.1
	done
	echo "$got"
}

start() { # OPTION...
	rm -f pipe
	mkfifo pipe
	serve_ready "$@" -- ./prefork pipe
}

start --enable-profiling --follow=all
one=$(tell fork)
two=$(tell deep)
late=$(tell late)
idle=$(tell idle)
for n in "$one" "$two" "$idle" "$late"; do
	for _ in $(seq 40); do # it has to be given a processor first, and the last one waits
		get / index.html >/dev/null
		grep "<a href=\"?pid=$n\">" index.html >line && break
		sleep 0.1
	done
	is "$(sed "s|.*<a href=\"?pid=$n\">$n</a>.*\(prefork (forked)\).*|\1|" line)" 'prefork (forked)' \
		'a child is in the index, with its program, also when its parent is not any more'
done
is "$(get "/threads?debug=2&pid=$one") $(grep -c '^thread' body) $(grep -c worker body)" '200 text/plain; charset=utf-8 - 1 1' 'its threads can be seen'
get "/profile?seconds=1&pid=$one" one.pb.gz >said.one &
first=$!
for _ in $(seq 200); do # armed, which they all are
	[ "$(grep -c ^ID "/proc/$two/timers")" -gt 0 ] && break
	sleep 0.01
done
three=$(tell fork)
get "/profile?seconds=1&share=1&pid=$three" three.pb.gz >said.three
wait $first
is "$(cat said.one)" '200 application/octet-stream profile' 'a child that only uses CPU time is profiled'
between "$(share one.pb.gz worker)" 10000000 1500000000 'where it is at work'
get "/profile?seconds=1&pid=$two" two.pb.gz >said.two
is "$(cat said.two)" '200 application/octet-stream profile' 'and a child of a child whose parent has ended'
between "$(share two.pb.gz worker)" 10000000 1500000000 'just so'
is "$(cut -d ' ' -f 1 said.three)" 200 'one that is forked in the middle of a session can share it'
get "/profile?seconds=1&pid=$three" three.pb.gz >/dev/null
between "$(share three.pb.gz worker)" 10000000 1500000000 'and have its own'
is "$(get '/profile?seconds=1' main.pb.gz) $(share main.pb.gz worker)" '200 application/octet-stream profile ' 'the program itself has nothing of them'

# what children execute
exec_one=$(tell "exec $tmp/serves")
is "$(status_of "/heap?pid=$exec_one" 200)" 200 'a child that will execute a program'
kill -USR1 "$exec_one"
for _ in $(seq 200); do
	get "/cmdline?pid=$exec_one" >/dev/null
	[ "$(tr '\0' ' ' <body)" = "$tmp/serves 300 0 0" ] && break
	sleep 0.1
done
is "$(tr '\0' ' ' <body)" "$tmp/serves 300 0 0" 'is that program then'
get / >/dev/null
is "$(grep "?pid=$exec_one\"" body | grep -c 'serves</td>')" 1 'once in the index'
if ${CC:-cc} -static -O1 -o serves-static "$top_srcdir/tests/runtime/serves.c" -pthread 2>/dev/null; then
	gone=$(tell "exec $tmp/serves-static")
	is "$(status_of "/heap?pid=$gone" 200) $(kill -USR1 "$gone") $(status_of "/heap?pid=$gone" 404)" '200  404' 'or gone, when it cannot be profiled'
	get / >/dev/null
	is "$(grep -c "?pid=$gone\"" body)" 0 'also from the index'
fi

# many that are short: slots come back, and nobody hears of it
is "$(tell 'short 1000')" 'done' 'a thousand children that end at once'
for _ in $(seq 100); do # cpa may be late; who is forked while all places are taken has one with its first sample
	get / >/dev/null
	[ "$(grep -c 'href="?pid=' body)" -gt 7 ] || break
	sleep 0.1
done
four=$(tell fork)
is "$(status_of "/heap?pid=$four" 200)" 200 'leave room for one that stays'
get / >/dev/null
between "$(grep -c 'href="?pid=' body)" 1 7 'those that ended are not in the index'
echo quit >pipe
wait "$cpa"
is "$? $(sed 1d err)" '0 ' 'and cpa has nothing to say of them'
cpa=

# more at once than there is room for
start --enable-profiling
one=$(tell fork)
is "$(status_of "/heap?pid=$one" 200)" 200 'without --follow children of fork are the program, too'
get "/profile?seconds=1&pid=$one" one.pb.gz >/dev/null
between "$(share one.pb.gz worker)" 10000000 1500000000 'and profiled'
gone=$(tell "exec $tmp/serves")
is "$(status_of "/heap?pid=$gone" 200) $(kill -USR1 "$gone") $(status_of "/heap?pid=$gone" 404)" '200  404' 'but not what they execute'
echo quit >pipe
wait "$cpa"
cpa=

# without a server children take no slot before they have something to tell
start --enable-profiling=false --cpu=p.pb.gz
is "$(tell 'short 1000')" 'done' 'without a server'
echo quit >pipe
wait "$cpa"
is "$? $(grep -v written err) $(files 'p.pb*')" '0  p.pb.gz ' 'all is as it was'
cpa=
done_testing
