#!/bin/sh
# t340-flame.t - the flame graph: every key, sizes, depths of colour; values equal those of top and folded
# SPDX-License-Identifier: Apache-2.0

# shellcheck source=SCRIPTDIR/lib.sh
. "${top_srcdir:?}/tests/shell/lib.sh"

view flame-go '4' go-cpu.pb.gz
view flame-go-walk '4 j j j Show l Show h Show k Show Down Right Left Up Show G Show g' go-cpu.pb.gz
view flame-go-zoom '4 j j j Enter Show j j l Enter Show - Show Backspace Show G Enter Show 0 Show - Show z' go-cpu.pb.gz
view flame-go-scroll '4 PageDown Show PageUp Show Ctrl-D Show Ctrl-U Show Wheel(9,9,5) Show G' go-cpu.pb.gz
view flame-go-search '4 / "extend" Show Enter n Show n N Show Enter Show Esc Show Esc' go-cpu.pb.gz
view flame-go-inverted '4 i Show j l Enter Show i' go-cpu.pb.gz
view flame-go-bottom '4 I Show Up Up Show Down Show PageUp Show I' go-cpu.pb.gz
view flame-go-order '4 O Show O' --size=80x12 go-cpu.pb.gz
view flame-go-mouse '4 Click(40,8) Show Double(40,8) Show Click(8,2) Show RightClick(40,9)' go-cpu.pb.gz
view flame-go-40 '4 j j j j Enter' --size=40x10 go-cpu.pb.gz
view flame-go-20 '4 j j' --size=20x5 go-cpu.pb.gz
view flame-go-200 '4 j j' --size=200x60 go-cpu.pb.gz
view flame-go-resize '4 j j j Enter j j l Show Resize(60,20)' go-cpu.pb.gz
view flame-go-survive '4 j j j Enter j j l Show O Show K Show i' --size=80x14 go-cpu.pb.gz
view flame-tagroot '4 j' -tagroot=tenant go-cpu.pb.gz
view flame-hostile '4 j Show l' edge/names-hostile.pb.gz
view flame-recursion '4 G' edge/recursion.pb.gz
view flame-deep '4 G' edge/deep-stack.pb.gz
view flame-empty '4 j Enter / "a" Enter n i O K D - 0 G g PageDown' edge/no-samples.pb.gz
view flame-base '4 Show j j l Show D Show K' -base=compare/build-base.pb.gz compare/build-new.pb.gz
colours=4
for by in module file function heat package; do
	colours="$colours K"
	view "flame-looks-$by" "$colours" --size=80x16 --looks --colors=true rust-cpu.pb.gz
done
for depth in none 16 256 true; do
	view "flame-depth-$depth" '4 j j j / "route" Enter' --size=80x16 --looks "--colors=$depth" go-cpu.pb.gz
	view "flame-base-$depth" '4 j j' --size=80x14 --looks "--colors=$depth" -base=compare/build-base.pb.gz \
		compare/build-new.pb.gz
done

# boxes too small for the whole graph appear when zooming in, and remain when settings change
{
	echo 'goroutine profile: total 1000000' && echo '999000 @ 0x1001 0x9001'
	for i in 0 1 2 3 4 5 6 7 8 9; do
		for k in 0 1 2 3 4; do echo "20 @ 0x3$i$k"'1 0x2001 0x9001'; done
	done
} >"$tmp/narrow"
shows '50 boxes too narrow to draw' '4 j j l j' -addresses "$tmp/narrow"
view flame-part '4 j j l Enter Show j l Enter Show - Show O Show 0' --size=100x12 -addresses "$tmp/narrow"

shows 'color_by=module' '4 K' go-cpu.pb.gz
shows 'inverted=true' '4 i' go-cpu.pb.gz
shows 'order=weight' '4 O' go-cpu.pb.gz
shows 'icicle=false' '4 I' go-cpu.pb.gz
shows 'diff_self=true' '4 D' -base=compare/build-base.pb.gz compare/build-new.pb.gz
shows 'in a comparison colours show the change' '4 K' -base=compare/build-base.pb.gz compare/build-new.pb.gz
shows 'focus=^net/http\.\(\*conn\)\.serve$' '4 j f' go-cpu.pb.gz
shows 'averages cannot be added' '4' -mean go-cpu.pb.gz
shows 'choose package, module' ': "color_by=taste" Enter 4' go-cpu.pb.gz
shows 'ffffff on b10026' '4 K K K K' --looks --colors=true go-cpu.pb.gz # the hottest colour, as in pictures
shows '000000 on fa9c47' '4' --looks --colors=true go-cpu.pb.gz
shows '000000 on d500f9' '4 / "route"' --looks --colors=true go-cpu.pb.gz
shows 'no match' '4 / "zzz"' go-cpu.pb.gz

for size in 1x1 2x2 3x3 7x4 20x5 80x1 1x24 500x3 400x120; do
	play '4 j G i + l l - h h Enter / "a" Enter n N I O K D Click(0,0) Double(1,1) RightClick(1,1) Wheel(0,0,3) 0' --size=$size \
		go-cpu.pb.gz >"$tmp/out" 2>"$tmp/err"
	result $? "the flame graph is drawn at $size"
done

# the selected box and its callers equal sums of folded stacks
"$CPA" folded go-cpu.pb.gz >"$tmp/folded"
sum() { # all stacks that begin with $1
	awk -v way="$1" '{ n = $NF; sub(/ [0-9]+$/, ""); if (index($0 ";", way ";") == 1) s += n } END { printf "%d\n", s / 1e6 }' \
		"$tmp/folded"
}
walk=4 way=
for i in 1 2 3 4 5 6 7 8 9; do
	walk="$walk j"
	play "$walk" --size=200x40 -unit=ms go-cpu.pb.gz | sed -n '37,38p' >"$tmp/two"
	way="${way:+$way;}$(sed -n '1s/ *$//p' "$tmp/two")"
	sed -n '2s/.*cum \([0-9,]*\)ms.*/\1/p' "$tmp/two" | tr -d , >"$tmp/is"
	sum "$way" >"$tmp/should"
	same "cum of the box that j leads to is the sum of its stacks, $i" "$tmp/should" "$tmp/is"
done

# a search matches the cum of a function in top, including recursion
"$CPA" top -cum -nodecount=30 go-cpu.pb.gz | sed '1,/flat%/d' >"$tmp/top"
while read -r _ _ _ _ share name; do
	name=${name% (*inline)}
	echo "$name $share" >>"$tmp/should-all"
	play "4 / \"^$(printf '%s' "$name" | sed 's/[][\\.*+?(){}|^$]/\\&/g')$\"" --size=120x12 go-cpu.pb.gz |
		sed -n "s/.* matches \\([0-9.]*%\\).*/\\1/p" | sed "s|^|$name |" >>"$tmp/is-all"
done <"$tmp/top"
same "a search for a function shows its cum% in top" "$tmp/should-all" "$tmp/is-all"

# the command line of a view has no options that its report refuses
shows 'cpa flame -symbolize=none go-cpu.pb.gz' ': "sort=cum" Enter 4 y' go-cpu.pb.gz
shows 'cpa top -cum -symbolize=none go-cpu.pb.gz' ': "theme=dark" Enter : "sort=cum" Enter 1 y' go-cpu.pb.gz

done_testing
