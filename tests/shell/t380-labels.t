#!/bin/sh
# t380-labels.t - the Labels view: values by cum, filters by a value; numbers equal those of cpa tags
# SPDX-License-Identifier: Apache-2.0

# shellcheck source=SCRIPTDIR/lib.sh
. "${top_srcdir:?}/tests/shell/lib.sh"

view labels-go '8' go-cpu.pb.gz
view labels-go-keys '8 j j Enter Show Enter Show j Space Show Right Show C Show E Show G Show S Show S Show h' go-cpu.pb.gz
view labels-go-search '8 / "out" Show Esc / "tenant:" Enter n n Show N Show Esc' go-cpu.pb.gz
view labels-go-focus '8 j j j Enter Show u Show x Show u H Show j H' go-cpu.pb.gz
view labels-go-40 '8 j j' --size=40x10 go-cpu.pb.gz
view labels-go-200 '8 G' --size=200x60 go-cpu.pb.gz
view labels-heap '8 Show S' go-heap1.pb.gz
view labels-edge '8 Show G' edge/labels.pb.gz
view labels-hostile '8 Show G' edge/names-hostile.pb.gz
view labels-mouse '8 Click(40,6) Show Double(30,5) Show Wheel(5,5,3) Show Click(3,2)' go-cpu.pb.gz
view labels-none '8 j Enter Space x H b / "a" Enter n S C' compare/build-new.pb.gz
view labels-none-left '8' -tagfocus=zzz go-cpu.pb.gz
view labels-base '8' -base=compare/label-base.pb.gz compare/label-new.pb.gz
view labels-diff-base '8' -diff_base=compare/label-base.pb.gz compare/label-new.pb.gz

shows 'tagroot=route' '8 j j b' go-cpu.pb.gz
shows 'removed the label from the root of stacks' '8 j j b b' go-cpu.pb.gz
shows 'route: /export' '8 j j b 3 C' go-cpu.pb.gz
shows 'tagfocus=tenant=^south$' '8 G k Enter' go-cpu.pb.gz
shows 'tagignore=tenant=^south$' '8 G k x' go-cpu.pb.gz
shows 'tagfocus=bytes=16384bytes' '8 j Enter' go-heap1.pb.gz
shows '6 of 9 values' '8 / "out"' go-cpu.pb.gz

for size in 1x1 2x2 3x3 7x4 20x5 80x1 1x24; do
	play '8 j G Enter C E S / "a" Enter n N b H Click(0,0) Double(1,1) Double(3,3)' --size=$size go-cpu.pb.gz \
		>"$tmp/out" 2>"$tmp/err"
	result $? "labels are drawn at $size"
done

# values SCREEN: the rows of label values on a screen, as "CUM CUM% VALUE"
values() {
	sed '1,3d; s/[█▉▊▋▌▍▎▏│]//g; s/ *$//' "$1" | awk '$2 ~ /%$/ && $3 != "-" && $3 != "+"' |
		sed -E 's/^ +([^ ]+) +([^ ]+) +/\1 \2 /'
}

# cum, percentages and label values equal those of cpa tags
for file in go-cpu.pb.gz go-heap1.pb.gz go-allocs.pb.gz rust-cpu.pb.gz edge/labels.pb.gz; do
	"$CPA" tags $file | sed -nE 's/^ +([^ ]+) \( *([^ ]+)\): (.*)/\1 \2 \3/p' >"$tmp/should"
	play '8 E' --size=200x300 $file >"$tmp/screen"
	values "$tmp/screen" >"$tmp/is"
	same "the cum of each value of $file is that of tags" "$tmp/should" "$tmp/is"
done

# Enter on a value keeps exactly the samples with this value
for file in edge/labels.pb.gz edge/names-hostile.pb.gz go-heap1.pb.gz; do
	play '8 E' --size=100x100 $file | sed '1,3d' | grep -n '% .*[^ ]' | grep -v '%.* [-+] .*  [0-9]* value' >"$tmp/rows"
	: >"$tmp/should"
	: >"$tmp/is"
	while IFS= read -r row; do
		down=$(awk -v n="${row%%:*}" 'BEGIN { while (n-- > 1) printf "j " }')
		weight=$(printf '%s\n' "${row#*:}" | awk '{ print $1 }')
		[ "$weight" = 0 ] && continue
		echo "${row%%:*} $weight 100%" >>"$tmp/should"
		play "8 E $down Enter" --size=100x100 -relative_percentages $file >"$tmp/screen"
		values "$tmp/screen" | awk -v w="$weight" -v n="${row%%:*}" \
			'$1 == w && $2 == "100%" { print n, $1, $2; exit }' >>"$tmp/is"
	done <"$tmp/rows"
	same "Enter on a value of $file keeps exactly the samples that have it" "$tmp/should" "$tmp/is"
done

done_testing
