#!/bin/sh
# t100-top.t - cpa top in all its formats; tests/compat compares the numbers with pprof
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

golden top -cum -nodecount=10 go-cpu.pb.gz
golden top --json -nodecount=3 go-cpu.pb.gz
golden top --csv -nodecount=3 go-heap1.pb.gz
golden top --markdown -nodecount=3 cpp-cpu.pb.gz
golden top --json -mean -sample_index=delay go-mutex.pb.gz
golden top -files -nodecount=8 rust-cpu.pb.gz
golden top edge/names-hostile.pb.gz
golden top --json edge/names-hostile.pb.gz
golden top --csv edge/names-hostile.pb.gz
golden top --markdown edge/names-hostile.pb.gz
golden top --color=always -nodecount=4 go-cpu.pb.gz

for format in text json csv markdown; do
	flag=--$format
	[ $format = text ] && flag=-text
	"$CPA" top "$flag" edge/names-hostile.pb.gz 2>&1 | LC_ALL=C grep -q '[[:cntrl:]]' &&
		"$CPA" top "$flag" edge/names-hostile.pb.gz | tr -d '\n\t' | LC_ALL=C grep -q '[[:cntrl:]]'
	result $((! $?)) "$format output contains no control character of a hostile name"
done

# A file has one row, even with several mappings and functions.
"$CPA" top -files -nodefraction=0 go-cpu.pb.gz | sed '1,/flat%/d' | awk '{print $6}' | sort | uniq -d >"$tmp/twice"
[ ! -s "$tmp/twice" ]
result $? "-files prints one row per file"

for threads in 1 2 3 8; do
	for f in go-cpu.pb.gz cpp.cpu rust-cpu.pb.gz go-heap.txt; do
		"$CPA" top -nodefraction=0 -lines --threads=$threads $f
	done >"$tmp/threads.$threads"
done
same "two threads print the same as one" "$tmp/threads.1" "$tmp/threads.2"
same "three threads print the same as one" "$tmp/threads.1" "$tmp/threads.3"
same "eight threads print the same as one" "$tmp/threads.1" "$tmp/threads.8"

"$CPA" top -sample_index=0 edge/zero-values.pb.gz >/dev/null 2>"$tmp/err"
done_testing
