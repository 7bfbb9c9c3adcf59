#!/bin/sh
# t850-endpoint-run.t - cpa run --enable-profiling answers like net/http/pprof of a Go program
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
. "$top_srcdir/tests/runtime/endpoint.sh"
compile serves -Wall
raw='application/octet-stream'
text='text/plain; charset=utf-8'

serve_ready --enable-profiling --block-rate=1ns --mutex-fraction=1 --heap-rate=64kB -- ./serves 600 1 0
is "$(cat err)" "cpa: profiling server listening on $base/debug/pprof/" 'cpa reports the address of the server'
is "$(echo "$base" | tr -d 0-9)" 'http://...:' 'the default address is a free loopback port'
is "$(get /)" "200 text/html; charset=utf-8 -" 'the index is an HTML page'
is "$(grep -o 'href=.[a-z]*?debug=1' body | grep -o '[a-z]*?' | sort -u | tr '\n' ' ' | grep -c 'allocs? .*block? .*heap? .*mutex? .*threads? ')" 1 \
	'the index page lists all kinds of profiles'
is "$(get /cmdline) $(tr '\0' ' ' <body)" "200 $text - ./serves 600 1 0" 'the command line is served'
for kind in heap allocs block mutex threads goroutine threadcreate; do
	is "$(get /$kind $kind.pb.gz)" "200 $raw $kind" "$kind is served as a profile"
	is "$(get "/$kind?debug=1" $kind.txt)" "200 $text -" "$kind is served as text"
done
is "$(get '/threads?debug=2' dump.txt)" "200 $text -" 'threads are listed one by one'

row() { # FILE FUNCTION [OPTION]...: its cum
	file=$1 name=$2
	shift 2
	"$CPA" top -symbolize=none -nodecount=0 -trim=false "$@" "$file" 2>/dev/null |
		awk -v name="$name" '$6 == name { print $4 }'
}
within "$(row heap.pb.gz keeper -unit=B -sample_index=inuse_space | tr -d B)" 67108864 12 'the heap profile contains the memory that the program keeps, with names'
between "$(row block.pb.gz locker -unit=ms -sample_index=delay | tr -d 'ms')" 1 100000 'the block profile contains the waiting function'
between "$(row mutex.pb.gz locker -unit=ms -sample_index=delay | tr -d 'ms')" 1 100000 'the mutex profile contains the holder'
is "$(row threads.pb.gz idler) $(row threads.pb.gz locker)" '1 2' 'the threads profile contains the functions of threads'
is "$(grep -c 'idler' dump.txt) $(grep -c '^thread' dump.txt)" '1 5' 'the text of the threads profile contains the functions of threads'
is "$(row threadcreate.pb.gz main)" 4 'the threadcreate profile contains the function that creates threads'
is "$(get '/heap?symbolize=0' bare.pb.gz) $(row bare.pb.gz keeper)" "200 $raw heap " 'symbolize=0 omits the names'
is "$(get '/heap?debug=1' heap.txt) $(grep -c 'keeper' heap.txt)" "200 $text - 1" 'the text of the heap profile contains names'

used=$(ask used "$pid" "$base" '/debug/pprof/profile?seconds=2' cpu.pb.gz)
between "$(total cpu.pb.gz)" "$((used * 85 / 100))" "$((used + 20000000))" 'the total of a CPU profile matches the CPU clock'
all=$(total cpu.pb.gz)
between "$(share cpu.pb.gz burner)" "$((all * 9 / 10 - 20000000))" "$all" 'a CPU profile contains the function that uses the time'
is "$(row cpu.pb.gz burner | grep -c s)" 1 'a CPU profile contains names'
is "$(get '/heap?seconds=1' delta.pb.gz)" "200 $raw heap-delta" 'seconds= returns a delta profile'
is "$(row delta.pb.gz keeper)" '' 'a delta profile does not contain earlier memory'

# symbol names of addresses
address=$("$CPA" raw -symbolize=none bare.pb.gz 2>/dev/null | sed -n '/^Locations/,/^Mappings/s/^ *[0-9]*: \(0x[0-9a-f]*\) M=1.*/\1/p' | head -n 1)
is "$(ask post "$base" /debug/pprof/symbol "$address") $(sed -n 's/^\(0x[0-9a-f]*\) .*/\1/p' body)" "200 $text - $address" 'the server returns names of addresses'
is "$("$CPA" top "$base/debug/pprof/heap" 2>/dev/null | grep -c keeper)" 1 'cpa top reads a profile from the server'
if command -v go >/dev/null; then
	export PPROF_TMPDIR="$tmp/pprof"
	is "$(go tool pprof -top -sample_index=inuse_space "$base/debug/pprof/heap" 2>/dev/null | grep -c ' keeper')" 1 'go tool pprof reads a profile from the server'
	is "$(go tool pprof -top -symbolize=remote -sample_index=inuse_space "$base/debug/pprof/heap?symbolize=0" 2>/dev/null | grep -c ' keeper')" 1 \
		'go tool pprof gets names from the server'
	is "$(go tool pprof -top -seconds=1 "$base/debug/pprof/profile" 2>/dev/null | grep -c ' burner')" 1 'go tool pprof reads a profile of CPU time from the server'
fi
end TERM
is "$status" 143 'the signal sent to the program ends it'
is "$(files '*.pb.gz.old') $(files 'cpu-*')" ' ' 'without a file option no file is written'
is "$(cat err)" "cpa: profiling server listening on $base/debug/pprof/" 'cpa prints no message but the address'

used() { # ns of CPU time of all children until now, after times >used
	awk -F '[ms ]+' 'NR == 2 { printf "%.0f\n", ($1 * 60 + $2 + $3 * 60 + $4) * 1e9 }' used
}

# with --cpu, CPU time is always sampled, so any number of captures can run concurrently
times >used
before=$(used)
serve_ready --enable-profiling --heap-rate=0 --cpu=all.pb.gz -- ./serves 600 1 0
is "$(get '/heap?debug=1' body | cut -d ' ' -f 1) $(grep -c keeper body)" '200 0' 'without a rate the heap profile is empty'
is "$(ask many "$base" '/debug/pprof/profile?seconds=1' 3)" 200:3 'with --cpu three clients can capture at the same time'
worked 2
end USR1
is "$status" 7 'the exit status is that of the program'
times >used
all=$(($(used) - before)) # that of cpa and of the clients, too
between "$(total all.pb.gz)" $((all / 2)) "$all" 'with --cpu the file is written'
done_testing
