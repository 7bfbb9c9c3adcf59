#!/bin/sh
# t320-prompt.t - typing commands and searches: editing, history, completion, errors
# SPDX-License-Identifier: Apache-2.0

# shellcheck source=SCRIPTDIR/lib.sh
. "${top_srcdir:?}/tests/shell/lib.sh"

# the report comments is empty for this profile, so changes of other views do not affect these tests
at=': "comments" Enter'

screen prompt-80 "$at : Show \"top10\" Show \" -cum\" Show Ctrl-U \"focus=\"" --size=80x8 --looks go-cpu.pb.gz
screen prompt-40 "$at : \"focus=a_long_expression|and_another_one\" Show Home Show Alt-f Show" --size=40x10 go-cpu.pb.gz
screen prompt-tiny "$at : \"top10\" Show Resize(8,1) Show Resize(8,2) Show Resize(8,3)" --size=3x1 go-cpu.pb.gz

# every key of the editor; the final line is run
edited() {
	play "$at : $1" --size=80x8 go-cpu.pb.gz | tail -1 | sed 's/^(cpa) //' >"$tmp/is"
	echo "$2" >"$tmp/should"
	same "the line is \"$2\" after $1" "$tmp/should" "$tmp/is"
}
edited '"tp" Left "o"' 'top'
edited '"peek main" Alt-b Ctrl-K "foo"' 'peek foo'
edited '"peek main" Ctrl-W "foo" Home Ctrl-D Ctrl-D Ctrl-D Ctrl-D "list"' 'list foo'
edited '"abc" Ctrl-U Ctrl-Y Ctrl-Y' 'abcabc'
edited '"日本" Left "x"' '日x本'
edited '"abc" Click(7,7) "x"' 'axbc'

# ---- a refused line stays in the prompt: a character then begins a new line, other keys edit the refused line

edited '"nosuch" Enter "comments" Enter' 'comments'
edited '"nosuch" Enter : "comments" Enter' 'comments'
edited '"topp" Enter Backspace' 'top'
edited '"nosuch" Enter Left "x"' 'nosucxh'
edited '"nosuch" Enter "top" Ctrl-U Up' 'nosuch'
screen prompt-wrong "$at : \"topp\" Enter Show Ctrl-U \"comments\" Enter" --size=80x8 go-cpu.pb.gz
shows 'command peek requires an argument' ': "peek" Enter' go-cpu.pb.gz
shows '(cpa) peek' ': "peek" Enter' go-cpu.pb.gz
shows 'did you mean' ': "topp" Enter' go-cpu.pb.gz

# ---- an invalid regular expression is refused; the option keeps its value

for option in focus ignore hide show show_from prune_from tagfocus tagignore tagshow taghide; do
	shows "parsing $option regexp: error parsing regexp: missing closing )" ": \"$option=(\" Enter" go-cpu.pb.gz
	shows " $option=a x" ": \"$option=a\" Enter : \"$option=(\" Enter" go-cpu.pb.gz
done
shows 'runtime.nextFreeFast (inline)' ': "top (" Enter' go-cpu.pb.gz

# ---- history

edited '"focus=a" Enter : "hide=b" Enter : Up Up' 'focus=a'
edited '"focus=a" Enter : "hide=b" Enter : "x" Up Up Down Down' 'x'
edited '"focus=a" Enter : Up "b" Enter : Ctrl-P' 'focus=ab'
edited '"focus=a" Enter : "hide=b" Enter : "show=c" Enter : Ctrl-R "e=" Ctrl-E' 'hide=b'
edited '"focus=a" Enter : "focus=b" Enter : Ctrl-R "foc" Ctrl-R Enter' 'focus=a'
screen prompt-seek "$at : \"focus=a\" Enter : \"hide=b\" Enter : \"t\" Ctrl-R \"foc\" Show \"x\" Show Esc" --size=80x9 go-cpu.pb.gz

# ---- completion

