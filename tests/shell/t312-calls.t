#!/bin/sh
# t312-calls.t - the Callers view: moving, the path at the top, several matches; values equal those of peek
# SPDX-License-Identifier: Apache-2.0

# shellcheck source=SCRIPTDIR/lib.sh
. "${top_srcdir:?}/tests/shell/lib.sh"

base='-base=compare/build-base.pb.gz compare/build-new.pb.gz'

view calls-go 'j j j Enter' go-cpu.pb.gz
view calls-go-walk 'S j j j Enter Show Right Show j Enter Show Left Show Tab Show Tab Show Enter Show Backspace' --size=80x16 go-cpu.pb.gz
view calls-go-move '/ "mallocgc$" Enter Enter G Show k k Show g Show PageDown PageDown' --size=80x16 go-cpu.pb.gz
view calls-go-several ': "peek ^runtime\.malloc" Enter Show ] Show ] Show [ Show [ [' --size=80x14 go-cpu.pb.gz
view calls-go-filter '/ "mallocgc$" Enter Enter / "make" Show Enter n Show Esc Show N / "zz"' --size=80x16 go-cpu.pb.gz
view calls-go-mouse 'Enter Right Show Click(60,7) Show Double(60,7) Show Click(4,2) Show Wheel(9,9,1) Click(9,5)' --size=80x14 go-cpu.pb.gz
view calls-go-40 'j j j Enter' --size=40x10 go-cpu.pb.gz
view calls-go-200 'S j j j Enter Right Right Right Right' --size=200x60 go-cpu.pb.gz
view calls-grand 'j j j Enter Tab j Show Enter' go-cpu.pb.gz
view calls-grand-40 'j j j Enter' --size=40x16 go-cpu.pb.gz
view calls-recursion 'S Enter Right Right' --size=80x12 edge/recursion.pb.gz
view calls-hostile 'Enter Left' edge/names-hostile.pb.gz
view calls-names-empty 'Enter' --size=80x12 edge/names-empty.pb.gz
# shellcheck disable=SC2086
{
	view calls-base 'd j j Enter Left' --size=80x14 $base
	view calls-grand-base 'd : "peek ^main$" Enter' $base
	screen calls-base-looks 'd S Enter' --size=80x12 --looks --colors=256 $base
}
screen calls-looks 'j j j Enter j j' --size=80x12 --looks --colors=256 go-cpu.pb.gz
screen calls-no-colours 'j j j Enter j j' --size=80x12 --looks --colors=none go-cpu.pb.gz

shows '(cpa) peek ^sort\.Slice$' 'j j j Enter Right' go-cpu.pb.gz
shows '(cpa) list ^sort\.Slice$' 'j j j Enter j e' go-cpu.pb.gz
shows 'already in the middle' 'Enter Enter' go-cpu.pb.gz
shows 'no callees' ': "peek memclrNoHeapPointers$" Enter l' go-cpu.pb.gz
shows 'only this function matches' 'Enter ]' go-cpu.pb.gz
shows '2/5 matches' ': "peek ^runtime.malloc" Enter ]' go-cpu.pb.gz

# Backspace after Right restores the view and its selection
play 'j j j Enter j j Right Backspace' go-cpu.pb.gz >"$tmp/is"
play 'j j j Enter j j' go-cpu.pb.gz >"$tmp/should"
sed -i '$d' "$tmp/is" "$tmp/should" # the line shows the last command
same 'Backspace after Right restores the view' "$tmp/should" "$tmp/is"

# a click on the first function in the path at the top returns to the view of that function
play 'j j j Enter Right Right Click(3,2)' go-cpu.pb.gz | sed -n '3,20p' >"$tmp/is"
play 'j j j Enter' go-cpu.pb.gz | sed -n '3,20p' >"$tmp/should"
sed -i 's/  */ /g' "$tmp/is" "$tmp/should"
sed -n 3p "$tmp/should" >"$tmp/a"
sed -n 3p "$tmp/is" >"$tmp/b"
same 'a click on the first function of the path returns to it' "$tmp/a" "$tmp/b"

for size in 1x1 2x2 3x3 7x4 20x5 80x1 1x24 80x6 80x7 80x8 80x9; do
	play 'Enter j G g Tab Tab l h [ ] / "a" Enter n N Esc Click(0,0) Double(1,1)' --size=$size go-cpu.pb.gz >"$tmp/out" 2>"$tmp/err"
	result $? "callers and callees are drawn at $size"
done

# for several functions, the view shows the values, percentages and names that peek prints
numbers() { # of the text: calls, calls%, name
	sed -n 's/^ *\([^ ]*\) *\([0-9.]*%\) |   \(.*\)$/\1 \2 \3/p'
}
for name in 'shop/route.(*Planner).nearest' 'runtime.mallocgc' 'sort.Slice' 'runtime.growslice' 'net/http.(*conn).serve'; do
	pattern=$(printf '^%s$' "$name" | sed 's/[.()*]/\\&/g')
	"$CPA" -symbolize=none -unit=ms "-peek=$pattern" go-cpu.pb.gz | numbers | sort >"$tmp/should"
	play ": \"peek $pattern\" Enter" --size=300x106 -unit=ms go-cpu.pb.gz | sed -n '5,104p' | sed -E 's/ *[█│]?$//' |
		sed -n -E 's/^ +([^ ]+) +([0-9.]+%) +[0-9.]+%  ([^ ].*)$/\1 \2 \3/p' | sort >"$tmp/is"
	same "callers and callees of $name are those of peek" "$tmp/should" "$tmp/is"
done

for seed in 1 2; do
	"${PYTHON3:-python3}" "$top_srcdir/tests/shell/grand_calls.py" "$CPA" $seed >"$tmp/out" 2>&1
	found=$?
	[ "$found" -eq 0 ] || note "$tmp/out"
	result "$found" "callers of callers of random stacks $seed are those of the stacks and of peek"
done
# the part without a further caller or callee opens the function that it is part of
shows '(cpa) peek ^runtime\.convTslice$' 'j j j Enter G Enter' go-cpu.pb.gz
shows '(cpa) peek ^sort\.pdqsort_func$' 'j j j Enter j j j Enter' go-cpu.pb.gz
shows '(cpa) peek ^sort\.Slice$' 'j j j Enter j j j j j Enter' go-cpu.pb.gz
shows '(cpa) focus=^sort\.pdqsort_func$' 'j j j Enter j j j f' go-cpu.pb.gz

done_testing
