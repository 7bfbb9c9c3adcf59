#!/bin/sh
# diff.t - flat and cum of each side of cpa diff equal those of pprof -top
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/compat/pprof.sh"

# sums SIDE: sums of flat and cum by name, from pprof's text (pprof) or a side of our CSV (before, after)
sums() {
	"${PYTHON3:-python3}" -c '
import csv, re, sys
sums = {}
def add(name, flat, cum):
    at = sums.setdefault(re.sub(r"::h[0-9a-f]{16}$", "", name), [0, 0])
    at[0] += int(flat)
    at[1] += int(cum)
if sys.argv[1] == "pprof":
    for line in sys.stdin.read().split("cum%\n", 1)[1].splitlines():
        flat, _, _, cum, _, name = line.split(None, 5)
        add(re.sub(r" \((partial-)?inline\)$", "", name), *(re.sub("[a-zA-Z]+$", "", v) for v in (flat, cum)))
else:
    for row in csv.DictReader(sys.stdin):
        add(row["name"], row["flat_" + sys.argv[1]], row["cum_" + sys.argv[1]])
for name in sorted(sums):
    if sums[name] != [0, 0]:
        print(*sums[name], name)' "$1"
}

while read -r base new unit; do
	"$CPA" diff --csv -nodefraction=0 "$base" "$new" >"$tmp/csv" 2>"$tmp/err"
	got=$?
	for side in before after; do
		[ $side = before ] && file=$base || file=$new
		"$pprof" -symbolize=none -top -nodefraction=0 -nodecount=0 -unit="$unit" "$file" >"$tmp/top" 2>/dev/null
		want=$?
		sums pprof <"$tmp/top" >"$tmp/want"
		sums $side <"$tmp/csv" >"$tmp/got"
		compare_outputs "diff $base $new: $side"
	done
done <<'END'
go-heap1.pb.gz go-heap2.pb.gz B
go-heap2.pb.gz go-heap1.pb.gz B
go-cpu.pb.gz rust-cpu.pb.gz ns
rust-cpu.pb.gz go-cpu.pb.gz ns
compare/words-base.pb.gz compare/words-new.pb.gz count
compare/parent-base.pb.gz compare/parent-new.pb.gz count
edge/recursion.pb.gz edge/inline-sometimes.pb.gz ns
END
done_testing
