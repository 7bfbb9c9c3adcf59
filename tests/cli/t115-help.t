#!/bin/sh
# t115-help.t - cpa --help, cpa COMMAND --help, cpa help WORD
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

# fits FILE: checks that no line is wider than 80 columns
fits() {
	! grep -q '.\{81\}' "$1"
}

"$CPA" --help >"$tmp/overview"
[ "$(wc -l <"$tmp/overview")" -le 60 ] && fits "$tmp/overview"
result $? "cpa --help fits a screen of 60 lines and 80 columns"
for word in record top flame diff merge -focus=REGEX 'cpa help COMMAND' 'man cpa'; do
	grep -q -e "$word" "$tmp/overview" || echo "$word"
done >"$tmp/missing"
[ ! -s "$tmp/missing" ]
result $? "cpa --help lists commands, options and further documentation" || note "$tmp/missing"
"$CPA" help >"$tmp/out" && cmp -s "$tmp/out" "$tmp/overview" && "$CPA" -h | cmp -s - "$tmp/overview" &&
	"$CPA" go-cpu.pb.gz --help | cmp -s - "$tmp/overview"
result $? "cpa help, cpa -h and cpa FILE --help print the same as cpa --help"

"$CPA" help all >"$tmp/all" && fits "$tmp/all"
result $? "cpa help all fits in 80 columns"
sed -n '/^Commands$/,/^$/s/^  \([a-z]*\) .*/\1/p' "$tmp/all" >"$tmp/commands"
[ "$(wc -l <"$tmp/commands")" -gt 30 ] && grep -q '^  --max-ratio=N ' "$tmp/all" && grep -q '^Input limits (0 = unlimited)$' "$tmp/all"
result $? "cpa help all lists every command and option"
while read -r command; do
	grep -q -w "$command" "$tmp/overview" || echo "$command"
done <"$tmp/commands" >"$tmp/missing"
[ ! -s "$tmp/missing" ]
result $? "cpa --help names every command"

for command in $(cat "$tmp/commands") shell; do
	"$CPA" help "$command" >"$tmp/out" && "$CPA" "$command" --help | cmp -s - "$tmp/out" && fits "$tmp/out" &&
		head -n 1 "$tmp/out" | grep -q '^Usage: cpa ' && grep -q '^Exit status$' "$tmp/out" &&
		[ "$(sed -n '/^Examples$/,/^$/p' "$tmp/out" | grep -c 'cpa ')" -ge 1 ]
	result $? "cpa $command --help prints the same as cpa help $command: usage, examples, exit status in 80 columns" || note "$tmp/out"
done

# has COMMAND OPTION..., lacks COMMAND OPTION...: checks that the help of the command lists all or none of the options
has() {
	command=$1
	shift
	"$CPA" help "$command" >"$tmp/out"
	found=0
	for option; do grep -q -e "^  $option\([= [].*\)\{0,1\}\$" "$tmp/out" || found=1; done
	result $found "the help of $command lists $*"
}
lacks() {
	command=$1
	shift
	"$CPA" help "$command" >"$tmp/out"
	found=0
	for option; do grep -q -e "^  $option\([= [].*\)\{0,1\}\$" "$tmp/out" && found=1; done
	result $found "the help of $command does not list $*"
}
has top -cum -focus -lines -base --json --csv --markdown -output
lacks top --threshold --theme --plain -call_tree -intel_syntax --all --version
has list -source_path --json
lacks list -cum -lines -intel_syntax
has disasm -intel_syntax -tools
has flame --theme --format -base -nodecount
lacks flame -cum -mean --json
has svg -call_tree -edgefraction
lacks svg --json --color-by
has gate --threshold --junit --all --json --text --flame=FILE
lacks gate --csv -lines -unit --theme
has trend --all -normalize
lacks trend -base
has merge -focus --label
lacks merge -cum -unit -mean --json
has folded --inverted
lacks comments -focus -cum
has shell --plain --colors -focus
lacks shell --threshold --theme --all
has run --heap=FILE --hz --profile-port --help
lacks run -focus --theme
has record --flame --top --hz
lacks record --profile-port
has threads --debug --focus -timeout
lacks threads --hz --threads
has snapshot --kinds --header-file
lacks snapshot -focus
lacks help -focus

"$CPA" help gate | grep -q '0 PASS, 1 FAIL, 2 ERROR, 3 INCONCLUSIVE'
result $? "the help of gate lists its exit statuses"
"$CPA" help gate >"$tmp/out" && tr -s ' \n' ' ' <"$tmp/out" >"$tmp/words"
for text in '-base=SOURCE a profile of the old version; may be repeated' '-normalize\[=bulk|rest|work|none|duration|share\]' \
	'--json\[=FILE\] .*gate.schema.json'; do
	grep -q -e "$text" "$tmp/words" || echo "$text"
done >"$tmp/missing"
[ ! -s "$tmp/missing" ] && ! grep -q -e 'duration|label' -e 'subtract' -e 'cpa-report' "$tmp/words"
result $? "the help of gate describes options that differ from those of other reports as in gate" || note "$tmp/out"
"$CPA" top go-cpu.pb.gz -cum --help >"$tmp/out" && "$CPA" help top | cmp -s - "$tmp/out"
result $? "--help prints the help of the command even after other arguments"
"$CPA" run --help -- ls >"$tmp/out" && "$CPA" help run | cmp -s - "$tmp/out"
result $? "cpa run --help prints help and does not start the program"
"$CPA" help -nodecount | grep -q 'at most N rows'
result $? "cpa help -OPTION describes an option"
"$CPA" help --threads >"$tmp/out" && grep -q 'number of threads' "$tmp/out" && grep -q '^Option of cpa run:' "$tmp/out"
result $? "cpa help -OPTION describes the option for each command that has it"
"$CPA" help --profile-port | grep -q '^  --profile-port=N '
result $? "cpa help -OPTION describes an option of cpa run"
"$CPA" help threshold | grep -q '(default 20%)'
result $? "the help of an option includes its default"
"$CPA" help top diff | grep -c '^Usage: ' | grep -q '^2$'
result $? "cpa help accepts several words"
fails '^cpa: no help on "nosuch"; cpa help all lists commands and options$' help nosuch
fails '^cpa: no help on "tpo"; did you mean top?$' help tpo
fails '^cpa: no help on "nosuch"' nosuch --help
fails '^cpa: no help on "flamegraph"; did you mean flame?$' help flamegraph
done_testing
