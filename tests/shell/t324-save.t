#!/bin/sh
# t324-save.t - saving a view: formats, names, existing files
# SPDX-License-Identifier: Apache-2.0

# shellcheck source=SCRIPTDIR/lib.sh
. "${top_srcdir:?}/tests/shell/lib.sh"

profile=$PWD/go-cpu.pb.gz
mkdir "$tmp/w" && cd "$tmp/w" || exit 1
cp "$profile" . || exit 1

screen save-80 ': "comments" Enter s Show Down Down Show "x" Show Down' --size=80x24 go-cpu.pb.gz
screen save-40 ': "comments" Enter s Show Down Down Down Down Down' --size=40x10 go-cpu.pb.gz
screen save-120 ': "comments" Enter s' --size=120x40 go-cpu.pb.gz

# saved FILE COMMAND KEYS: KEYS write to FILE what COMMAND prints
saved() {
	play "$3" --size=80x24 go-cpu.pb.gz >"$tmp/screen"
	eval "$2" >"$tmp/should" 2>/dev/null
	same "$3 writes what $2 prints" "$tmp/should" "$1"
	grep -qF "wrote $1" "$tmp/screen"
	result $? "$3 reports that it wrote $1"
}
# shellcheck disable=SC2016 # expanded by saved
{
	saved go-cpu-top.txt '"$CPA" top go-cpu.pb.gz' '1 s Enter'
	saved go-cpu-top.json '"$CPA" top --json go-cpu.pb.gz' '1 s Down Enter'
	saved go-cpu-top.csv '"$CPA" top --csv go-cpu.pb.gz' '1 s Down Down Enter'
	saved go-cpu-top.md '"$CPA" top --markdown go-cpu.pb.gz' '1 s Down Down Down Enter'
	saved go-cpu-flame.svg '"$CPA" flame --format=svg go-cpu.pb.gz' '1 s Down Down Down Down Enter'
	saved go-cpu-folded.folded '"$CPA" folded go-cpu.pb.gz' '1 s Up Up Enter'
	saved go-cpu-tree.txt '"$CPA" tree go-cpu.pb.gz' '3 s Enter'
	saved go-cpu-tags.json '"$CPA" tags --json go-cpu.pb.gz' '8 s Down Enter'
	saved go-cpu-peek-Price.txt '"$CPA" peek Price go-cpu.pb.gz' ': "peek Price$" Enter s Enter'
	saved go-cpu-flame.svg '"$CPA" flame -focus=Price --format=svg go-cpu.pb.gz' ': "top5 Price" Enter s Down Down Down Down Enter Enter'
	saved 'a b.txt' '"$CPA" top go-cpu.pb.gz' '1 s Ctrl-U "a b.txt" Enter'
	saved "it's.txt" '"$CPA" top go-cpu.pb.gz' "1 s Ctrl-U \"it's.txt\" Enter"
}
play '1 s Up Enter' go-cpu.pb.gz >"$tmp/screen"
"$CPA" top go-cpu.pb.gz >"$tmp/should"
cp go-cpu.pb.gz "$tmp/kept.pb.gz"
shows 'go-cpu.pb.gz exists; press Enter again to overwrite it' '1 s Up Enter' go-cpu.pb.gz
cmp -s go-cpu.pb.gz "$profile"
result $? "an existing file is not overwritten at the first Enter"
play '1 s Up Ctrl-U "mine.pb.gz" Enter' go-cpu.pb.gz >"$tmp/screen"
"$CPA" top mine.pb.gz >"$tmp/is"
same "a saved profile has the same report" "$tmp/should" "$tmp/is"

echo mine >there.txt
play '1 s Ctrl-U "there.txt" Enter "x" Esc' go-cpu.pb.gz >/dev/null
echo mine >"$tmp/should"
same "an existing file is kept until Enter is pressed twice" "$tmp/should" there.txt
play '1 s Ctrl-U "there.txt" Enter Enter' go-cpu.pb.gz >/dev/null
"$CPA" top go-cpu.pb.gz >"$tmp/should"
same "Enter twice overwrites the file" "$tmp/should" there.txt

shows 'No such file or directory' '1 s Ctrl-U "/nonono/x.txt" Enter' go-cpu.pb.gz
shows 'enter a file name' '1 s Ctrl-U Enter' go-cpu.pb.gz
shows 'flame --format=svg >x.txt' '4 s Ctrl-U "x.txt"' go-cpu.pb.gz
shows 'file: there.txtx' '1 s Ctrl-U "the" Tab "x" Left' go-cpu.pb.gz
ls >"$tmp/should"
play '1 s Esc s Ctrl-C s Click(0,0) s RightClick(9,9)' go-cpu.pb.gz >/dev/null
ls >"$tmp/is"
same "nothing is written when the dialog is cancelled" "$tmp/should" "$tmp/is"
shows '> JSON' '1 s Click(10,7)' go-cpu.pb.gz
for view in 'list Price' 'disasm Price'; do
	shows 'web page of source' ": \"$view\" Enter s" go-cpu.pb.gz
done
play '7 s' go-cpu.pb.gz | grep -q Markdown
[ $? -eq 1 ]
result $? "traces are not offered as Markdown"

for size in 1x1 2x2 3x3 7x4 20x5 80x1 1x24; do
	play '1 s Show Down Show "x" Show Tab Show Esc Esc' --size=$size go-cpu.pb.gz >"$tmp/out" 2>"$tmp/err"
	result $? "the dialog is drawn at $size"
done

cp go-cpu.pb.gz "$tmp/mine.pb.gz"
play ": \"top >$tmp/mine.pb.gz\" Enter" "$tmp/mine.pb.gz" >/dev/null
cmp go-cpu.pb.gz "$tmp/mine.pb.gz"
result $? 'a report does not overwrite the profile on the screen'

done_testing
