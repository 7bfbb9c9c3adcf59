#!/bin/sh
# t260-shell.t - commands of the interactive shell, read from a script
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
f=go-cpu.pb.gz
unset DISPLAY WAYLAND_DISPLAY

# run_lines FILE LINE...: runs the lines in a shell on the profile FILE; its output is in $tmp/out and $tmp/err
run_lines() {
	file=$1
	shift
	printf '%s\n' "$@" | "$CPA" -symbolize=none "$TESTDATA/$file" >"$tmp/out" 2>"$tmp/err"
	status=$?
}
# reports PATTERN DESCRIPTION: checks that standard error matches PATTERN
reports() {
	grep -q -e "$1" "$tmp/err"
	found=$?
	[ "$found" -eq 0 ] || note "$tmp/err"
	result "$found" "$2"
}
mkdir "$tmp/work"
cd "$tmp/work" || exit 1

run_lines $f 'top7 -cum'
"$CPA" top -compact_labels -cum -nodecount=7 "$TESTDATA/$f" >"$tmp/want"
same "a line prints the same as a command line, without the header of the profile" "$tmp/want" "$tmp/out"
[ "$status" -eq 0 ]
result $? "the exit status at the end of input is 0"
reports '^Type: cpu$' "the header of the profile is printed on standard error"
reports '^Entering interactive mode' "the hint for interactive mode is printed"
grep -q '(cpa)' "$tmp/err"
[ $? -eq 1 ]
result $? "there is no prompt unless standard input is a terminal"

run_lines $f 'nosuch' 'top(' 'peek (' 'focus' 'tree >/nosuch/dir/f' 'top1'
"$CPA" top -compact_labels -nodecount=1 "$TESTDATA/$f" >"$tmp/want"
same "the shell continues after invalid lines" "$tmp/want" "$tmp/out"
[ "$status" -eq 0 ] && [ "$(grep -c '^cpa: ' "$tmp/err")" -eq 5 ]
result $? "each invalid line is reported" || note "$tmp/err"
run_lines $f 'top1' 'quit now' 'top2'
same "quit ends the shell" "$tmp/want" "$tmp/out"
printf 'top1' | "$CPA" -symbolize=none "$TESTDATA/$f" >"$tmp/out" 2>"$tmp/err"
same "the last line needs no newline" "$tmp/want" "$tmp/out"
run_lines $f '# top5' '' '  ' 'top1'
same "blank lines and comments print nothing" "$tmp/want" "$tmp/out"
printf 'to\0p5\ntop1\n' | "$CPA" -symbolize=none "$TESTDATA/$f" >"$tmp/out" 2>"$tmp/err"
same "a line with a NUL byte is rejected" "$tmp/want" "$tmp/out"
{ head -c 1100000 /dev/zero | tr '\0' x && printf '\ntop1\n'; } | "$CPA" -symbolize=none "$TESTDATA/$f" >"$tmp/out" 2>"$tmp/err"
same "a line of a megabyte is rejected" "$tmp/want" "$tmp/out"

"$CPA" nosuch.pb.gz </dev/null >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && [ ! -s "$tmp/out" ]
result $? "an unreadable profile exits with 2"
"$CPA" "$TESTDATA/$f" nosuch.pb.gz </dev/null 2>"$tmp/err"
status=$?
[ "$status" -eq 0 ] && grep -q 'Fetched 1 source profiles out of 2' "$tmp/err"
result $? "an unreadable profile among several is reported"
"$CPA" - <"$TESTDATA/$f" >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && grep -q 'reads commands from standard input' "$tmp/err"
result $? "the profile and the commands cannot both be read from standard input"
"$CPA" top -compact_labels -nodecount=3 -lines -focus=flate "$TESTDATA/$f" >"$tmp/want"
echo 'top3' | "$CPA" -lines -focus=flate "$TESTDATA/$f" >"$tmp/out" 2>"$tmp/err"
same "options of the command line apply to all lines" "$tmp/want" "$tmp/out"
"$CPA" top -compact_labels -nodecount=3 "$TESTDATA/$f" "$TESTDATA/$f" >"$tmp/want"
echo 'top3' | "$CPA" -symbolize=none /bin/sh "$TESTDATA/$f" "$TESTDATA/$f" >"$tmp/out" 2>"$tmp/err"
same "the shell accepts several sources and a binary" "$tmp/want" "$tmp/out"
reports '^File: sh$' "the binary before several sources is used"

