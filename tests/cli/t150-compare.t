#!/bin/sh
# t150-compare.t - -base, -diff_base, -normalize
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

golden top -nodecount=5 -base go-heap1.pb.gz go-heap2.pb.gz
golden top -nodecount=5 -diff_base go-heap1.pb.gz go-heap2.pb.gz
golden top -nodecount=5 -normalize -diff_base go-heap1.pb.gz go-heap2.pb.gz
golden top -nodecount=5 -normalize=duration -base go-cpu.pb.gz rust-cpu.pb.gz

# Bases are merged like sources.
for option in base diff_base; do
	"$CPA" top -nodecount=0 -$option=go-heap1.pb.gz -$option=go-heap2.pb.gz go-allocs.pb.gz >"$tmp/two" 2>&1
	"$CPA" top -nodecount=0 -$option='go-heap[12].pb.gz' go-allocs.pb.gz >"$tmp/pattern" 2>&1
	same "-$option reads all files that match a pattern" "$tmp/two" "$tmp/pattern"
	"$CPA" top -nodecount=0 -$option=go-heap2.pb.gz go-allocs.pb.gz >"$tmp/one" 2>&1
	! cmp -s "$tmp/two" "$tmp/one"
	result $? "a second -$option adds a base and does not replace the first"
done
"$CPA" top -nodecount=0 go-heap1.pb.gz | sed '/^Showing/d' >"$tmp/want"
"$CPA" top -nodecount=0 -base=go-heap2.pb.gz go-heap2.pb.gz go-heap1.pb.gz | sed '/^Showing/d' >"$tmp/got"
same "a profile that is both source and base cancels out" "$tmp/want" "$tmp/got"
for threads in 1 3; do
	"$CPA" top -threads=$threads -nodecount=0 -diff_base=go-heap1.pb.gz go-heap2.pb.gz >"$tmp/threads$threads"
done
same "a comparison does not depend on the number of threads" "$tmp/threads1" "$tmp/threads3"
for value in true 1 T total; do
	"$CPA" top -normalize=$value -base go-heap1.pb.gz go-heap2.pb.gz >"$tmp/$value"
	same "-normalize=$value is the same as -normalize" "$tmp/true" "$tmp/$value"
done
"$CPA" top -base go-heap1.pb.gz go-heap2.pb.gz >"$tmp/plain"
for value in false 0 none; do
	"$CPA" top -normalize=$value -base go-heap1.pb.gz go-heap2.pb.gz >"$tmp/$value"
	same "-normalize=$value does not normalize" "$tmp/plain" "$tmp/$value"
done

"$CPA" top -base go-heap1.pb.gz go-heap1.pb.gz >"$tmp/out" 2>"$tmp/err" &&
	grep -q 'profile and base are equal' "$tmp/err"
result $? "a profile compared with itself is reported as equal"
"$CPA" top -base nothing -base go-heap1.pb.gz go-heap2.pb.gz >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && cmp -s "$tmp/out" "$tmp/plain" && grep -q 'Fetched 1 base profiles out of 2' "$tmp/err"
result $? "an unreadable base is reported and skipped"
"$CPA" top -base nothing -base nowhere go-heap2.pb.gz >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && [ ! -s "$tmp/out" ] && grep -q 'none of 2 base profiles could be read' "$tmp/err"
result $? "there is no report if all bases are unreadable"
"$CPA" top -base - go-heap2.pb.gz <go-heap1.pb.gz >"$tmp/out"
same "a base is read from standard input" "$tmp/plain" "$tmp/out"
"$CPA" top -base= -base=go-heap1.pb.gz -diff_base= go-heap2.pb.gz >"$tmp/out"
same "an empty name of a base is ignored" "$tmp/plain" "$tmp/out"
"$CPA" top -nodecount=0 -diff_base=go-heap1.pb.gz go-heap2.pb.gz >"$tmp/want"
"$CPA" -proto -diff_base=go-heap1.pb.gz -o "$tmp/both.pb.gz" go-heap2.pb.gz 2>/dev/null
"$CPA" top -nodecount=0 "$tmp/both.pb.gz" >"$tmp/got"
same "top of a saved comparison has percentages of the base, like the comparison" "$tmp/want" "$tmp/got"
cp go-heap1.pb.gz "$tmp/base.pb.gz"

fails 'cannot both be specified' top -base go-heap1.pb.gz -diff_base go-heap1.pb.gz go-heap2.pb.gz
fails 'must have base profile to normalize by' top -normalize go-heap2.pb.gz
fails 'must be none, total, duration or label:KEY' top -normalize=size -base go-heap1.pb.gz go-heap2.pb.gz
fails 'the base has no duration' top -normalize=duration -base go-heap1.pb.gz go-cpu.pb.gz
fails 'the base has no such label' top -normalize=label:bytes -base go-cpu.pb.gz go-heap2.pb.gz
fails 'nothing: No such file' top -base nothing go-heap2.pb.gz
fails 'standard input is given twice' top -base - -
fails 'would overwrite a base' top -o "$tmp/base.pb.gz" -base "$tmp/base.pb.gz" go-heap2.pb.gz
fails 'no common sample type: go-cpu.pb.gz has samples, cpu, go-heap1.pb.gz' top -base go-heap1.pb.gz \
	go-cpu.pb.gz
fails 'the period types differ' top -normalize -base go-heap1.pb.gz go-cpu.pb.gz
done_testing
