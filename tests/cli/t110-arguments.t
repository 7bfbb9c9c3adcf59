#!/bin/sh
# t110-arguments.t - command line arguments in the style of pprof and of cpa
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

f=go-cpu.pb.gz
"$CPA" top -cum -nodecount=7 $f >"$tmp/want"
same_as_top() {
	"$CPA" "$@" >"$tmp/got" 2>&1
	same "cpa $* prints the same as cpa top -cum -nodecount=7 $f" "$tmp/want" "$tmp/got"
}
same_as_top -top -cum -nodecount=7 $f
same_as_top --top --cum --nodecount=7 $f
same_as_top -text -cum -nodecount 7 $f
same_as_top $f -top -nodecount=7 -cum
same_as_top top $f -cum=true -flat=false --nodecount 0x7
same_as_top top -cum -nodecount=3 -nodecount=7 -- $f
same_as_top -top=false text -cum -nodecount=0b111 $f
same_as_top top -cum -nodecount=7 --sample-index=cpu $f
same_as_top top -cum -nodecount=7 $f -buildid=x -symbolize=none

"$CPA" top -cum -nodecount=7 - <$f >"$tmp/got"
same "the file name - reads standard input" "$tmp/want" "$tmp/got"
gzip -dc $f | "$CPA" top -cum -nodecount=7 - >"$tmp/got"
same "standard input may be uncompressed" "$tmp/want" "$tmp/got"
cp $f "$tmp/profile.txt"
"$CPA" top -cum -nodecount=7 "$tmp/profile.txt" >"$tmp/got"
same "the format is detected from the content, not from the file name" "$tmp/want" "$tmp/got"

"$CPA" top /bin/sh $f | grep -q '^File: sh$'
result $? "the first file is the binary if it is an ELF file"
"$CPA" top -inuse_objects go-heap1.pb.gz | grep -q '^Type: inuse_objects$'
result $? "-inuse_objects chooses the sample type"
"$CPA" top -inuse_space -alloc_space go-heap1.pb.gz 2>&1 >/dev/null | grep -q 'ignoring -alloc_space'
result $? "a second sample type flag is ignored with a warning"
"$CPA" top -add_comment='seen by me' $f | grep -q '^seen by me$'
result $? "-add_comment adds a comment to the report"
"$CPA" top -compact_labels $f | head -n 1 | grep -q '^Showing nodes'
result $? "-compact_labels omits the header lines about the profile"

fails 'unknown option -cmu; did you mean -cum' top -cmu $f
fails 'unknown option -frobnicate; cpa help all lists the options' top -frobnicate $f
fails 'unknown command "tpo"; did you mean: cpa top .*go-cpu.pb.gz$' tpo $f
fails '-unit needs an argument: -unit=UNIT' top $f -unit
fails '^cpa: -o needs an argument: -o=FILE$' top $f -o
fails 'conflicting options set: -flat and -cum' top -flat -cum $f
fails 'conflicting options set: -lines and -files' top -lines -files $f
fails 'must set at most one output format' -top -text $f
fails '-nodecount=ten: not a whole number' top -nodecount=ten $f
fails '-nodecount=99999999999999999999: not a whole number, or out of range' top -nodecount=99999999999999999999 $f
fails '-cum=maybe: must be true or false' top -cum=maybe $f
fails '-nodefraction and -edgefraction must lie between' top -nodefraction=2 $f
fails 'zero divisor specified' top -divide_by=0 $f
fails '^cpa: -divide_by=[^ ]*: choose a larger number$' flame --format=html -divide_by=1e-320 $f
fails '--color=pink: choose' top --color=pink $f
fails '^cpa: --debuginfod-timeout must not be negative$' top --debuginfod-timeout=-1 $f
fails 'sample_index "x" must be one of: .samples cpu' top -sample_index=x $f
fails 'sample_index 7 is outside the range .0..1' top -sample_index=7 $f
"$CPA" top $f >"$tmp/unit" && "$CPA" top -unit= $f | diff "$tmp/unit" - >"$tmp/diff"
result $? 'an empty unit is the default one, as in pprof'
fails '^cpa: -unit=parsec: unknown unit; use minimum, auto, count or one of B, kB, .* ns, us, ms, s, hrs, ' \
	top -unit=parsec $f
fails '^cpa: after: -unit=parsec: unknown unit' diff -unit=parsec $f $f
fails 'no profile source specified; try: cpa top cpu' top
fails 'peek needs a REGEX and a source; try: cpa peek main cpu' peek
fails 'peek needs a REGEX and a source' peek $f
fails 'no profile source specified; try: cpa peek REGEX cpu' peek main
fails 'try: cpa merge -o all.pb.gz a.pb.gz b.pb.gz' merge -o "$tmp/all.pb.gz"
"$CPA" >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && grep -q 'no profile source' "$tmp/err"
result $? "no argument is an error that suggests a command"