# Features that pprof does not have.
run_lines $f 'top3 | sed -n 1p' 'top1'
"$CPA" top -compact_labels -nodecount=3 "$TESTDATA/$f" | sed -n 1p >"$tmp/want"
"$CPA" top -compact_labels -nodecount=1 "$TESTDATA/$f" >>"$tmp/want"
same "a program after | reads the report" "$tmp/want" "$tmp/out"
run_lines $f 'traces | exit 3' 'top1 | head -c 1' 'traces | :'
printf S >"$tmp/want"
same "a program after | may exit before it has read the whole report" "$tmp/want" "$tmp/out"
[ "$(grep -c '^cpa: ' "$tmp/err")" -eq 1 ] && grep -q 'after | exited with status 3' "$tmp/err"
result $? "a failed exit status of a program after | is reported, an early exit is not" || note "$tmp/err"
run_lines $f 'output=all.txt' 'top2 | cat' 'top3'
"$CPA" top -compact_labels -nodecount=2 "$TESTDATA/$f" >"$tmp/want"
same "a report for a program is not written to the file of output=" "$tmp/want" "$tmp/out"
"$CPA" top -compact_labels -nodecount=3 "$TESTDATA/$f" >"$tmp/want"
same "the next report is written to the file of output=" "$tmp/want" all.txt
run_lines $f "tree 'shop/route\\.\\(\\*Planner\\)\\.nearest' >'a b.txt'"
"$CPA" tree -compact_labels -focus='shop/route\.\(\*Planner\)\.nearest' "$TESTDATA/$f" >"$tmp/want"
same "quoted blanks do not separate words" "$tmp/want" "a b.txt"
run_lines $f 'top --lines --nodecount=4' 'top2'
{ "$CPA" top -compact_labels -lines -nodecount=4 "$TESTDATA/$f" && "$CPA" top -compact_labels -nodecount=2 "$TESTDATA/$f"; } >"$tmp/want"
same "an option with two dashes applies to its line" "$tmp/want" "$tmp/out"
run_lines $f 'top -lines'
reports '^cpa: "-lines" is read as an expression to ignore; to set the option, write --lines$' "a word with one dash is an expression, with a hint"
run_lines $f 'top -nodecount=4' 'top -o four.txt -nodecount=4' '-nodecount=3' 'top'
for n in 4 3; do "$CPA" top -compact_labels -nodecount=$n "$TESTDATA/$f"; done >"$tmp/want"
same "-OPTION=VALUE applies to its line, and alone assigns the option" "$tmp/want" "$tmp/out"
"$CPA" top -compact_labels -nodecount=4 "$TESTDATA/$f" >"$tmp/want"
same "-o is the output file of a line" "$tmp/want" four.txt
rm -f four.txt
run_lines $f 'shape=csv' 'top2' 'shape=text' 'top2 --json'
{ "$CPA" top -compact_labels --csv -nodecount=2 "$TESTDATA/$f" && "$CPA" top -compact_labels --json -nodecount=2 "$TESTDATA/$f"; } >"$tmp/want"
same "reports can be printed as CSV and JSON" "$tmp/want" "$tmp/out"

# Output files without a name, and missing programs.
run_lines $f 'proto' 'dot >g.dot' 'proto' 'flame' 'flame --format=folded' 'folded >x.folded' 'speedscope >s.json'
ls >"$tmp/out.files"
printf '%s\n' 'a b.txt' all.txt g.dot profile001.pb.gz profile001.svg profile002.pb.gz s.json x.folded >"$tmp/want"
same "output other than text is written to numbered files" "$tmp/want" "$tmp/out.files"
"$CPA" folded "$TESTDATA/$f" >"$tmp/want"
same "folded stacks are printed, also by flame --format=folded" "$tmp/want" "$tmp/out"
run_lines $f 'web' 'eog' 'top1'
reports 'web: no display' "web without a display is an error"
"$CPA" top -compact_labels -nodecount=1 "$TESTDATA/$f" >"$tmp/want"
same "the shell continues after web failed" "$tmp/want" "$tmp/out"
# shellcheck disable=SC2016 # a parameter of the browser script
printf '#!/bin/sh\ncat >"%s/stdin"\ncp "$1" "%s/picture"\n' "$tmp" "$tmp" >"$tmp/browser"
chmod +x "$tmp/browser"
printf 'web\ntop1\n' | BROWSER="$tmp/browser" "$CPA" -symbolize=none "$TESTDATA/$f" >"$tmp/out" 2>"$tmp/err"
same "a browser does not read the commands" "$tmp/want" "$tmp/out"
grep -q '<svg' "$tmp/picture" && [ ! -s "$tmp/stdin" ]
result $? "the browser opens the picture"

# Comparisons.
cd "$TESTDATA" || exit 1
base=-base=go-heap1.pb.gz
"$CPA" top -compact_labels $base go-heap2.pb.gz >"$tmp/want" 2>/dev/null
printf 'top1000\nflame --format=folded\nflame --format=folded --inverted\n' | "$CPA" -symbolize=none $base go-heap2.pb.gz >"$tmp/out" 2>"$tmp/err"
lines=$(wc -l <"$tmp/want")
head -n "$lines" "$tmp/out" >"$tmp/top"
same "-base is subtracted in each report" "$tmp/want" "$tmp/top"
{ "$CPA" flame --format=folded $base go-heap2.pb.gz && "$CPA" flame --format=folded --inverted $base go-heap2.pb.gz; } >"$tmp/want" 2>/dev/null
tail -n +"$((lines + 1))" "$tmp/out" >"$tmp/flame"
same "flame shows both sides of the difference" "$tmp/want" "$tmp/flame"

# Help.
run_lines go-heap1.pb.gz 'inuse_space' 'o' 'help' 'help focus' 'help list' 'help nosuch' 'help -hide' 'help --show' 'help -'
[ ! -s "$tmp/out" ] && [ "$status" -eq 0 ]
result $? "options and help print nothing on standard output"
reports '^  sample_index              = inuse_space          //: \[alloc_objects | alloc_space | inuse_objects | inuse_space\]$' "o lists option values and sample types"
reports '^  min-width                 = -1 ' "o lists options that pprof does not have"
reports '^focus: keep only samples' "help describes options"
reports '^list: print the source of matching functions' "help describes commands"
reports '^cpa: Unknown command: nosuch$' "help reports unknown words"
reports '^hide: remove matching frames' "help describes an option with a dash"
reports '^show: remove all frames' "help describes an option with two dashes"
reports '^cpa: Unknown command: -$' "help reports a dash alone as unknown"
# A report never overwrites its source.
cp go-cpu.pb.gz "$tmp/mine.pb.gz"
printf 'top5 >%s\n' "$tmp/mine.pb.gz" | "$CPA" -symbolize=none "$tmp/mine.pb.gz" >"$tmp/out" 2>"$tmp/err"
cmp go-cpu.pb.gz "$tmp/mine.pb.gz" && grep -q 'would overwrite a source' "$tmp/err"
result $? 'a report does not overwrite its profile'

done_testing
