#!/bin/sh
# t330-tree.t - the Tree view: folding, inverted, comparisons, search; values equal those of folded and top
# SPDX-License-Identifier: Apache-2.0

# shellcheck source=SCRIPTDIR/lib.sh
. "${top_srcdir:?}/tests/shell/lib.sh"

view tree-go '3' go-cpu.pb.gz
view tree-go-keys '3 j j Enter Show Enter Show - Show h Show + Show l Show C Show E Show G Show g > Show > Show S' go-cpu.pb.gz
view tree-go-inverted '3 i Show C > Show <' go-cpu.pb.gz
view tree-go-search '3 / "growslice" Show Enter n Show N Show Esc Show / "zzz" Enter' go-cpu.pb.gz
view tree-go-40 '3 j j' --size=40x10 go-cpu.pb.gz
view tree-go-200 '3 E G' --size=200x60 go-cpu.pb.gz
view tree-go-mouse '3 Click(34,5) Show Click(60,8) Show Double(60,8) Show Wheel(9,9,5) Show Click(30,2)' go-cpu.pb.gz
view tree-hostile '3 E' edge/names-hostile.pb.gz
view tree-recursion '3 E' edge/recursion.pb.gz
view tree-deep '3 E G' edge/deep-stack.pb.gz
view tree-empty '3 E j Enter / "a" Enter n i C + -' edge/no-samples.pb.gz
view tree-base '3 E Show < Show > > Show d Show i' -base=compare/build-base.pb.gz compare/build-new.pb.gz
view tree-base-120 '3 E' --size=120x20 -base=compare/build-base.pb.gz compare/build-new.pb.gz
view tree-heap '3 E' -base=go-heap1.pb.gz go-heap2.pb.gz
view tree-heap-40 '3 E' --size=40x14 -base=go-heap1.pb.gz go-heap2.pb.gz
view tree-heap-120 '3 E Show d' --size=120x24 -base=go-heap1.pb.gz go-heap2.pb.gz
view tree-rust '3 Show E' rust-cpu.pb.gz
view tree-cpp '3 Show E G' cpp-cpu.pb.gz
view tree-counts '3 E' -sample_index=alloc_objects go-allocs.pb.gz
view tree-looks '3 j' --size=80x12 --looks --colors=256 go-cpu.pb.gz
view tree-no-colours '3 j / "route" Enter' --size=80x12 --looks --colors=none go-cpu.pb.gz
view tree-tagroot '3 C' -tagroot=tenant go-cpu.pb.gz

shows '11 matches; n N next and previous' '3 / "growslice"' go-cpu.pb.gz
shows 'no match' '3 / "zzz"' go-cpu.pb.gz
shows 'averages cannot be added' '3' -mean go-cpu.pb.gz
shows '~0%' '3 d' -base=go-heap1.pb.gz go-heap2.pb.gz

shows 'focus=^net/http\.\(\*conn\)\.serve$' '3 f' -lines go-cpu.pb.gz
shows 'tagfocus=tenant=^islands$' '3 C f' -tagroot=tenant go-cpu.pb.gz
shows 'cannot select samples without a label' '3 C j j x' -tagroot=tenant go-cpu.pb.gz
shows '(cpa) tree | less' '3 T' go-cpu.pb.gz
shows 'inverted=true' '3 i' go-cpu.pb.gz

for size in 1x1 2x2 3x3 7x4 20x5 80x1 1x24; do
	play '3 E j G i + l l - h h C / "a" Enter n N < > Click(0,0) Double(1,1)' --size=$size go-cpu.pb.gz >"$tmp/out" 2>"$tmp/err"
	result $? "the tree is drawn at $size"
done

# the rows of the first path equal the sums of folded stacks
"$CPA" folded go-cpu.pb.gz >"$tmp/folded"
sum() { # all stacks that begin with $1
	awk -v way="$1" '{ n = $NF; sub(/ [0-9]+$/, ""); if (index($0 ";", way ";") == 1) s += n } END { printf "%d\n", s / 1e6 }' "$tmp/folded"
}
play '3 j E' --size=200x60 -unit=ms go-cpu.pb.gz >"$tmp/tree"
way='net/http.(*conn).serve'
for next in '' 'net/http.serverHandler.ServeHTTP' 'net/http.(*ServeMux).ServeHTTP' 'net/http.HandlerFunc.ServeHTTP'; do
	[ -z "$next" ] || way="$way;$next"
	name=${way##*;}
	grep -F -m1 -e "- $name" "$tmp/tree" | awk '{ print $1 }' | sed 's/ms$//' >"$tmp/is"
	sum "$way" >"$tmp/should"
	same "cum of a row is the sum of the stacks on its path: $name" "$tmp/should" "$tmp/is"
done

# inverted and folded: the rows are those of top by flat
"$CPA" top -nodefraction=0 -nodecount=40 -unit=ms go-cpu.pb.gz | sed '1,/flat%/d' |
	sed -E 's/^ *([^ ]+) +([^ ]+ +){4}/\1 /; s/ \((partial-)?inline\)$//' | sort >"$tmp/should"
play '3 i C' --size=200x47 -unit=ms go-cpu.pb.gz | sed '1,4d' | head -40 | sed -n 's/ *[█│]*$//; s/^ *\([0-9.]*ms\) .*[├└][+ ] \(.*\)$/\1 \2/; s/ (inline)$//; p' | sort >"$tmp/is"
same "the first rows of the inverted tree are those of top" "$tmp/should" "$tmp/is"

done_testing
