#!/bin/sh
# t310-frame.t - the rows around the views: title, tabs, hints, messages, chips, undo, the command line to copy
# SPDX-License-Identifier: Apache-2.0

# shellcheck source=SCRIPTDIR/lib.sh
. "${top_srcdir:?}/tests/shell/lib.sh"

# the report comments is empty for this profile, so changes of other views do not affect these tests
at=': "comments" Enter'

screen frame-80 "$at" --size=80x8 go-cpu.pb.gz
screen frame-40 "$at" --size=40x10 go-cpu.pb.gz
screen frame-120 "$at" --size=120x10 go-cpu.pb.gz
screen frame-looks "$at Show : \"nono\" Enter Esc" --size=80x8 --looks --colors=256 go-cpu.pb.gz
screen frame-no-colours "$at : \"focus=main\" Enter c" --size=80x8 --looks --colors=none go-cpu.pb.gz
screen frame-tiny "$at Show Resize(9,2) Show Resize(9,3) Show Resize(9,4) Show Resize(9,5) Show Resize(9,6)" --size=9x1 go-cpu.pb.gz
shows 'go-heap1.pb.gz -> go-heap2.pb.gz' '1' -base=go-heap1.pb.gz go-heap2.pb.gz
shows 'names-hostile.pb.gz' "$at" edge/names-hostile.pb.gz
shows '? help  q quit' '1' --size=30x10 go-cpu.pb.gz
shows '[4 Flame]' '1 Click(27,1)' go-cpu.pb.gz
shows 'Help: ' '1 Click(67,22)' go-cpu.pb.gz
shows 'Tab complete ' 'Click(3,23)' go-cpu.pb.gz

# ---- chips

screen chips "$at : \"focus=main\" Enter : \"hide=runtime\" Enter Show c Right Show x Show X" --size=80x8 go-cpu.pb.gz
screen chips-many "$at : \"focus=a\" Enter : \"ignore=a_name_that_is_much_too_long_for_a_chip\" Enter : \"hide=b\" Enter : \"granularity=lines\" Enter : \"nodecount=20\" Enter Show c End Show Left Left Left Left" --size=80x8 go-cpu.pb.gz
screen chips-edit "$at : \"focus=main\" Enter c Enter Show \"x\" Enter" --size=80x8 go-cpu.pb.gz
screen chips-click "$at : \"focus=main\" Enter Click(3,2) Show Esc Click(13,2)" --size=80x8 go-cpu.pb.gz
screen chips-own ": \"comments role -main\" Enter Show c x" --size=80x8 go-cpu.pb.gz
shows ' focus=role x' ': "comments role" Enter' go-cpu.pb.gz
shows 'no active filter' 'c' go-cpu.pb.gz
shows '+2 more' ': "focus=aaaaaaaaaa" Enter : "hide=b" Enter : "show=c" Enter' --size=32x10 go-cpu.pb.gz

# ---- undo

shows 'undone: focus=main' ': "focus=main" Enter u' go-cpu.pb.gz
shows 'undone: focus=, hide=' ': "focus=main" Enter : "hide=a" Enter : : Enter u' go-cpu.pb.gz
shows 'redone: focus=main' ': "focus=main" Enter u U' go-cpu.pb.gz
shows 'nothing to undo' ': "focus=main" Enter u u' go-cpu.pb.gz
shows 'focus=main x   hide=a x' ': "focus=main" Enter : "hide=a" Enter c X u' go-cpu.pb.gz

# ---- y

screen command ': "comments" Enter : "focus=a b" Enter : "hide=it'"'"'s" Enter y' --size=80x10 go-cpu.pb.gz
screen command-long ': "comments" Enter : "focus=one_long_name_of_a_function|another_long_name_of_a_function" Enter : "sort=cum" Enter y' --size=40x10 go-cpu.pb.gz

# the rows that y prints are one command for a shell
play ': "focus=one long function of a program|another long function of it" Enter : "hide=it'"'"'s|b" Enter : "top" Enter y' --size=40x14 go-cpu.pb.gz |
	sed '1,/Equivalent command/d; /Shift+drag/,$d' >"$tmp/line"
(
	# shellcheck disable=SC2317 # what is evaluated calls it
	cpa() { printf '%s\n' "$@"; }
	eval "$(cat "$tmp/line")"
) | sed -n 's/^-focus=//p' >"$tmp/is"
echo 'one long function of a program|another long function of it' >"$tmp/should"
same "the rows of y are one command" "$tmp/should" "$tmp/is"

