#!/bin/sh
# t199-raw-of-formats.t - whole profiles of formats of other tools as text; two files merged are their sum
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

small='perf/two-zstd.data perfscript/chains.txt jemalloc/accum.heap v8/mill.cpuprofile v8/mill.heapprofile
v8/mill.trace.json.gz speedscope/mill.speedscope.json'
large='jfr/async.jfr.gz callgrind/mill.out'
for file in $small; do
	golden raw "formats/$file"
done
for file in $large; do
	golden top -nodecount=40 "formats/$file"
done

# total FILE...: the sum of flat
total() {
	"$CPA" top --csv -nodecount=0 -nodefraction=0 -unit=ns "$@" 2>"$tmp/err" | awk -F, 'NR > 1 { n += $1 } END { printf "%.0f\n", n }'
}
for file in $small $large; do
	one=$(total "formats/$file")
	two=$(total "formats/$file" "formats/$file")
	cp "formats/$file" "$tmp/profile"
	[ "$one" -gt 0 ] && [ "$two" = "$(awk "BEGIN { printf \"%.0f\", 2 * $one }")" ] && [ "$one" = "$(total "$tmp/profile")" ] ||
		echo "$file: $one $two"
done >"$tmp/differ"
[ ! -s "$tmp/differ" ]
result $? "two equal files have twice the total, and names of files do not matter" || note "$tmp/differ"
done_testing
