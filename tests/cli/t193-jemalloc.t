#!/bin/sh
# t193-jemalloc.t - heap profiles of jemalloc
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

file=$top_srcdir/testdata/formats/jemalloc/accum.heap

# The totals are those of jeprof 5.3.0: jeprof --text --show_bytes --TYPE barn accum.heap.
for want in inuse_space:6828739B inuse_objects:3606bytes alloc_space:8898039B alloc_objects:4757bytes; do
	"$CPA" top --unit=bytes -sample_index="${want%:*}" "$file" >"$tmp/got" 2>"$tmp/err"
	grep -q " of ${want#*:} total" "$tmp/got"
	result $? "the total of ${want%:*} is that of jeprof" || note "$tmp/got" "$tmp/err"
done
"$CPA" top "$file" >"$tmp/got" 2>"$tmp/err"
grep -q '^Type: inuse_space' "$tmp/got" && ! grep -q libjemalloc "$tmp/got"
result $? "inuse_space is shown first, without frames of the allocator" || note "$tmp/got" "$tmp/err"
"$CPA" top --input-format=jemalloc - <"$file" >"$tmp/from" 2>"$tmp/err"
same "standard input gives the same" "$tmp/got" "$tmp/from"
sed '/MAPPED/,$d' "$file" >"$tmp/cut.heap"
"$CPA" top "$tmp/cut.heap" >"$tmp/got" 2>"$tmp/err"
cat "$tmp/got" "$tmp/err" | grep -q 'the file has no memory map'
result $? "a file that is cut before its memory map is read, with a message" || note "$tmp/got" "$tmp/err"
"$CPA" help formats >"$tmp/got"
grep -q '^  jemalloc ' "$tmp/got"
result $? "cpa help formats lists it" || note "$tmp/got"
done_testing
