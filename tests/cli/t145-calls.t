#!/bin/sh
# t145-calls.t - tree, peek, dot and callgrind; numbers are held against pprof in tests/compat
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
fails 'no matches found for regexp: nobody$' peek nobody go-cpu.pb.gz
fails 'parsing argument regexp' peek 'a(' go-cpu.pb.gz

# every COMMAND...: what the reports of this test are called
every() {
	"$@" tree
	"$@" peek .
	"$@" dot
	"$@" dot -call_tree
	"$@" callgrind
	"$@" callgrind -call_tree
}

# hostile REPORT ARG...: no control character gets through
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
	result $((!found)) "no control character of a hostile name gets through $report"
}
every hostile

# Is what dot reads a graph? Without Graphviz that is left to the unit tests.
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
	result $? "Graphviz makes pictures of hostile names"
else
	result 0 "Graphviz makes pictures of hostile names # SKIP no dot"
fi

# As in pprof a call is made 0 times, which callgrind_annotate takes for no call: it adds the costs of
# calls to those of the caller. With one each its total must be the sum of the costs.
if command -v callgrind_annotate >/dev/null; then
	for f in go-cpu.pb.gz cpp-cpu.pb.gz rust-cpu.pb.gz cpp.cpu edge/inline-sometimes.pb.gz; do
		"$CPA" callgrind "$f" >"$tmp/callgrind.0" 2>/dev/null
		sed 's/^calls=0/calls=1/' "$tmp/callgrind.0" >"$tmp/callgrind.out"
		callgrind_annotate "$tmp/callgrind.0" >"$tmp/annotated" 2>&1 || echo "$f: status $?"
		callgrind_annotate "$tmp/callgrind.out" >"$tmp/annotated" 2>&1 || echo "$f: status $?"
		grep -q 'PROGRAM TOTALS' "$tmp/annotated" || sed "s|^|$f: |" "$tmp/annotated"
		sum=$(awk '!/=/ && NF == 3 && !/^\* \*/ { sum += $3 } END { print sum }' "$tmp/callgrind.out")
		total=$(awk '/PROGRAM TOTALS/ { gsub(",", "", $1); print $1 }' "$tmp/annotated")
		[ "$sum" = "$total" ] || echo "$f: costs sum to $sum, callgrind_annotate takes them for $total"
	done >"$tmp/callgrind.err"
	note "$tmp/callgrind.err"
	[ ! -s "$tmp/callgrind.err" ]
	result $? "callgrind_annotate reads what callgrind writes"
else
	result 0 "callgrind_annotate reads what callgrind writes # SKIP no callgrind_annotate"
fi

# answers ARG...: of some profiles, with these flags
answers() {
	for f in go-cpu.pb.gz cpp.cpu rust-cpu.pb.gz go-heap.txt edge/names-hostile.pb.gz; do
		"$CPA" "$@" "$flags" "$f"
	done
}
for threads in 1 2 3 8 1; do
	flags=--threads=$threads
	[ ! -f "$tmp/threads.1" ] || [ "$threads" != 1 ] || threads=again
	every answers >"$tmp/threads.$threads" 2>&1
done
[ "$(wc -c <"$tmp/threads.1")" -gt 100000 ]
result $? "the reports are not empty"
same "two threads print what one prints" "$tmp/threads.1" "$tmp/threads.2"
same "three threads print what one prints" "$tmp/threads.1" "$tmp/threads.3"
same "eight threads print what one prints" "$tmp/threads.1" "$tmp/threads.8"
same "the same is printed again" "$tmp/threads.1" "$tmp/threads.again"
done_testing
