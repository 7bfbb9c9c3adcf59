#!/bin/sh
# t260-shell.t - lines about a profile, from a script
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
f=go-cpu.pb.gz
unset DISPLAY WAYLAND_DISPLAY

# lines FILE LINE...: what the shell makes of them, in $tmp/out and $tmp/err
lines() {
	file=$1
	shift
	printf '%s\n' "$@" | "$CPA" -symbolize=none "$TESTDATA/$file" >"$tmp/out" 2>"$tmp/err"
	status=$?
}
# says PATTERN DESCRIPTION: standard error has it
says() {
	grep -q -e "$1" "$tmp/err"
	found=$?
	[ "$found" -eq 0 ] || note "$tmp/err"
	result "$found" "$2"
}
mkdir "$tmp/work"
cd "$tmp/work" || exit 1

lines $f 'top7 -cum'
"$CPA" top -compact_labels -cum -nodecount=7 "$TESTDATA/$f" >"$tmp/want"
same "a line is what a command line is, without the lines about the profile" "$tmp/want" "$tmp/out"
[ "$status" -eq 0 ]
result $? "the end of the lines is no trouble"
says '^Type: cpu$' "the profile says what it is on standard error"
says '^Entering interactive mode' "and how to go on"
grep -q '(cpa)' "$tmp/err"
[ $? -eq 1 ]
result $? "nobody who types, no prompt"

lines $f 'nosuch' 'top(' 'peek (' 'focus' 'tree >/nosuch/dir/f' 'top1'
"$CPA" top -compact_labels -nodecount=1 "$TESTDATA/$f" >"$tmp/want"
same "wrong lines do not keep the next one from being read" "$tmp/want" "$tmp/out"
[ "$status" -eq 0 ] && [ "$(grep -c '^cpa: ' "$tmp/err")" -eq 5 ]
result $? "each of them is told" || note "$tmp/err"
lines $f 'top1' 'quit now' 'top2'
same "nothing is read behind quit" "$tmp/want" "$tmp/out"
printf 'top1' | "$CPA" -symbolize=none "$TESTDATA/$f" >"$tmp/out" 2>"$tmp/err"
same "a last line needs no end" "$tmp/want" "$tmp/out"
lines $f '# top5' '' '  ' 'top1'
same "blank lines and remarks print nothing" "$tmp/want" "$tmp/out"
printf 'to\0p5\ntop1\n' | "$CPA" -symbolize=none "$TESTDATA/$f" >"$tmp/out" 2>"$tmp/err"
same "a line with a NUL is refused and passed" "$tmp/want" "$tmp/out"
{ head -c 1100000 /dev/zero | tr '\0' x && printf '\ntop1\n'; } | "$CPA" -symbolize=none "$TESTDATA/$f" >"$tmp/out" 2>"$tmp/err"
same "so is one of a megabyte" "$tmp/want" "$tmp/out"

"$CPA" nosuch.pb.gz </dev/null >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && [ ! -s "$tmp/out" ]
result $? "a profile that cannot be read is status 2"
"$CPA" "$TESTDATA/$f" nosuch.pb.gz </dev/null 2>"$tmp/err"
some=$?
[ "$some" -eq 0 ] && grep -q 'Fetched 1 source profiles out of 2' "$tmp/err"
result $? "one of several that cannot be read is told"
"$CPA" - <"$TESTDATA/$f" >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && grep -q 'reads its commands' "$tmp/err"
result $? "the profile cannot come where the lines come from"
"$CPA" top -compact_labels -nodecount=3 -lines -focus=flate "$TESTDATA/$f" >"$tmp/want"
echo 'top3' | "$CPA" -lines -focus=flate "$TESTDATA/$f" >"$tmp/out" 2>"$tmp/err"
same "options of the command line stay in force" "$tmp/want" "$tmp/out"
"$CPA" top -compact_labels -nodecount=3 "$TESTDATA/$f" "$TESTDATA/$f" >"$tmp/want"
echo 'top3' | "$CPA" -symbolize=none /bin/sh "$TESTDATA/$f" "$TESTDATA/$f" >"$tmp/out" 2>"$tmp/err"
same "there may be several sources and a binary" "$tmp/want" "$tmp/out"
says '^File: sh$' "which is what they are of"

