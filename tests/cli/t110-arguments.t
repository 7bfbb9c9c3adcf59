#!/bin/sh
# t110-arguments.t - both habits of the command line
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

f=go-cpu.pb.gz
"$CPA" top -cum -nodecount=7 $f >"$tmp/want"
spelt() {
	"$CPA" "$@" >"$tmp/got" 2>&1
	same "cpa $* is cpa top -cum -nodecount=7 $f" "$tmp/want" "$tmp/got"
}
spelt -top -cum -nodecount=7 $f
spelt --top --cum --nodecount=7 $f
spelt -text -cum -nodecount 7 $f
spelt $f -top -nodecount=7 -cum
spelt top $f -cum=true -flat=false --nodecount 0x7
spelt top -cum -nodecount=3 -nodecount=7 -- $f
spelt -top=false text -cum -nodecount=0b111 $f
spelt top -cum -nodecount=7 --sample-index=cpu $f
spelt top -cum -nodecount=7 $f -buildid=x -symbolize=none

"$CPA" top -cum -nodecount=7 - <$f >"$tmp/got"
same "a dash reads standard input" "$tmp/want" "$tmp/got"
gzip -dc $f | "$CPA" top -cum -nodecount=7 - >"$tmp/got"
same "a pipe need not be compressed" "$tmp/want" "$tmp/got"
cp $f "$tmp/looks-like.txt"
"$CPA" top -cum -nodecount=7 "$tmp/looks-like.txt" >"$tmp/got"
same "the name of a file does not matter" "$tmp/want" "$tmp/got"

"$CPA" top /bin/sh $f | grep -q '^File: sh$'
result $? "a first source that is an ELF file is the binary"
"$CPA" top -inuse_objects go-heap1.pb.gz | grep -q '^Type: inuse_objects$'
result $? "-inuse_objects chooses the sample type"
"$CPA" top -inuse_space -alloc_space go-heap1.pb.gz 2>&1 >/dev/null | grep -q 'ignoring -alloc_space'
result $? "the second sample type flag is ignored aloud"
"$CPA" top -add_comment='seen by me' $f | grep -q '^seen by me$'
result $? "-add_comment shows"
"$CPA" top -compact_labels $f | head -n 1 | grep -q '^Showing nodes'
result $? "-compact_labels leaves the profile's lines out"

fails 'unknown option -cmu; did you mean -cum' top -cmu $f
fails 'unknown option -frobnicate; cpa --help' top -frobnicate $f
fails 'unknown command "tpo"; did you mean top' tpo $f
fails 'flag needs an argument: -unit' top $f -unit
fails 'conflicting options set: -flat and -cum' top -flat -cum $f
fails 'conflicting options set: -lines and -files' top -lines -files $f
fails 'must set at most one output format' -top -text $f
fails '-nodecount=ten: not a whole number' top -nodecount=ten $f
fails '-nodecount=99999999999999999999: not a whole number, or too large' top -nodecount=99999999999999999999 $f
fails '-cum=maybe: a flag is true or false' top -cum=maybe $f
fails '-nodefraction and -edgefraction lie between' top -nodefraction=2 $f
fails 'zero divisor specified' top -divide_by=0 $f
fails '^cpa: -divide_by=[^ ]*: choose a larger number$' flame --format=html -divide_by=1e-320 $f
fails '--color=pink: choose' top --color=pink $f
fails '^cpa: --debuginfod-timeout must not be negative$' top --debuginfod-timeout=-1 $f
fails 'sample_index "x" must be one of: .samples cpu' top -sample_index=x $f
fails 'sample_index 7 is outside the range .0..1' top -sample_index=7 $f
fails 'no profile source specified; try: cpa top cpu' top
fails 'peek takes an expression and a source; try: cpa peek main cpu' peek
fails 'peek takes an expression and a source' peek $f
fails 'no profile source specified; try: cpa peek REGEX cpu' peek main
fails 'try: cpa merge -o all.pb.gz a.pb.gz b.pb.gz' merge -o "$tmp/all.pb.gz"
"$CPA" >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && grep -q 'no profile source' "$tmp/err"
result $? "no argument at all is an error that says what to try"

fails "pprof's -http is not in this version" top -http=:0 $f
fails 'only http, https, https+insecure and unix can be fetched, not ftp' top ftp://localhost/heap
fails 'standard input is given twice' top - -
fails '--max-input must not be negative' top --max-input=-2 $f
cp $f "$tmp/own.pb.gz"
fails 'the report would take the place of a source' top -o "$tmp/own.pb.gz" "$tmp/own.pb.gz"
cmp -s $f "$tmp/own.pb.gz"
result $? "a source survives being named as the output"
spelt top -lines -lines=false -flat -flat=false -cum -nodecount=7 $f
spelt -text -text=false -top -cum -nodecount=7 $f
"$CPA" help -nodecount | grep -q 'at most N rows'
result $? "help explains an option that is given with its dash"

"$CPA" top $f -nodecount=7 -cum -o "$tmp/file" 2>"$tmp/err" >"$tmp/out"
same "-o writes the report" "$tmp/want" "$tmp/file"
[ ! -s "$tmp/out" ] && grep -q "Generating report in $tmp/file" "$tmp/err"
result $? "-o leaves standard output empty and says where the report is"
echo precious >"$tmp/kept"
"$CPA" top -o "$tmp/kept" no-such-file 2>/dev/null
[ "$(cat "$tmp/kept")" = precious ]
result $? "a failed report leaves the output file alone"
"$CPA" top -o "$tmp/no/such/folder/file" $f 2>"$tmp/err"
[ $? -eq 2 ] && grep -q "$tmp/no/such/folder/file: No such file" "$tmp/err"
result $? "an output that cannot be written is named"
if [ -w /dev/full ]; then
	"$CPA" top $f >/dev/full 2>"$tmp/err"
	[ $? -eq 2 ] && grep -q 'No space left' "$tmp/err"
	result $? "a full disk is an error"
fi

"$CPA" --help | head -n 4 | grep -q 'cpa top cpu.pb.gz'
result $? "help has examples first"
"$CPA" help merge | grep -q '^  cpa merge -o all.pb.gz' && "$CPA" help top | grep -q '^  cpa -top -cum ./server' &&
	! "$CPA" help top | grep -q 'cpa diff'
result $? "help of a command has the examples that use it"
"$CPA" help --profile-port | grep -q '^  --profile-port=N ' && ! "$CPA" help report 2>/dev/null
result $? "help explains an option of cpa run"
"$CPA" help threads | grep -q '^  cpa threads 4711' && "$CPA" help threads | grep -q -e '--threads=N'
result $? "help of a word that is a command and an option explains both"
"$CPA" help flame | grep -q '^  --color-by=WHAT ' && ! "$CPA" help top | grep -q color-by
result $? "help of flame lists the options that are its own"
"$CPA" gate --help >"$tmp/gate" && "$CPA" help gate | cmp -s - "$tmp/gate" && ! grep -q 'cpa top' "$tmp/gate"
result $? "a command that has options of its own explains them with --help"
grep -q '(default 20%)' "$tmp/gate" && ! grep '^  *--\|^ \{27\}' "$tmp/gate" | grep -q '.\{81\}'
result $? "they have their defaults, and fit into 80 columns"
"$CPA" help nodecount | grep -q 'default: -1'
result $? "help of an option tells its default"
"$CPA" --version | grep -q '^cpa [0-9]'
result $? "--version prints the version"
done_testing
