#!/bin/sh
# t370-traces.t - the Traces view: samples, stacks, search, merging, sorting; values equal those of cpa traces
# SPDX-License-Identifier: Apache-2.0

# shellcheck source=SCRIPTDIR/lib.sh
. "${top_srcdir:?}/tests/shell/lib.sh"

view traces-go '7' go-cpu.pb.gz
view traces-go-keys '7 j j Show Tab Show j j j Show G Show h Show G Show S Show = Show S Show =' go-cpu.pb.gz
view traces-go-search '7 / "growslice" Enter Show n Show Tab n n Show N Show Esc' go-cpu.pb.gz
view traces-go-search-label '7 / "tenant:north" Enter' go-cpu.pb.gz
view traces-go-40 '7 j j Show Tab Show j' --size=40x10 go-cpu.pb.gz
view traces-go-200 '7 S j' --size=200x60 go-cpu.pb.gz
view traces-go-mouse '7 Click(20,6) Show Click(20,16) Show Wheel(20,16,3) Show Click(5,2) Show Double(20,6)' go-cpu.pb.gz
view traces-hostile '7 G' edge/names-hostile.pb.gz
view traces-labels '7 G' edge/labels.pb.gz
view traces-empty '7 j Enter Tab / "a" Enter n S =' edge/no-samples.pb.gz
view traces-base '7 G Show S' -base=compare/build-base.pb.gz compare/build-new.pb.gz
view traces-recursion '7 =' edge/recursion.pb.gz
view traces-looks '7 j' --size=80x14 --looks --colors=256 go-cpu.pb.gz

shows 'tagfocus=route=^/tour$' '7 j Tab Enter' go-cpu.pb.gz
shows 'tagignore=route=^/tour$' '7 j Tab x' go-cpu.pb.gz
shows 'peek ^runtime\.\(\*gcControllerState\)\.update$' '7 j Tab j j Enter' go-cpu.pb.gz
shows 'averages cannot be added' '7 =' -mean go-cpu.pb.gz

for size in 1x1 2x2 3x3 7x4 20x5 80x1 1x24 140x5; do
	play '7 j G Tab j G Tab S = / "a" Enter n N Click(0,0) Double(1,1) Double(3,3)' --size=$size go-cpu.pb.gz >"$tmp/out" 2>"$tmp/err"
	result $? "traces are drawn at $size"
done

# every sample
"$CPA" traces go-cpu.pb.gz | sed -nE 's/^ +([0-9.]+m?s) .*/\1/p' >"$tmp/values"
play '7' --size=160x600 go-cpu.pb.gz | sed -nE 's/^>? +([0-9.]+m?s) +[0-9.]+%  .*/\1/p' >"$tmp/is"
same 'the values of all samples are those of traces, in its order' "$tmp/values" "$tmp/is"

# samples with equal stacks are merged: their values equal those of cpa folded
"$CPA" folded go-cpu.pb.gz | awk '{ print $NF / 1e6 }' | sort -n >"$tmp/should"
play '7 = S' --size=130x900 -unit=ms go-cpu.pb.gz | sed '1,3d' | sed -nE 's/^>? +([0-9.]+)ms +[0-9.]+%  +[0-9]+ .*/\1/p' | sort -n >"$tmp/is"
same 'values of merged samples are those of folded stacks' "$tmp/should" "$tmp/is"

done_testing
