#!/bin/sh
# t321-pickers.t - windows to choose from: sample types, granularity, units, labels, options
# SPDX-License-Identifier: Apache-2.0

# shellcheck source=SCRIPTDIR/lib.sh
. "${top_srcdir:?}/tests/shell/lib.sh"

# the report comments is empty for this profile, so changes of other views do not affect these tests
at=': "comments" Enter'

# runs COMMAND KEYS: these keys run COMMAND, which the lowest line shows
runs() {
	play "$at $2" --size=80x24 "${3:-go-cpu.pb.gz}" | tail -1 | sed 's/^(cpa) //' >"$tmp/is"
	echo "$1" >"$tmp/should"
	same "$2 runs :$1" "$tmp/should" "$tmp/is"
}

screen pick-types "$at t Show Up Show \"cpu\"" --size=80x14 --looks go-cpu.pb.gz
screen pick-types-40 "$at t Show Enter t" --size=40x10 go-heap1.pb.gz
screen pick-rows "$at r Show Down Enter r" --size=80x16 go-cpu.pb.gz
screen pick-units "$at m" --size=80x16 go-cpu.pb.gz
screen pick-units-bytes "$at m" --size=80x16 go-heap1.pb.gz
# a view with columns chooses a unit for each value unless an option names one
shows '* a suitable unit for each value ' '1 m' go-cpu.pb.gz
shows '* a suitable unit for each value ' '4 m' go-cpu.pb.gz
shows '* milliseconds ' ': "unit=ms" Enter m' go-cpu.pb.gz
shows '  one unit per report, in text views ' '1 m' go-cpu.pb.gz
screen pick-labels "$at b Show \"ten\" Show Enter b" --size=120x24 go-cpu.pb.gz
screen pick-labels-hostile "$at b" --size=80x20 edge/names-hostile.pb.gz

runs sample_index=samples 't Up Enter'
runs sample_index=samples 't "sam" Enter'
runs sample_index=samples 't Click(25,11)'
runs granularity=lines 'r Down Down Down Enter'
runs granularity=addresses 'r Tab Tab Tab BackTab Tab Tab Enter'
runs noinlines=true 'r "inl" Enter'
runs unit=ms 'm "ms" Enter'
runs unit=kB 'm "kilo" Enter' go-heap1.pb.gz
runs tagroot=tenant 'b "tenant root" Enter'
runs 'taghide=^route$' 'b "route hide" Enter'
runs tagroot= 'b "role root" Enter b Home Enter'
runs comments 't Esc'
runs comments 't Click(1,5)'
runs comments 't RightClick(25,11)'
runs comments 't "zzz" Enter Esc'
shows 'no match' 't "zzz"' go-cpu.pb.gz
shows 'have no labels' 'b' cpp-cpu.pb.gz
shows 'tagroot=tenant x' 'b "tenant root" Enter' go-cpu.pb.gz

# a picker stays open when the terminal is resized
screen pick-resize "$at t Resize(40,10) Show Resize(20,4) Show Resize(1,1) Show Resize(80,10)" --size=80x24 go-cpu.pb.gz

# ---- options

screen options-80 "$at o Show PageDown Show \"tag\" Show" --size=80x24 go-cpu.pb.gz
screen options-40 "$at o" --size=40x10 go-cpu.pb.gz
screen options-120 "$at o End Show" --size=120x40 go-cpu.pb.gz
screen options-changed "$at o \"trim=\" Show Enter Show Left" --size=80x12 --looks go-cpu.pb.gz
screen options-typed "$at o \"focus\" Enter Show \"main\" Enter" --size=80x12 go-cpu.pb.gz
screen options-wrong "$at o \"nodecount\" Enter Ctrl-W \"nodecount=x\" Enter" --size=80x12 go-cpu.pb.gz
runs trim=false 'o "trim=" Enter Esc'
runs sort=cum 'o Enter Esc'
runs sort=cum 'o Right Esc'
runs granularity=lines 'o "granularity" Left Left Esc'
runs order=weight 'o "order=" Enter Esc'
runs theme=light 'o "theme" Right Esc'
runs comments 'o "focus" Right Esc'
shows 'undone: trim=false' 'o "trim=" Enter Esc u' go-cpu.pb.gz

# options of line mode are in the window too, except those that only matter while profiles are read
play 'o' --size=200x200 go-cpu.pb.gz | sed -n 's/^.*│>*  *\** *\([a-z_]*\)=.*/\1/p' | sort >"$tmp/is"
printf 'o\n' | "$CPA" -symbolize=none --plain go-cpu.pb.gz 2>&1 | sed -n 's/^  \([a-z_]*\)  *= .*/\1/p' | grep -v normalize | sort >"$tmp/should"
comm -13 "$tmp/is" "$tmp/should" >"$tmp/missing"
[ "$(wc -l <"$tmp/should")" -gt 30 ] && [ ! -s "$tmp/missing" ]
result $? "the window lists all options that o lists in line mode"
note "$tmp/missing"

for size in 1x1 2x2 3x3 7x4 20x5 80x1 1x24; do
	play 't Show "s" Show Down Enter r Down Show Esc m Show Esc b Down Show Esc o Down Show "tag" Show Right Esc' --size=$size go-cpu.pb.gz >"$tmp/out" 2>"$tmp/err"
	result $? "windows are drawn at $size"
done

done_testing
