#!/bin/sh
# t192-perf-script.t - the text of perf script, from files and from a pipe
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

# The sum of the periods of an event: the number before its name.
periods() # EVENT FILE
{
	awk -v event="$1:" '!/^\t/ { for (i = 2; i <= NF; i++) if ($i == event) sum += $(i - 1) } END { print sum }' "$2"
}
# The sum of the flat values of an event.
flat() # EVENT FILE
{
	"$CPA" top --csv -nodecount=0 -nodefraction=0 -sample_index="$1" "$2" | awk -F, 'NR > 1 { sum += $1 } END { print sum }'
}

for name in chains source flat; do
	file=formats/perfscript/$name.txt
	want=$(periods cpu-clock:u "$file")
	got=$(flat cpu-clock:u "$file")
	[ "$want" -gt 0 ] && [ "$got" = "$want" ]
	result $? "$name.txt: the periods of cpu-clock:u add up to $want ns" || echo "# $got"
	want=$(grep -c 'cpu-clock:u: *' "$file")
	got=$("$CPA" top --csv -nodecount=0 -nodefraction=0 -sample_index=samples "$file" | awk -F, 'NR > 1 { sum += $1 } END { print sum }')
	[ "$got" -ge "$want" ]
	result $? "$name.txt: $got samples" || echo "# $want"
done
[ "$(flat page-faults:u formats/perfscript/chains.txt)" = "$(periods page-faults:u formats/perfscript/chains.txt)" ]
result $? "each event is a sample type"

"$CPA" top <formats/perfscript/chains.txt - >"$tmp/got" 2>"$tmp/err"
grep -q '^File: mill$' "$tmp/got" && grep -q '^Type: cpu-clock:u$' "$tmp/got" && grep -q ' grind$' "$tmp/got" && [ ! -s "$tmp/err" ]
result $? "perf script | cpa top - works at once" || note "$tmp/got" "$tmp/err"
"$CPA" tags formats/perfscript/chains.txt >"$tmp/got"
grep -q 'mill (x;y) 7$' "$tmp/got" && grep -q ' tid: ' "$tmp/got"
result $? "comm and tid are labels" || note "$tmp/got"
"$CPA" top -tagfocus='comm=mill .x;y' --csv formats/perfscript/chains.txt >"$tmp/got"
grep -q '"grind"' "$tmp/got" && ! grep -q '"main"' "$tmp/got"
result $? "samples of a thread are selected by its name" || note "$tmp/got"
"$CPA" list grind formats/perfscript/source.txt >"$tmp/got" 2>&1
grep -q 'grind in .*mill.c' "$tmp/got"
result $? "perf script -F +srcline has lines" || note "$tmp/got"
"$CPA" proto -o "$tmp/p.pb.gz" formats/perfscript/chains.txt 2>"$tmp/err" &&
	"$CPA" folded formats/perfscript/chains.txt >"$tmp/want" && "$CPA" folded "$tmp/p.pb.gz" >"$tmp/got"
same "as profile.proto it has the same stacks" "$tmp/want" "$tmp/got"

head -c 3000 formats/perfscript/chains.txt >"$tmp/cut"
"$CPA" top "$tmp/cut" >"$tmp/got" 2>&1
grep -q ' total$' "$tmp/got"
result $? "a truncated text gives the samples before the cut" || note "$tmp/got"
printf 'a 1 1.000000: 3 cycles: \n\t 10 f (/x)\nwhat?\n' >"$tmp/odd"
"$CPA" top "$tmp/odd" >"$tmp/got" 2>&1
grep -q 'perf-script: skipped 1 line that is neither a header nor a frame, the first in line 3' "$tmp/got"
result $? "lines that are skipped are counted" || note "$tmp/got"
done_testing
