#!/bin/sh
# t850-endpoint-run.t - cpa run --enable-profiling answers for a program what net/http/pprof does for one in Go
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
. "$top_srcdir/tests/runtime/endpoint.sh"
compile serves -Wall
raw='application/octet-stream'
text='text/plain; charset=utf-8'

serve_ready --enable-profiling --block-rate=1ns --mutex-fraction=1 --heap-rate=64kB -- ./serves 600 1 0
is "$(cat err)" "cpa: profiling server listening on $base/debug/pprof/" 'where it listens is said'
is "$(echo "$base" | tr -d 0-9)" 'http://...:' 'a free port of loopback'
is "$(get /)" "200 text/html; charset=utf-8 -" 'the index is a page'
is "$(grep -o 'href=.[a-z]*?debug=1' body | grep -o '[a-z]*?' | sort -u | tr '\n' ' ' | grep -c 'allocs? .*block? .*heap? .*mutex? .*threads? ')" 1 \
	'that has all kinds'
is "$(get /cmdline) $(tr '\0' ' ' <body)" "200 $text - ./serves 600 1 0" 'the command line'
for kind in heap allocs block mutex threads goroutine threadcreate; do
	is "$(get /$kind $kind.pb.gz)" "200 $raw $kind" "$kind is a profile"
	is "$(get "/$kind?debug=1" $kind.txt)" "200 $text -" 'or a text'
done
is "$(get '/threads?debug=2' dump.txt)" "200 $text -" 'threads one by one'

row() { # FILE FUNCTION [OPTION]...: its cum
	file=$1 name=$2
	shift 2
	"$CPA" top -symbolize=none -nodecount=0 -trim=false "$@" "$file" 2>/dev/null |
		awk -v name="$name" '$6 == name { print $4 }'
}
within "$(row heap.pb.gz keeper -unit=B -sample_index=inuse_space | tr -d B)" 67108864 12 'the heap has what is kept, with names'
between "$(row block.pb.gz locker -unit=ms -sample_index=delay | tr -d 'ms')" 1 100000 'waits are where they are'
between "$(row mutex.pb.gz locker -unit=ms -sample_index=delay | tr -d 'ms')" 1 100000 'and who made them wait'
is "$(row threads.pb.gz idler) $(row threads.pb.gz locker)" '1 2' 'threads are in their functions'
is "$(grep -c 'idler' dump.txt) $(grep -c '^thread' dump.txt)" '1 5' 'in texts too'
is "$(row threadcreate.pb.gz main)" 4 'who created them'
is "$(get '/heap?symbolize=0' bare.pb.gz) $(row bare.pb.gz keeper)" "200 $raw heap " 'without names if one does not want any'
is "$(get '/heap?debug=1' heap.txt) $(grep -c 'keeper' heap.txt)" "200 $text - 1" 'the text of the heap has names'

used=$(ask used "$pid" "$base" '/debug/pprof/profile?seconds=2' cpu.pb.gz)
between "$(total cpu.pb.gz)" "$((used * 85 / 100))" "$((used + 20000000))" 'a CPU profile has what the clock says'
all=$(total cpu.pb.gz)
between "$(share cpu.pb.gz burner)" "$((all * 9 / 10 - 20000000))" "$all" 'in the function that burns'
is "$(row cpu.pb.gz burner | grep -c s)" 1 'and has names'
is "$(get '/heap?seconds=1' delta.pb.gz)" "200 $raw heap-delta" 'the difference of a second'
is "$(row delta.pb.gz keeper)" '' 'without what was there before'

# names of addresses, as clients ask for them
address=$("$CPA" raw -symbolize=none bare.pb.gz 2>/dev/null | sed -n '/^Locations/,/^Mappings/s/^ *[0-9]*: \(0x[0-9a-f]*\) M=1.*/\1/p' | head -n 1)
is "$(ask post "$base" /debug/pprof/symbol "$address") $(sed -n 's/^\(0x[0-9a-f]*\) .*/\1/p' body)" "200 $text - $address" 'addresses have names'
is "$("$CPA" top "$base/debug/pprof/heap" 2>/dev/null | grep -c keeper)" 1 'cpa top reads it where it is'
if command -v go >/dev/null; then
	export PPROF_TMPDIR="$tmp/pprof"
	is "$(go tool pprof -top -sample_index=inuse_space "$base/debug/pprof/heap" 2>/dev/null | grep -c ' keeper')" 1 'go tool pprof too'
	is "$(go tool pprof -top -symbolize=remote -sample_index=inuse_space "$base/debug/pprof/heap?symbolize=0" 2>/dev/null | grep -c ' keeper')" 1 \
		'and has names from us'
	is "$(go tool pprof -top -seconds=1 "$base/debug/pprof/profile" 2>/dev/null | grep -c ' burner')" 1 'also for CPU time'
fi
end TERM
is "$status" 143 'the program ends by its signal'
is "$(files '*.pb.gz.old') $(files 'cpu-*')" ' ' 'and has written no file'
is "$(cat err)" "cpa: profiling server listening on $base/debug/pprof/" 'and cpa has nothing to say'

used() { # ns of CPU time of all children until now, after times >used
	awk -F '[ms ]+' 'NR == 2 { printf "%.0f\n", ($1 * 60 + $2 + $3 * 60 + $4) * 1e9 }' used
}

# with files: CPU time all the time, and any number of captures
times >used
before=$(used)
serve_ready --enable-profiling --heap-rate=0 --cpu=all.pb.gz -- ./serves 600 1 0
is "$(get '/heap?debug=1' body | cut -d ' ' -f 1) $(grep -c keeper body)" '200 0' 'there is no heap that was not asked for'
is "$(ask many "$base" '/debug/pprof/profile?seconds=1' 3)" 200:3 'with --cpu three clients capture at once'
worked 2
end USR1
is "$status" 7 'the exit status is that of the program'
times >used
all=$(($(used) - before)) # that of cpa and of the clients, too
between "$(total all.pb.gz)" $((all / 2)) "$all" 'and its file is written'
done_testing
