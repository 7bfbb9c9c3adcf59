#!/bin/sh
# t196-callgrind-files.t - call costs of callgrind from files
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

for name in mill instr; do
	file=formats/callgrind/$name.out
	i=0
	# shellcheck disable=SC2013 # names without blanks
	for event in $(sed -n 's/^events: //p' "$file"); do
		i=$((i + 1))
		want=$(sed -n 's/^summary: //p' "$file" | cut -d' ' -f$i)
		got=$("$CPA" top --csv -nodecount=0 -nodefraction=0 -sample_index="$event" "$file" 2>/dev/null |
			awk -F, 'NR > 1 { sum += $1 } END { print sum + 0 }')
		[ "$got" = "$want" ]
		result $? "$name.out: $event is $want, as in the summary" || echo "# $got"
	done
done
"$CPA" top formats/callgrind/mill.out >"$tmp/got" 2>"$tmp/err"
grep -q '^ *4007 .* grind$' "$tmp/got" && grep -q '^callgrind: 92 calls are not read' "$tmp/got"
result $? "flat values are exact, and calls that are not read are counted" || note "$tmp/got" "$tmp/err"
"$CPA" binaries --csv formats/callgrind/mill.out >"$tmp/got" 2>&1
grep -q '/mill"' "$tmp/got" && grep -q 'libc.so.6"' "$tmp/got"
result $? "objects are binaries" || note "$tmp/got"
"$CPA" callgrind go-cpu.pb.gz >"$tmp/cg"
"$CPA" top -flat -nodecount=1 "$tmp/cg" >"$tmp/got" 2>"$tmp/err"
grep -q '^     650ms 11.27%.*Price$' "$tmp/got" && grep -q ' of 5770ms total' "$tmp/got"
result $? "what cpa callgrind writes has the same flat values" || note "$tmp/got"
head -c 20000 formats/callgrind/mill.out >"$tmp/cut"
"$CPA" top "$tmp/cut" >"$tmp/got" 2>&1
grep -q '^callgrind: the costs of Ir add up to [0-9]*, but the file says 11308' "$tmp/got"
result $? "a truncated file gives the costs before the cut, and the sum that is missing" || note "$tmp/got"
printf 'events: Ir\nfn=(7)\n1 1\n' >"$tmp/bad"
fails 'bad: line 2: the name (7) is not defined' top --input-format=callgrind "$tmp/bad"
done_testing