# beyond pprof
lines $f 'top3 | sed -n 1p' 'top1'
"$CPA" top -compact_labels -nodecount=3 "$TESTDATA/$f" | sed -n 1p >"$tmp/want"
"$CPA" top -compact_labels -nodecount=1 "$TESTDATA/$f" >>"$tmp/want"
same "a program behind | gets the report" "$tmp/want" "$tmp/out"
lines $f 'traces | exit 3' 'top1 | head -c 1' 'traces | :'
printf S >"$tmp/want"
same "a program may end before it has read all" "$tmp/want" "$tmp/out"
[ "$(grep -c '^cpa: ' "$tmp/err")" -eq 1 ] && grep -q 'behind | ended with status 3' "$tmp/err"
result $? "which is no trouble, but the status of a program is told" || note "$tmp/err"
lines $f 'output=all.txt' 'top2 | cat' 'top3'
"$CPA" top -compact_labels -nodecount=2 "$TESTDATA/$f" >"$tmp/want"
same "what goes to a program does not go to the file of all lines" "$tmp/want" "$tmp/out"
"$CPA" top -compact_labels -nodecount=3 "$TESTDATA/$f" >"$tmp/want"
same "which the next line writes" "$tmp/want" all.txt
lines $f "tree 'shop/route\\.\\(\\*Planner\\)\\.nearest' >'a b.txt'"
"$CPA" tree -compact_labels -focus='shop/route\.\(\*Planner\)\.nearest' "$TESTDATA/$f" >"$tmp/want"
same "quotes make one word of blanks" "$tmp/want" "a b.txt"
lines $f 'top --lines --nodecount=4' 'top2'
{ "$CPA" top -compact_labels -lines -nodecount=4 "$TESTDATA/$f" && "$CPA" top -compact_labels -nodecount=2 "$TESTDATA/$f"; } >"$tmp/want"
same "an option with two dashes holds for its line" "$tmp/want" "$tmp/out"
lines $f 'top -lines'
says '^cpa: "-lines" is taken as an expression to ignore; the option is --lines here$' "with one dash it is an expression, which is told"
lines $f 'shape=csv' 'top2' 'shape=text' 'top2 --json'
{ "$CPA" top -compact_labels --csv -nodecount=2 "$TESTDATA/$f" && "$CPA" top -compact_labels --json -nodecount=2 "$TESTDATA/$f"; } >"$tmp/want"
same "reports can be CSV and JSON" "$tmp/want" "$tmp/out"

# files without a name, programs that are not there
lines $f 'proto' 'dot >g.dot' 'proto' 'flame' 'flame --format=folded' 'folded >x.folded' 'speedscope >s.json'
ls >"$tmp/out.files"
printf '%s\n' 'a b.txt' all.txt g.dot profile001.pb.gz profile001.svg profile002.pb.gz s.json x.folded >"$tmp/want"
same "what is no text goes to files with numbers" "$tmp/want" "$tmp/out.files"
"$CPA" folded -compact_labels "$TESTDATA/$f" >"$tmp/want"
same "stacks are text, and the same for folded and flame --format=folded" "$tmp/want" "$tmp/out"
lines $f 'web' 'eog' 'top1'
says 'web: there is no screen here' "web needs a screen"
"$CPA" top -compact_labels -nodecount=1 "$TESTDATA/$f" >"$tmp/want"
same "and the next line is read" "$tmp/want" "$tmp/out"
# shellcheck disable=SC2016 # the browser's own
printf '#!/bin/sh\ncat >"%s/stdin"\ncp "$1" "%s/shown"\n' "$tmp" "$tmp" >"$tmp/browser"
chmod +x "$tmp/browser"
printf 'web\ntop1\n' | BROWSER="$tmp/browser" "$CPA" -symbolize=none "$TESTDATA/$f" >"$tmp/out" 2>"$tmp/err"
same "a browser does not read the lines" "$tmp/want" "$tmp/out"
grep -q '<svg' "$tmp/shown" && [ ! -s "$tmp/stdin" ]
result $? "and shows the picture"

# comparing
cd "$TESTDATA" || exit 1
base=-base=go-heap1.pb.gz
"$CPA" top -compact_labels $base go-heap2.pb.gz >"$tmp/want" 2>/dev/null
printf 'top1000\nflame --format=folded\nflame --format=folded --inverted\n' | "$CPA" -symbolize=none $base go-heap2.pb.gz >"$tmp/out" 2>"$tmp/err"
lines=$(wc -l <"$tmp/want")
head -n "$lines" "$tmp/out" >"$tmp/top"
same "-base is taken off what every line is about" "$tmp/want" "$tmp/top"
{ "$CPA" flame --format=folded $base go-heap2.pb.gz && "$CPA" flame --format=folded --inverted $base go-heap2.pb.gz; } >"$tmp/want" 2>/dev/null
tail -n +"$((lines + 1))" "$tmp/out" >"$tmp/flame"
same "flame shows both sides of the difference" "$tmp/want" "$tmp/flame"

# what it says about itself
lines go-heap1.pb.gz 'inuse_space' 'o' 'help' 'help focus' 'help list' 'help nosuch'
[ ! -s "$tmp/out" ] && [ "$status" -eq 0 ]
result $? "options and help are no report"
says '^  sample_index              = inuse_space          //: \[alloc_objects | alloc_space | inuse_objects | inuse_space\]$' "o lists values, and the sample types"
says '^  min-width                 = -1 ' "o lists our own options"
says '^focus: only samples' "help knows options"
says '^list: print the source lines' "help knows commands"
says '^cpa: Unknown command: nosuch$' "help says what it does not know"
# what the answers come from is not lost to one of them
cp go-cpu.pb.gz "$tmp/mine.pb.gz"
printf 'top5 >%s\n' "$tmp/mine.pb.gz" | "$CPA" -symbolize=none "$tmp/mine.pb.gz" >"$tmp/out" 2>"$tmp/err"
cmp go-cpu.pb.gz "$tmp/mine.pb.gz" && grep -q 'would take the place of a source' "$tmp/err"
result $? 'a report does not take the place of the profile it was made from'

done_testing
