#!/bin/sh
# t145-calls.t - tree, peek, dot and callgrind; tests/compat compares the numbers with pprof
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

golden tree -nodecount=5 go-cpu.pb.gz
golden tree --color=always -nodecount=3 cpp-cpu.pb.gz
golden tree edge/inline-sometimes.pb.gz
golden tree edge/names-hostile.pb.gz
golden peek main.main go-cpu.pb.gz
golden peek Parcel go-cpu.pb.gz
golden dot -nodecount=5 go-cpu.pb.gz
golden dot -nodecount=8 -call_tree go-cpu.pb.gz
golden dot -nodecount=6 -lines go-heap1.pb.gz
golden dot edge/labels.pb.gz
golden dot edge/names-hostile.pb.gz
golden dot edge/files-hostile.pb.gz
golden dot edge/no-samples.pb.gz
golden callgrind edge/inline-sometimes.pb.gz
golden callgrind -call_tree edge/recursion.pb.gz
golden callgrind edge/names-hostile.pb.gz
fails 'no matches found for regexp: nosuch$' peek nosuch go-cpu.pb.gz
fails 'parsing argument regexp' peek 'a(' go-cpu.pb.gz

# for_each_report COMMAND...: runs COMMAND with the arguments of each report that this file tests
for_each_report() {
	"$@" tree
	"$@" peek .
	"$@" dot
	"$@" dot -call_tree
	"$@" callgrind
	"$@" callgrind -call_tree
}

# hostile REPORT ARG...: checks that REPORT prints no control character
hostile() {
	report=$*
	for f in edge/names-hostile.pb.gz edge/files-hostile.pb.gz edge/labels.pb.gz; do
		for flag in -functions -lines -addresses -files; do
			"$CPA" "$@" "$flag" "$f"
		done
	done >"$tmp/hostile" 2>"$tmp/err"
	tr -d '\n\t' <"$tmp/hostile" | LC_ALL=C grep -q '[[:cntrl:]]'
	found=$?
	[ -s "$tmp/hostile" ] || found=0
	[ ! -s "$tmp/err" ] || found=0
	result $((!found)) "$report prints no control character of a hostile name"
}
for_each_report hostile

# Graphviz must accept every graph. If it is not installed, only the unit tests check the graphs.
for f in *.* edge/*; do
	case $f in *.md | *.mk) continue ;; esac
	for args in '' '-lines -nodefraction=0' '-call_tree' '-files' '-addresses -noinlines'; do
		# shellcheck disable=SC2086 # the words of a command line
		"$CPA" dot $args "$f" >"$tmp/g.dot" 2>/dev/null || echo "cpa dot $args $f: status $?"
		if command -v dot >/dev/null; then
			dot -Tcanon "$tmp/g.dot" 2>&1 >/dev/null | sed "s|^|dot $args $f: |"
		fi
	done
done >"$tmp/dot.err"
[ ! -s "$tmp/dot.err" ]
status=$?
note "$tmp/dot.err"
if command -v dot >/dev/null; then
	result $status "Graphviz reads the graph of every test profile"
else
	result 0 "Graphviz reads the graph of every test profile # SKIP no dot"
fi

if command -v dot >/dev/null; then
	for f in edge/*hostile* go-cpu.pb.gz; do
		"$CPA" dot -nodecount=20 "$f" | dot -Tsvg 2>&1 >"$tmp/svg" | sed "s|^|$f: |"
		"${PYTHON3:-python3}" -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$tmp/svg" 2>&1 | tail -n 1
	done >"$tmp/svg.err"
	note "$tmp/svg.err"
	[ ! -s "$tmp/svg.err" ]
	result $? "Graphviz draws graphs with hostile names"
else
	result 0 "Graphviz draws graphs with hostile names # SKIP no dot"
fi

# As in pprof, each call has the count 0. callgrind_annotate ignores such a call and adds its cost to the
# caller. With the count 1 its total must be the sum of the costs.
if command -v callgrind_annotate >/dev/null; then
	for f in go-cpu.pb.gz cpp-cpu.pb.gz rust-cpu.pb.gz cpp.cpu edge/inline-sometimes.pb.gz; do
		"$CPA" callgrind "$f" >"$tmp/callgrind.0" 2>/dev/null
		sed 's/^calls=0/calls=1/' "$tmp/callgrind.0" >"$tmp/callgrind.out"
		callgrind_annotate "$tmp/callgrind.0" >"$tmp/annotated" 2>&1 || echo "$f: status $?"
		callgrind_annotate "$tmp/callgrind.out" >"$tmp/annotated" 2>&1 || echo "$f: status $?"
		grep -q 'PROGRAM TOTALS' "$tmp/annotated" || sed "s|^|$f: |" "$tmp/annotated"
		sum=$(awk '!/=/ && NF == 3 && !/^\* \*/ { sum += $3 } END { print sum }' "$tmp/callgrind.out")
		total=$(awk '/PROGRAM TOTALS/ { gsub(",", "", $1); print $1 }' "$tmp/annotated")
		[ "$sum" = "$total" ] || echo "$f: costs sum to $sum, the total of callgrind_annotate is $total"
	done >"$tmp/callgrind.err"
	note "$tmp/callgrind.err"
	[ ! -s "$tmp/callgrind.err" ]
	result $? "callgrind_annotate reads the output of cpa callgrind"
else
	result 0 "callgrind_annotate reads the output of cpa callgrind # SKIP no callgrind_annotate"
fi

# print_reports ARG...: prints the report ARG... of several profiles, with $flags
print_reports() {
	for f in go-cpu.pb.gz cpp.cpu rust-cpu.pb.gz go-heap.txt edge/names-hostile.pb.gz; do
		"$CPA" "$@" "$flags" "$f"
	done
}
for threads in 1 2 3 8 1; do
	flags=--threads=$threads
	[ ! -f "$tmp/threads.1" ] || [ "$threads" != 1 ] || threads=again
	for_each_report print_reports >"$tmp/threads.$threads" 2>&1
done
[ "$(wc -c <"$tmp/threads.1")" -gt 100000 ]
result $? "the reports are not empty"
same "two threads print the same as one" "$tmp/threads.1" "$tmp/threads.2"
same "three threads print the same as one" "$tmp/threads.1" "$tmp/threads.3"
same "eight threads print the same as one" "$tmp/threads.1" "$tmp/threads.8"
same "a second run prints the same" "$tmp/threads.1" "$tmp/threads.again"
done_testing
