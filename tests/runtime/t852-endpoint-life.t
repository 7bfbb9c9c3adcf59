#!/bin/sh
# t852-endpoint-life.t - clients that come together or go away, and programs that stop, end, or are killed
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
. "$top_srcdir/tests/runtime/endpoint.sh"
compile serves -Wall

serve_ready --enable-profiling -- ./serves 600 1 2
get '/profile?seconds=6' first.pb.gz >first &
first=$!
sampled
is "$(get '/profile?seconds=1') $(cat body)" \
	'500 text/plain; charset=utf-8 - Could not enable CPU profiling: cpu profiling already in use' 'a second capture of CPU time'
is "$(get '/profile?seconds=1&share=1' shared.pb.gz)" '200 application/octet-stream profile' 'that shares it'
is "$(ask many "$base" '/debug/pprof/heap?seconds=1' 4)" 200:4 'others at the same time'
wait $first
is "$(cat first)" '200 application/octet-stream profile' 'the first goes on'
between "$(total shared.pb.gz)" 50000000 3000000000 'the one that shares has its own second'
between "$(total first.pb.gz)" "$(total shared.pb.gz)" 20000000000 'the first has all'
for n in 1 2; do
	ask abort "$base" '/debug/pprof/profile?seconds=20' 0.5
	for _ in $(seq 50); do
		got=$(get '/profile?seconds=1' | cut -d ' ' -f 1)
		[ "$got" = 200 ] && break
		sleep 0.1
	done
	is "$got" 200 "a client that hangs up does not keep the session ($n)"
done

# shellcheck disable=SC2086 # numbers
set -- $children
is "$(get "/profile?seconds=1&pid=$1" child.pb.gz)" '200 application/octet-stream profile' 'a child by its number'
between "$(share child.pb.gz child_burner)" 50000000 3000000000 'is the child'
is "$(get '/profile?seconds=1' main.pb.gz) $(share main.pb.gz child_burner)" '200 application/octet-stream profile ' 'who is not in the program itself'
is "$(get "/heap?pid=$$" | cut -d ' ' -f 1)" 404 'there is no other'
kill -KILL "$1"
for _ in $(seq 50); do
	got=$(get "/heap?pid=$1" | cut -d ' ' -f 1)
	[ "$got" = 404 ] && break
	sleep 0.1
done
is "$got" 404 'nor the child when it has ended'

kill -STOP "$pid"
is "$(get '/profile?seconds=1' stopped.pb.gz)" '200 application/octet-stream profile' 'of a program that is stopped'
between "$(total stopped.pb.gz)" 0 100000000 'there is no CPU time'
is "$(get '/threads?debug=2') $(grep -c '^thread' body)" '200 text/plain; charset=utf-8 - 5' 'but threads'
is "$(get /heap | cut -d ' ' -f 1)" 200 'and its heap'
kill -CONT "$pid"
used=$(ask used "$pid" "$base" '/debug/pprof/profile?seconds=1' on.pb.gz)
between "$(total on.pb.gz)" 10000000 "$((used + 20000000))" 'it goes on, and is sampled'

get '/profile?seconds=30' last.pb.gz >last &
client_pid=$!
get '/heap?seconds=30' heap.pb.gz >heap &
other=$!
sampled
worked 0.5
before=$(date +%s)
end KILL
is "$status" 137 'a program that is killed'
wait $client_pid $other
between "$(($(date +%s) - before))" 0 8 'captures end with it'
is "$(cat last) $(cat heap)" '200 application/octet-stream profile 200 application/octet-stream heap-delta' 'whose clients are answered'
between "$(total last.pb.gz)" 50000000 9000000000 'with what there was'

serve_ready --enable-profiling --cpu=file.pb.gz -- ./serves 600 1 0
get '/profile?seconds=30' last.pb.gz >last &
client_pid=$!
worked 1.5 # and the client is there
end USR1
is "$status" 7 'a program that ends has its status'
wait $client_pid
is "$(cat last)" '200 application/octet-stream profile' 'and the client its answer'
between "$(total last.pb.gz)" 50000000 9000000000 'with what there was'
between "$(total file.pb.gz)" "$(total last.pb.gz)" 9000000000 'the file has that and more'

# a client that does not read does not keep cpa
serve_ready --enable-profiling -- ./serves 600 1 0
ask abort "$base" '/debug/pprof/profile?seconds=60' 20 2>/dev/null &
client_pid=$!
sampled
before=$(date +%s)
end TERM
between "$(($(date +%s) - before))" 0 8 'one that does not read keeps it some seconds at most'
kill $client_pid
wait $client_pid 2>/dev/null

# a daemon: what goes on is left alone, and it is told
"$CPA" run --enable-profiling -- sh -c '(sleep 2 >/dev/null 2>&1; true) & sleep 0.5; exit 3' >out 2>err
is "$? $(sed -n 2p err | sed 's|/[^ ]*/||')" \
	'3 cpa: sh has ended, and the server of its profiles with it; 1 process that it started goes on' 'a daemon leaves its server'

# what cannot be profiled
if ${CC:-cc} -static -O1 -o serves-static "$top_srcdir/tests/runtime/serves.c" -pthread 2>/dev/null; then
	serve_ready --enable-profiling -- sh -c 'exec ./serves-static 600 0 0'
	for path in /heap '/profile?seconds=1' '/threads?debug=1'; do
		is "$(get "$path" | cut -d ' ' -f 1,2) $(wc -l <body)" '404 text/plain; 1' "a program that cannot be profiled: $path"
	done
	end TERM
fi

# cpa is killed: the program goes on, without timers
serve_ready --enable-profiling -- ./serves 600 2 0
get '/profile?seconds=20' >/dev/null 2>&1 &
client_pid=$!
sampled
kill -KILL "$cpa"
wait "$cpa" 2>/dev/null
wait $client_pid
for _ in $(seq 100); do
	[ "$(grep -c ^ID "/proc/$pid/timers")" -le 1 ] && break
	sleep 0.05
done
between "$(grep -c ^ID "/proc/$pid/timers")" 0 1 'with cpa killed the timers go'
kill -KILL "$pid"
done_testing