fails '^cpa: -http is not compatible with an output format on the command line$' top -http=:0 $f
fails '^cpa: -http is not compatible with an output format on the command line$' -http=:0 --json $f
"$CPA" -http=:0 -no_browser -sample_index=nope $f 2>"$tmp/err"
[ $? -eq 2 ] && grep -q 'sample_index "nope" must be one of' "$tmp/err"
result $? "-http with an unknown sample type ends with an error"
fails '^cpa: -no_browser only makes sense with -http$' -no_browser $f

# Commands and options of other programs, and arguments in the wrong order.
fails '^cpa: unknown command "flamegraph"; did you mean: cpa flame go-cpu.pb.gz -cum$' -cum flamegraph $f
fails '^cpa: unknown command "top10"; did you mean: cpa top -nodecount=10 .*go-cpu.pb.gz$' top10 $f
fails '^cpa: unknown command "pprof"; did you mean: cpa .*-top go-cpu.pb.gz$' pprof -top $f
fails '^cpa: unknown command "frobnicate", and no file of that name; cpa --help' frobnicate $f
fails '^cpa: nosuch: no such command or file; cpa --help lists the commands$' nosuch
fails '^cpa: nosuch.pb: No such file or directory$' nosuch.pb
fails '^cpa: nosuch: No such file or directory$' top nosuch
fails '^cpa: the command comes first: cpa top -cum go-cpu.pb.gz' $f top -cum
fails "^cpa: the command comes first: cpa list 'a b' go-cpu.pb.gz" $f list 'a b'
fails '^cpa: unknown command serve; for the web UI use: cpa -http=: FILE$' serve $f
fails '^cpa: unknown command serve; for the web UI' help serve
fails '^cpa: -o x.svg: no report given.*: cpa flame -o x.svg go-cpu.pb.gz, or: cpa svg -o x.svg go-cpu.pb.gz$' -o x.svg $f
fails '^cpa: -o x.svg: -http writes no file; use its menu Export, or omit -http$' -http=: -o x.svg $f
fails '^cpa: -o x.csv: no report given.*; did you mean: cpa top --csv -o x.csv go-cpu.pb.gz$' -o x.csv $f
fails '^cpa: unknown option -V; use --version$' -V
fails '^cpa: unknown option -n; use -nodecount=5$' top -n 5 $f
fails '^cpa: unknown option -n5; use -nodecount=5$' top -n5 $f
fails '^cpa: unknown option -10; use -nodecount=10$' top -10 $f
fails '^cpa: unknown option -sort; use -cum$' top --sort=cum $f
fails '^cpa: unknown option -sort; choose one of -flat, -cum$' top --sort name $f
fails '^cpa: unknown option -shape; use --json$' top --shape=json $f
fails '^cpa: -o x.svg: no report given' -output=x.svg $f </dev/null
echo top1 | "$CPA" -output="$tmp/x.txt" $f 2>/dev/null
grep -q '^Showing top 1 nodes' "$tmp/x.txt"
result $? "-output is the file for the output of interactive commands, as in pprof"
cp $f "$tmp/top"
(cd "$tmp" && echo top1 | "$CPA" --plain "$TESTDATA/$f" top >"$tmp/out" 2>&1)
grep -q 'Total samples = 11.54s' "$tmp/out"
result $? "a file with the name of a command is a source" || note "$tmp/out"
fails 'unsupported scheme ftp; use http, https, https+insecure or unix' top ftp://localhost/heap
fails 'standard input is given twice' top - -
fails '--max-input must not be negative' top --max-input=-2 $f
cp $f "$tmp/own.pb.gz"
fails 'the report would overwrite a source' top -o "$tmp/own.pb.gz" "$tmp/own.pb.gz"
cmp -s $f "$tmp/own.pb.gz"
result $? "a source that is also the output is not overwritten"
same_as_top top -lines -lines=false -flat -flat=false -cum -nodecount=7 $f
same_as_top -text -text=false -top -cum -nodecount=7 $f

"$CPA" top $f -nodecount=7 -cum -o "$tmp/file" 2>"$tmp/err" >"$tmp/out"
same "-o writes the report to the file" "$tmp/want" "$tmp/file"
[ ! -s "$tmp/out" ] && grep -q "Generating report in $tmp/file" "$tmp/err"
result $? "-o prints nothing on standard output and reports the file name on standard error"
echo precious >"$tmp/existing"
"$CPA" top -o "$tmp/existing" no-such-file 2>/dev/null
[ "$(cat "$tmp/existing")" = precious ]
result $? "a failed report does not change the output file"
"$CPA" top -o "$tmp/no/such/folder/file" $f 2>"$tmp/err"
[ $? -eq 2 ] && grep -q "$tmp/no/such/folder/file: No such file" "$tmp/err"
result $? "the error names an output file that cannot be written"
if [ -w /dev/full ]; then
	"$CPA" top $f >/dev/full 2>"$tmp/err"
	[ $? -eq 2 ] && grep -q 'No space left' "$tmp/err"
	result $? "a full disk is an error"
fi

"$CPA" --version | grep -q '^cpa [0-9]'
result $? "--version prints the version"
done_testing
