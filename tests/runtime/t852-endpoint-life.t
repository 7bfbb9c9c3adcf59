#!/bin/sh
# t852-endpoint-life.t - concurrent and disconnecting clients, and programs that stop, end, or are killed
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
. "$top_srcdir/tests/runtime/endpoint.sh"
compile serves -Wall

serve_ready --enable-profiling -- ./serves 600 1 2
get '/profile?seconds=6' first.pb.gz >first &
first=$!
sampled
is "$(get '/profile?seconds=1') $(cat body)" \
	'500 text/plain; charset=utf-8 - Could not enable CPU profiling: cpu profiling already in use' 'a second capture of CPU time is refused'
is "$(get '/profile?seconds=1&share=1' shared.pb.gz)" '200 application/octet-stream profile' 'a second capture of CPU time can share the first'
is "$(ask many "$base" '/debug/pprof/heap?seconds=1' 4)" 200:4 'captures of the heap run at the same time'
wait $first
is "$(cat first)" '200 application/octet-stream profile' 'the first capture continues'
between "$(total shared.pb.gz)" 50000000 3000000000 'the shared capture covers its own second'
between "$(total first.pb.gz)" "$(total shared.pb.gz)" 20000000000 'the first capture covers its whole time'
for n in 1 2; do
	ask abort "$base" '/debug/pprof/profile?seconds=20' 0.5
	for _ in $(seq 50); do
		got=$(get '/profile?seconds=1' | cut -d ' ' -f 1)
		[ "$got" = 200 ] && break
		sleep 0.1
	done
	is "$got" 200 "a client that disconnects releases the recording ($n)"
done

# shellcheck disable=SC2086 # numbers
set -- $children
is "$(get "/profile?seconds=1&pid=$1" child.pb.gz)" '200 application/octet-stream profile' 'a child can be profiled by its pid'
between "$(share child.pb.gz child_burner)" 50000000 3000000000 'a profile requested by pid is that of the child'
is "$(get '/profile?seconds=1' main.pb.gz) $(share main.pb.gz child_burner)" '200 application/octet-stream profile ' 'the profile of the program does not include the child'
is "$(get "/heap?pid=$$" | cut -d ' ' -f 1)" 404 'a process that is not profiled cannot be requested by its pid'
kill -KILL "$1"
for _ in $(seq 50); do
	got=$(get "/heap?pid=$1" | cut -d ' ' -f 1)
	[ "$got" = 404 ] && break
	sleep 0.1
done
is "$got" 404 'a child that has ended cannot be profiled by its pid'

kill -STOP "$pid"
is "$(get '/profile?seconds=1' stopped.pb.gz)" '200 application/octet-stream profile' 'a stopped program can be captured'
between "$(total stopped.pb.gz)" 0 100000000 'a stopped program uses no CPU time'
is "$(get '/threads?debug=2') $(grep -c '^thread' body)" '200 text/plain; charset=utf-8 - 5' 'threads of a stopped program are listed'
is "$(get /heap | cut -d ' ' -f 1)" 200 'the heap of a stopped program is served'
kill -CONT "$pid"
used=$(ask used "$pid" "$base" '/debug/pprof/profile?seconds=1' on.pb.gz)
between "$(total on.pb.gz)" 10000000 "$((used + 20000000))" 'a program that continues after a stop is sampled'

get '/profile?seconds=30' last.pb.gz >last &
client_pid=$!
get '/heap?seconds=30' heap.pb.gz >heap &
other=$!
sampled
worked 0.5
before=$(date +%s)
end KILL
is "$status" 137 'a killed program keeps its status'
wait $client_pid $other
between "$(($(date +%s) - before))" 0 8 'captures end when the program is killed'
is "$(cat last) $(cat heap)" '200 application/octet-stream profile 200 application/octet-stream heap-delta' 'clients of a killed program get answers'
between "$(total last.pb.gz)" 50000000 9000000000 'clients of a killed program get the samples taken before its end'

serve_ready --enable-profiling --cpu=file.pb.gz -- ./serves 600 1 0
get '/profile?seconds=30' last.pb.gz >last &
client_pid=$!
worked 1.5 # and the client is there
end USR1
is "$status" 7 'a program keeps its exit status'
wait $client_pid
is "$(cat last)" '200 application/octet-stream profile' 'a client gets its answer when the program ends'
between "$(total last.pb.gz)" 50000000 9000000000 'a client gets the samples taken before the end of the program'
between "$(total file.pb.gz)" "$(total last.pb.gz)" 9000000000 'the file contains the samples that the client got, and more'

# a client that does not read does not block cpa
serve_ready --enable-profiling -- ./serves 600 1 0
ask abort "$base" '/debug/pprof/profile?seconds=60' 20 2>/dev/null &
client_pid=$!
sampled
before=$(date +%s)
end TERM
between "$(($(date +%s) - before))" 0 8 'a client that does not read delays the end by a few seconds at most'
kill $client_pid
wait $client_pid 2>/dev/null

# a daemon: surviving processes are left alone and reported
"$CPA" run --quiet --enable-profiling -- sh -c '(sleep 2 >/dev/null 2>&1; true) & sleep 0.5; exit 3' >out 2>err
is "$? $(sed -n 2p err | sed 's|/[^ ]*/||')" \
	'3 cpa: sh has ended, so its profiling server stops; 1 process is still running' 'a daemon survives its server'

# programs that cannot be profiled
if ${CC:-cc} -static -O1 -o serves-static "$top_srcdir/tests/runtime/serves.c" -pthread 2>/dev/null; then
	serve_ready --enable-profiling -- sh -c 'exec ./serves-static 600 0 0'
	for path in /heap '/profile?seconds=1' '/threads?debug=1'; do
		is "$(get "$path" | cut -d ' ' -f 1,2) $(wc -l <body)" '404 text/plain; 1' "a program that cannot be profiled: $path"
	done
	end TERM
fi

# cpa is killed: the program continues without timers
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
between "$(grep -c ^ID "/proc/$pid/timers")" 0 1 'timers are deleted after cpa was killed'
kill -KILL "$pid"
done_testing