# the command that y prints makes the report of the view
play ': "focus=main" Enter : "granularity=lines" Enter : "top runtime" Enter y' --size=200x20 go-cpu.pb.gz | sed -n 's/^cpa //p' >"$tmp/line"
"$CPA" top -focus=runtime -lines go-cpu.pb.gz >"$tmp/should"
eval "\"$CPA\" $(cat "$tmp/line")" >"$tmp/is" 2>&1
same "the command line of y prints what the view shows" "$tmp/should" "$tmp/is"

shows 'cpa top -symbolize=none /bin/true go-cpu.pb.gz' y /bin/true go-cpu.pb.gz
shows "cpa peek -symbolize=none -- '-main|x' go-cpu.pb.gz" ': "peek -main|x" Enter y' go-cpu.pb.gz
cp go-cpu.pb.gz "$tmp/-x.pb.gz"
(cd "$tmp" && play y -- -x.pb.gz) >"$tmp/is"
grep -q '^cpa top -symbolize=none ./-x.pb.gz' "$tmp/is"
result $? "y prints a file name with a leading dash as ./NAME"

for option in --size=9 --size=0x5 --size=80x24x --colors=9; do
	play y $option go-cpu.pb.gz >"$tmp/out" 2>"$tmp/err"
	test $? = 2 && test "$(wc -l <"$tmp/err")" = 1 && test ! -s "$tmp/out"
	result $? "$option is refused with a one-line error"
done

for size in 1x1 2x2 3x3 7x4 20x5 80x1 1x24; do
	play ': "focus=main" Enter c Show x Show : "x" Show Esc y Show Esc u Show' --size=$size go-cpu.pb.gz >"$tmp/out" 2>"$tmp/err"
	result $? "the frame is drawn at $size"
done

# messages: a comparison without differences; keys that need a function, when none is selected
for keys in 1 7 8; do
	shows 'Nothing changed: before and after are equal.' "$keys" -base=go-heap1.pb.gz go-heap1.pb.gz
done
shows '(cpa) list ^shop/route\.\(\*Planner\)\.nearest$' 'j j j 4 5' go-cpu.pb.gz
shows 'no function is selected; select one' '4 f' go-cpu.pb.gz
for view in 2 3 7 8; do
	shows '[1 Top]' "$view RightClick(20,6)" go-cpu.pb.gz
done
shows '2 p             Callers and callees of the selected function' '?' --size=80x50 go-cpu.pb.gz
# removing an option with its chip keeps the expression of the command
shows "(cpa) peek 'flate|no such'" ": \"peek 'flate|no such' -zz\" Enter c x" --size=80x12 go-cpu.pb.gz

# reports that the text view shows can be searched too
shows ' 474: 0x6ac7ab' ': "raw" Enter / "0x6ac7ab" Enter' --size=60x9 go-cpu.pb.gz
play ': "raw" Enter / "0x" Enter n n N' --looks --size=60x99 edge/recursion.pb.gz >"$tmp/is"
play ': "raw" Enter / "0x" Enter n' --looks --size=60x99 edge/recursion.pb.gz >"$tmp/should"
same 'N undoes n in a text report' "$tmp/should" "$tmp/is"
shows 'no match' ': "raw" Enter / "zzz"' --size=60x9 go-cpu.pb.gz

# a right click is Backspace anywhere on the screen
for way in 'Enter' '3' '4' '7'; do
	play "1 $way RightClick(20,9)" --size=80x24 go-cpu.pb.gz >"$tmp/is"
	play "1 $way Backspace" --size=80x24 go-cpu.pb.gz >"$tmp/should"
	same "a right click after $way goes back" "$tmp/should" "$tmp/is"
done
play 'j RightClick(20,9)' --size=80x24 go-cpu.pb.gz >"$tmp/is"
play 'j Backspace' --size=80x24 go-cpu.pb.gz >"$tmp/should"
same 'a right click on a row of Top selects nothing' "$tmp/should" "$tmp/is"

shows 'this key has no function here; ? lists the keys' 'Tab' go-cpu.pb.gz

# prompt TEXT KEYS: the lowest line after KEYS is "(cpa) TEXT"
prompt() {
	play "$2" go-cpu.pb.gz | tail -n 1 >"$tmp/is"
	echo "(cpa) $1" >"$tmp/should"
	same "the lowest line is the line of the view after $2" "$tmp/should" "$tmp/is"
}
prompt top '3 Backspace'
prompt top ': "top -cum" Enter Esc'
prompt 'top -cum' ': "top -cum" Enter Esc Alt-Right'

done_testing
