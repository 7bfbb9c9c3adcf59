#!/bin/sh
# t854-endpoint-prefork.t - prefork servers: each worker can be profiled
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
. "$top_srcdir/tests/runtime/endpoint.sh"
compile prefork -Wall
compile serves -Wall

prefork_do() { # LINE: send it to prefork, and print the answer
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
one=$(prefork_do fork)
two=$(prefork_do deep)
late=$(prefork_do late)
idle=$(prefork_do idle)
for n in "$one" "$two" "$idle" "$late"; do
	for _ in $(seq 40); do # it has to be given a processor first, and the last one waits
		get / index.html >/dev/null
		grep "<a href=\"?pid=$n\">" index.html >line && break
		sleep 0.1
	done
	is "$(sed "s|.*<a href=\"?pid=$n\">$n</a>.*\(prefork (forked)\).*|\1|" line)" 'prefork (forked)' \
		'the index page lists a child with its program, even after its parent has ended'
done
is "$(get "/threads?debug=2&pid=$one") $(grep -c '^thread' body) $(grep -c worker body)" '200 text/plain; charset=utf-8 - 1 1' 'threads of a child whose parent has ended are listed'
get "/profile?seconds=1&pid=$one" one.pb.gz >said.one &
first=$!
for _ in $(seq 200); do # armed, which they all are
	[ "$(grep -c ^ID "/proc/$two/timers")" -gt 0 ] && break
	sleep 0.01
done
three=$(prefork_do fork)
get "/profile?seconds=1&share=1&pid=$three" three.pb.gz >said.three
wait $first
is "$(cat said.one)" '200 application/octet-stream profile' 'a busy child is profiled'
between "$(share one.pb.gz worker)" 10000000 1500000000 'the profile of a busy child contains its busy function'
get "/profile?seconds=1&pid=$two" two.pb.gz >said.two
is "$(cat said.two)" '200 application/octet-stream profile' 'a grandchild whose parent has ended is profiled'
between "$(share two.pb.gz worker)" 10000000 1500000000 'the profile of a grandchild contains its busy function'
is "$(cut -d ' ' -f 1 said.three)" 200 'a child forked during a recording can share it'
get "/profile?seconds=1&pid=$three" three.pb.gz >/dev/null
between "$(share three.pb.gz worker)" 10000000 1500000000 'the profile of a child that shares a recording contains its own time'
is "$(get '/profile?seconds=1' main.pb.gz) $(share main.pb.gz worker)" '200 application/octet-stream profile ' 'the profile of the main process does not include its children'

# programs executed by children
exec_one=$(prefork_do "exec $tmp/serves")
is "$(status_of "/heap?pid=$exec_one" 200)" 200 'a child is found before its exec'
kill -USR1 "$exec_one"
for _ in $(seq 200); do
	get "/cmdline?pid=$exec_one" >/dev/null
	[ "$(tr '\0' ' ' <body)" = "$tmp/serves 300 0 0" ] && break
	sleep 0.1
done
is "$(tr '\0' ' ' <body)" "$tmp/serves 300 0 0" 'a child is found as the new program after its exec'
get / >/dev/null
is "$(grep "?pid=$exec_one\"" body | grep -c 'serves</td>')" 1 'a child is listed once after its exec'
if ${CC:-cc} -static -O1 -o serves-static "$top_srcdir/tests/runtime/serves.c" -pthread 2>/dev/null; then
	gone=$(prefork_do "exec $tmp/serves-static")
	is "$(status_of "/heap?pid=$gone" 200) $(kill -USR1 "$gone") $(status_of "/heap?pid=$gone" 404)" '200  404' 'a child that executes a program without our library can no longer be requested'
	get / >/dev/null
	is "$(grep -c "?pid=$gone\"" body)" 0 'a child that executes a program without our library is not listed'
fi

# many short-lived children: slots are freed, without messages
is "$(prefork_do 'short 1000')" 'done' 'a thousand short-lived children exit normally'
for _ in $(seq 100); do # cpa may be late; a child forked while all slots are taken gets one with its first sample
	get / >/dev/null
	[ "$(grep -c 'href="?pid=' body)" -gt 7 ] || break
	sleep 0.1
done
four=$(prefork_do fork)
is "$(status_of "/heap?pid=$four" 200)" 200 'short-lived children leave slots for a new child'
get / >/dev/null
between "$(grep -c 'href="?pid=' body)" 1 7 'ended children are not listed'
echo quit >pipe
wait "$cpa"
is "$? $(sed -e 1d -e '/^cpa: programs without a profile: 1, because they cannot load /d' err)" '0 ' 'cpa prints no message about ended children'
cpa=

# more children at the same time than slots
start --enable-profiling
one=$(prefork_do fork)
is "$(status_of "/heap?pid=$one" 200)" 200 'without --follow forked children can be profiled'
get "/profile?seconds=1&pid=$one" one.pb.gz >/dev/null
between "$(share one.pb.gz worker)" 10000000 1500000000 'without --follow the profile of a forked child contains its time'
gone=$(prefork_do "exec $tmp/serves")
is "$(status_of "/heap?pid=$gone" 200) $(kill -USR1 "$gone") $(status_of "/heap?pid=$gone" 404)" '200  404' 'without --follow programs executed by children cannot be profiled'
echo quit >pipe
wait "$cpa"
cpa=

# without a server children take no slot before they have samples
start --enable-profiling=false --cpu=p.pb.gz
is "$(prefork_do 'short 1000')" 'done' 'a thousand children are started without a server'
echo quit >pipe
wait "$cpa"
is "$? $(grep -v written err) $(files 'p.pb*')" '0  p.pb.gz ' 'without a server the profile is written without messages'
cpa=
done_testing
