#!/bin/sh
# t321-pickers.t - windows to choose from: sample types, granularity, units, labels, options
# SPDX-License-Identifier: Apache-2.0

# shellcheck source=SCRIPTDIR/lib.sh
. "${top_srcdir:?}/tests/shell/lib.sh"

# comments is a view of its own with nothing in it here, so that other views can change
at=': "comments" Enter'

# said LINE KEYS: the lowest line shows the line that these keys stand for
said() {
	play "$at $2" --size=80x24 "${3:-go-cpu.pb.gz}" | tail -1 | sed 's/^(cpa) //' >"$tmp/is"
	echo "$1" >"$tmp/should"
	same "$2 is :$1" "$tmp/should" "$tmp/is"
}

screen pick-types "$at t Show Up Show \"cpu\"" --size=80x14 --looks go-cpu.pb.gz
screen pick-types-40 "$at t Show Enter t" --size=40x10 go-heap1.pb.gz
screen pick-rows "$at r Show Down Enter r" --size=80x16 go-cpu.pb.gz
screen pick-units "$at m" --size=80x16 go-cpu.pb.gz
screen pick-units-bytes "$at m" --size=80x16 go-heap1.pb.gz
screen pick-labels "$at b Show \"ten\" Show Enter b" --size=120x24 go-cpu.pb.gz
screen pick-labels-hostile "$at b" --size=80x20 edge/names-hostile.pb.gz

said sample_index=samples 't Up Enter'
said sample_index=samples 't "sam" Enter'
said sample_index=samples 't Click(25,11)'
said granularity=lines 'r Down Down Down Enter'
said granularity=addresses 'r Tab Tab Tab BackTab Tab Tab Enter'
said noinlines=true 'r "inl" Enter'
said unit=ms 'm "ms" Enter'
said unit=kB 'm "kilo" Enter' go-heap1.pb.gz
said tagroot=tenant 'b "tenant root" Enter'
said 'taghide=^route$' 'b "route left" Enter'
said tagroot= 'b "role root" Enter b Home Enter'
said comments 't Esc'
said comments 't Click(1,5)'
said comments 't RightClick(25,11)'
said comments 't "zzz" Enter Esc'
shows 'nothing here has that in it' 't "zzz"' go-cpu.pb.gz
shows 'have no labels' 'b' cpp-cpu.pb.gz
shows 'tagroot=tenant x' 'b "tenant root" Enter' go-cpu.pb.gz

# a picker over a profile that is made again at another size
screen pick-resize "$at t Resize(40,10) Show Resize(20,4) Show Resize(1,1) Show Resize(80,10)" --size=80x24 go-cpu.pb.gz

# ---- options

screen options-80 "$at o Show PageDown Show \"tag\" Show" --size=80x24 go-cpu.pb.gz
screen options-40 "$at o" --size=40x10 go-cpu.pb.gz
screen options-120 "$at o End Show" --size=120x40 go-cpu.pb.gz
screen options-changed "$at o \"trim=\" Show Enter Show Left" --size=80x12 --looks go-cpu.pb.gz
screen options-typed "$at o \"focus\" Enter Show \"main\" Enter" --size=80x12 go-cpu.pb.gz
screen options-wrong "$at o \"nodecount\" Enter Ctrl-W \"nodecount=x\" Enter" --size=80x12 go-cpu.pb.gz
said trim=false 'o "trim=" Enter Esc'
said sort=cum 'o Enter Esc'
said sort=cum 'o Right Esc'
said granularity=lines 'o "granularity" Left Left Esc'
said order=weight 'o "order=" Enter Esc'
said theme=light 'o "theme" Right Esc'
said comments 'o "focus" Right Esc'
shows 'undone: trim=false' 'o "trim=" Enter Esc u' go-cpu.pb.gz

# what line mode lists is in the window too, but for what only matters while profiles are read
play 'o' --size=200x200 go-cpu.pb.gz | sed -n 's/^.*│>*  *\** *\([a-z_]*\)=.*/\1/p' | sort >"$tmp/is"
printf 'o\n' | "$CPA" -symbolize=none --plain go-cpu.pb.gz 2>&1 | sed -n 's/^  \([a-z_]*\)  *= .*/\1/p' | grep -v normalize | sort >"$tmp/should"
comm -13 "$tmp/is" "$tmp/should" >"$tmp/missing"
[ "$(wc -l <"$tmp/should")" -gt 30 ] && [ ! -s "$tmp/missing" ]
result $? "options that o lists in line mode are in the window too"
note "$tmp/missing"

for size in 1x1 2x2 3x3 7x4 20x5 80x1 1x24; do
	play 't Show "s" Show Down Enter r Down Show Esc m Show Esc b Down Show Esc o Down Show "tag" Show Right Esc' --size=$size go-cpu.pb.gz >"$tmp/out" 2>"$tmp/err"
	result $? "windows are drawn at $size"
done

done_testing
