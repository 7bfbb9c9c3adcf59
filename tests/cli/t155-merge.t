#!/bin/sh
# t155-merge.t - many sources, file name patterns, sources of different kinds
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

mkdir "$tmp/many"
i=100
while [ $i -lt 400 ]; do
	cp "go-heap$((i % 2 + 1)).pb.gz" "$tmp/many/$i.pb.gz"
	i=$((i + 1))
done
"$CPA" top -nodecount=0 "$tmp"/many/*.pb.gz >"$tmp/want"
"$CPA" top -nodecount=0 "$tmp/many/*.pb.gz" >"$tmp/got"
same "a pattern is expanded to the matching files" "$tmp/want" "$tmp/got"
"$CPA" top -nodecount=0 -divide_by=150 "$tmp/many/???.pb.gz" | sed 1,/flat%/d >"$tmp/got"
"$CPA" top -nodecount=0 go-heap1.pb.gz go-heap2.pb.gz | sed 1,/flat%/d >"$tmp/want"
same "the sum of 150 copies of two profiles is 150 times the sum of the two" "$tmp/want" "$tmp/got"
for threads in 1 5; do
	"$CPA" top -threads=$threads -nodecount=0 "$tmp/many/*" >"$tmp/threads$threads"
done
same "the sum does not depend on the number of threads" "$tmp/threads1" "$tmp/threads5"

# Sources are merged in groups of 128. A profile without a time clears the time of its own group only.
mkdir "$tmp/times"
i=100
while [ $i -lt 228 ]; do
	cp go-heap1.pb.gz "$tmp/times/$i"
	i=$((i + 1))
done
cp go-heap.txt "$tmp/times/228" && cp go-allocs.pb.gz "$tmp/times/229"
"$CPA" top go-heap1.pb.gz | grep ^Time >"$tmp/want"
"$CPA" top "$tmp/times/*" | grep ^Time >"$tmp/got"
same "the report shows the time of the first group" "$tmp/want" "$tmp/got"

"$CPA" top -nodecount=0 go-heap1.pb.gz go-heap2.pb.gz >"$tmp/want"
mkdir "$tmp/odd" && cp go-heap1.pb.gz "$tmp/odd/a[b].pb.gz" && cp go-heap2.pb.gz "$tmp/odd/ab.pb.gz"
"$CPA" top -nodecount=0 "$tmp/odd/a[b].pb.gz" "$tmp/odd/ab.pb.gz" >"$tmp/got"
same "an existing file whose name looks like a pattern is read literally" "$tmp/want" "$tmp/got"
"$CPA" top -nodecount=0 --label=source go-heap1.pb.gz go-heap2.pb.gz >"$tmp/got"
same "--label=source does not change the values of functions" "$tmp/want" "$tmp/got"

echo broken >"$tmp/many/200.pb.gz"
"$CPA" top "$tmp/many/*" >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && [ -s "$tmp/out" ] && grep -q '200.pb.gz: ' "$tmp/err" &&
	grep -q 'Fetched 299 source profiles out of 300' "$tmp/err"
result $? "an unreadable file among the matches is reported and skipped"
"$CPA" top -nodecount=0 go-heap1.pb.gz >"$tmp/want"
"$CPA" top -nodecount=0 nothing go-heap1.pb.gz nowhere >"$tmp/got" 2>"$tmp/err"
same "the report contains the only readable source" "$tmp/want" "$tmp/got"
fails 'nothing\*: no file matches' top 'nothing*'

# The selected sample type becomes the default of the merged profile, also if it is the last or divided by counts.
for type in alloc_objects inuse_space; do
	"$CPA" proto -mean -sample_index=$type -output="$tmp/typed" go-heap1.pb.gz 2>"$tmp/err"
	"$CPA" merge -sample_index=$type go-heap1.pb.gz go-heap2.pb.gz >"$tmp/merged"
	"$CPA" top "$tmp/typed" | grep '^Type' >"$tmp/got"
	"$CPA" top "$tmp/merged" | grep '^Type' >>"$tmp/got"
	printf 'Type: %s\nType: %s\n' $type $type >"$tmp/want"
	same "the selected type $type is the default of a written profile" "$tmp/want" "$tmp/got"
done
"$CPA" merge go-heap1.pb.gz >"$tmp/got"
"$CPA" proto go-heap1.pb.gz >"$tmp/want"
same "without -o, merge writes to standard output like proto" "$tmp/want" "$tmp/got"
"$CPA" version >"$tmp/out"
grep -q 'google/pprof v[0-9.]*-[0-9]*-[0-9a-f]* of ' "$tmp/out"
result $? "cpa version names the version of pprof that it follows"

# Merge profiles of different kinds: Go and C++, Go and JavaScript.
fails 'no common sample type.*; use --intersect-types' top go-heap1.pb.gz cpp.heap_v2
golden top -nodecount=5 --intersect-types go-heap1.pb.gz cpp.heap_v2
fails 'incompatible period types: go-cpu.pb.gz has "cpu".*; use --intersect-types' top go-cpu.pb.gz node-wall.pb.gz
golden top -nodecount=5 --intersect-types go-cpu.pb.gz node-wall.pb.gz
golden top -nodecount=5 --intersect-types node-heap.pb.gz java.heap go-heap1.pb.gz
fails 'no common sample type: go-cpu.pb.gz has samples, cpu' top --intersect-types go-cpu.pb.gz \
	go-heap1.pb.gz
done_testing