screen complete "$at : \"ta\" Tab Show Tab Show Down Show BackTab Enter Show \"f\" Tab" --size=80x12 go-cpu.pb.gz
screen complete-40 "$at : \"granularity=\" Tab Show Wheel(20,6,3) Show Click(20,5)" --size=40x10 go-cpu.pb.gz
edited '"tagf" Tab "x"' 'tagfocus=x'
edited '"granularity=a" Tab' 'granularity=addresses'
edited '"samp" Tab' 'sample'
edited '"samp" Tab Tab' 'sample_index='
edited '"samp" Tab Tab Esc "c"' 'sample_index=c'
edited '"sample_index=" Tab Up Enter' 'sample_index=samples'
edited '"top >go-cp" Tab' 'top >go-cpu.pb.gz'
edited '"focus=shop/parcel" Tab' 'focus=^shop/parcel\.'
shows 'no completions' ': "zzzz" Tab' go-cpu.pb.gz
shows '^main\.main\.func1$' ': "peek main.main" Tab' go-cpu.pb.gz

# ---- leaving

screen prompt-leave "$at : \"x\" Esc Show : \"x\" Ctrl-C : Backspace : \"x\" Click(9,3)" --size=80x8 go-cpu.pb.gz

# ---- typed lines do the same as keys

for pair in 'S|sort=cum' 'A|trim=false' '3|tree' 't Up Enter|sample_index=samples' 'r Down Enter|granularity=filefunctions'; do
	play "${pair%%|*}" go-cpu.pb.gz >"$tmp/keys"
	play ": \"${pair#*|}\" Enter" go-cpu.pb.gz >"$tmp/typed"
	same "${pair%%|*} does the same as :${pair#*|}, and shows it" "$tmp/typed" "$tmp/keys"
done
shows 'focus=main x' ': "focus=main" Enter' go-cpu.pb.gz
shows 'sample_index=samples x' ': "samples" Enter' go-cpu.pb.gz
shows 'Options' ': "o" Enter' go-cpu.pb.gz
shows 'print the top functions, by flat or cum' ': "help top" Enter' go-cpu.pb.gz
shows 'Help: ' ': "help" Enter' go-cpu.pb.gz
play ': "quit" Enter' go-cpu.pb.gz >"$tmp/out"
[ ! -s "$tmp/out" ]
result $? "quit ends the program"

# ---- writing files

rm -rf "$tmp/w" && mkdir "$tmp/w"
play ": \"tags role >$tmp/w/out.txt\" Enter" go-cpu.pb.gz >"$tmp/screen"
"$CPA" tags -tagfocus=role go-cpu.pb.gz >"$tmp/should" 2>/dev/null
same "> writes the report to a file" "$tmp/should" "$tmp/w/out.txt"

# ---- search in the Top view

shows '(cpa) top' '/ "Price" Enter' go-cpu.pb.gz
play '/ "Price" Esc' go-cpu.pb.gz >"$tmp/is"
play '1' go-cpu.pb.gz >"$tmp/should"
same "Esc undoes a search" "$tmp/should" "$tmp/is"
play '/ "Price" Enter / "zzz" Esc' go-cpu.pb.gz >"$tmp/is"
play '/ "Price" Enter' go-cpu.pb.gz >"$tmp/should"
same "Esc restores the previous search" "$tmp/should" "$tmp/is"
play '/ "Price" Enter Esc / Up Enter' go-cpu.pb.gz >"$tmp/is"
same "Up recalls the last search" "$tmp/should" "$tmp/is"
shows '/Pric' '/ "Price" Backspace' go-cpu.pb.gz

for size in 1x1 2x2 3x3 7x4 20x5 80x1 1x24; do
	play ': "top10 -cum" Show Tab Up Down Ctrl-R "t" Esc Esc / "abc" Show Esc : "nono" Enter Show' --size=$size go-cpu.pb.gz >"$tmp/out" 2>"$tmp/err"
	result $? "the prompt is drawn at $size"
done

done_testing
