#!/bin/sh
# flame.t - the boxes of a flame graph are the stacks of pprof, added up by another program
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/compat/pprof.sh"
dump=${top_builddir:?}/tests/compat/flame_dump check=$top_srcdir/tests/compat/flame.py python=${PYTHON3:-python3}

for file in *.* edge/*; do
	case $file in *.md | *.mk | *.zst) continue ;; esac
	"$pprof" -symbolize=none -output="$tmp/p.pb.gz" -proto "$file" >"$tmp/log" 2>&1 || continue
	rm -rf "$tmp/boxes" && mkdir "$tmp/boxes"
	for name in $("$python" "$check" boxes "$tmp/p.pb.gz" "$tmp/boxes" 2>"$tmp/err"); do
		type=${name#-i}
		# shellcheck disable=SC2086 # no word is one argument less
		"$dump" ${name%"$type"} "$type" "$tmp/p.pb.gz" >"$tmp/got.raw" 2>>"$tmp/err"
		got=$? want=0
		LC_ALL=C sort "$tmp/got.raw" | sed '/^$/d' >"$tmp/got"
		LC_ALL=C sort "$tmp/boxes/$name" >"$tmp/want"
		compare_outputs "boxes ${name%"$type"} of type $type of $file"
	done
done

# In a comparison, "before" equals the base alone, and "after" the profile alone.
for pair in 'go-heap1.pb.gz go-heap2.pb.gz' 'cpp-cpu.pb.gz go-cpu.pb.gz' 'go-cpu.pb.gz go-cpu.pb.gz' \
	'compare/words-base.pb.gz compare/words-new.pb.gz' 'compare/units-ms.pb.gz compare/units-ms.pb.gz'; do
	"$dump" 0 "${pair% *}" >"$tmp/old" && "$dump" 0 "${pair#* }" >"$tmp/new" &&
		"$dump" 0 "${pair#* }" "${pair% *}" >"$tmp/both" &&
		"$python" "$check" sides "$tmp/old" "$tmp/new" "$tmp/both" 2>"$tmp/err" && [ -s "$tmp/both" ]
	status=$?
	[ $status -eq 0 ] || note "$tmp/err"
	result $status "before and after of $pair equal those of each alone"
done
done_testing
