#!/bin/sh
# t311-top.t - the Top view: order, filter, columns, comparisons; values equal those of cpa top
# SPDX-License-Identifier: Apache-2.0

# shellcheck source=SCRIPTDIR/lib.sh
. "${top_srcdir:?}/tests/shell/lib.sh"

base='-base=compare/build-base.pb.gz compare/build-new.pb.gz'

view top-go 'j j' go-cpu.pb.gz
view top-go-sort '> Show > > Show > Show > Show I Show < < < < Show S' --size=80x12 go-cpu.pb.gz
view top-go-filter 'j j j / "sort" Show Enter j Show Esc Show n Show N' --size=80x14 go-cpu.pb.gz
view top-go-filter-kinds '/ "MALLOC" Show Esc / "malloc" Show Esc / "^sort[.](s|p)" Show Esc / "(*z"' --size=80x10 go-cpu.pb.gz
view top-go-columns 'C Show Space G Space < < Show k Space Enter' go-cpu.pb.gz
view top-go-columns-mouse 'C Click(12,10) Click(12,11) Show Click(0,0)' --size=80x24 go-cpu.pb.gz
view top-go-mouse 'Click(60,6) Show Click(4,3) Show Click(4,3) Show Wheel(9,9,5) Show Double(60,7)' --size=80x14 go-cpu.pb.gz
view top-go-scroll 'G Show PageUp Ctrl-U Show g Ctrl-D l Show l l l l l l Show h h h h h h h' --size=60x14 go-cpu.pb.gz
view top-go-40 'j' --size=40x10 go-cpu.pb.gz
view top-go-20 'j' --size=20x10 go-cpu.pb.gz
view top-go-200 'G' --size=200x60 go-cpu.pb.gz
view top-go-limit 'Show S' --size=80x16 -nodecount=5 go-cpu.pb.gz
view top-go-lines 'j' --size=120x14 -lines go-cpu.pb.gz
view top-rust-all 'A G' --size=80x12 rust-cpu.pb.gz
view top-heap 'd Show d' -base=go-heap1.pb.gz go-heap2.pb.gz
view top-rust '' rust-cpu.pb.gz
view top-cpp '' cpp-cpu.pb.gz
screen top-counts 'Show / "a"' --size=80x10 -sample_index=alloc_objects go-allocs.pb.gz
view top-hostile 'j' edge/names-hostile.pb.gz
view top-names-empty 'j' edge/names-empty.pb.gz
view top-empty 'j Enter n I < C Space Esc / "a" Enter' --size=80x10 edge/no-samples.pb.gz
view top-zero 'j' --size=80x10 edge/all-zero.pb.gz
view top-negative 'j' --size=80x10 edge/negative-values.pb.gz
# shellcheck disable=SC2086
{
	view top-base 'Show d Show d' --size=80x16 $base
	view top-base-sort '> Show > Show I Show < < < < Show S' --size=80x16 $base
	view top-base-columns 'C j j j j Space j Space j j Space Esc' --size=120x20 $base
	view top-base-40 'j' --size=40x12 $base
	screen top-base-looks 'j' --size=80x12 --looks --colors=256 $base
	screen top-base-no-colours 'j' --size=80x12 --looks --colors=none $base
	shows 'averages cannot be added' Show -mean $base
	shows '28.57% of 210ms total' Show -mean $base
}
screen top-looks 'j / "mal" Enter' --size=80x12 --looks --colors=256 go-cpu.pb.gz
screen top-no-colours 'j / "mal" Enter' --size=80x12 --looks --colors=none go-cpu.pb.gz

# the headline shows the share of CPU time that was not sampled; no row contains this time
for side in 500:200 900:260; do
	"${PYTHON3:-python3}" "$top_srcdir/tests/cli/gate_profile.py" "$tmp/side-${side%:*}" 1 cpu nanoseconds \
		'f;main=300000000' "g;main=${side#*:}000000" "[cpa: not sampled]=${side%:*}000000"
done
view top-not-sampled 'Show S' --size=80x12 "$tmp/side-500"
view top-not-sampled-40 'j' --size=40x12 "$tmp/side-500"
view top-not-sampled-base 'Show d' --size=80x12 "-base=$tmp/side-500" "$tmp/side-900"

# the lowest line shows the command that a key runs
shows '(cpa) sort=cum' '> > >' go-cpu.pb.gz
shows '(cpa) peek ^shop/parcel\.\(\*Parcel\)\.Price$' 'Enter' go-cpu.pb.gz
shows "(cpa) peek '^shop/parcel\\.\\(\\*Parcel\\)\\.Price" 'Enter' -lines go-cpu.pb.gz
shows '(cpa) focus=^shop/parcel\.\(\*Parcel\)\.Price$' 'f' -lines go-cpu.pb.gz
shows '(cpa) focus=^compress/flate\.\(\*compressor\)\.findMatch$' 'j j f' -addresses go-cpu.pb.gz
shows 'no search yet' 'n' go-cpu.pb.gz
shows 'no match' '/ "zz" Enter Esc n' go-cpu.pb.gz
shows 'No name matches; Esc shows all rows.' '/ "zz" Enter' go-cpu.pb.gz
shows '3/5 of 195 rows' '/ "malloc" Enter j j' go-cpu.pb.gz

# a filter typed while there are no rows applies to later rows
shows '3/5 of 195 rows' ': "hide=(" Enter : "top" Enter : "top -cum" Enter / "malloc" Enter : "hide=" Enter j j' go-cpu.pb.gz

# a file row is about that file: focus leaves its samples
play 'f' -files --size=120x24 go-cpu.pb.gz >"$tmp/out"
grep -qF '(cpa) focus=' "$tmp/out" && ! grep -q 'All samples are filtered out' "$tmp/out"
result $? 'key f on a file keeps the samples of that file'

# the selected row is found again by name, wherever it moved
for keys in S I A '> > > >' ': "unit=ms" Enter' ': "nodefraction=0.01" Enter'; do
	play "j j j j $keys Enter" --size=200x24 go-cpu.pb.gz | tail -1 >"$tmp/is"
	echo '(cpa) peek ^compress/flate\.\(\*compressor\)\.deflate$' >"$tmp/should"
	same "the fifth row is still selected after $keys" "$tmp/should" "$tmp/is"
done

for size in 1x1 2x2 3x3 7x4 20x5 80x1 1x24 80x4 80x5; do
	play 'j G l l I > < C j Space > Esc / "a" Enter n N Click(0,0) Double(1,1)' --size=$size go-cpu.pb.gz >"$tmp/out" 2>"$tmp/err"
	result $? "Top is drawn at $size"
done

# all rows of several profiles, by flat and by cum, equal the rows of the report top
ungroup() { # 12,345ms is 12345ms in text
	sed -E ':a; s/^(([^ ]* )*-?[0-9]+),([0-9]{3})/\1\3/; ta'
}
rows() { # of a screen with chips, without names that are cut
	sed -n '5,$p' | sed '/^$/d' | sed -E '$d; s/ *[█│]?$//' | sed '$d'
}
for file in go-cpu.pb.gz go-heap1.pb.gz rust-cpu.pb.gz cpp-cpu.pb.gz node-wall.pb.gz compare/parent-new.pb.gz; do
	for sort in flat cum; do
		"$CPA" -symbolize=none top -unit=ms -$sort "$file" | sed '1,/flat%/d' | sed -E 's/^ +//; s/ +/ /g' | head -100 >"$tmp/should"
		play 'S S' --size=700x107 -unit=ms -$sort "$file" | tail -n +2 | rows | ungroup | sed -E 's/^ +//; s/ +/ /g' | head -100 >"$tmp/is"
		same "Top of $file by $sort has the rows of the report" "$tmp/should" "$tmp/is"
	done
done

done_testing
