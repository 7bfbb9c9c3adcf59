#!/bin/sh
# t384-sample-labels.t - conditions of sources store: on labels of samples
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
export CPA_STORE="$tmp/store" PYTHONDONTWRITEBYTECODE=1
cd "$tmp" || exit 1

value() { # FIELD ARG...: a field of the JSON of cpa ARG...; err has the messages
	field=$1
	shift
	"$CPA" "$@" --json 2>err | "${PYTHON3:-python3}" -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$field"
}

"$CPA" store import --service=shop --label=instance=a --label=env=prod "$TESTDATA/go-cpu.pb.gz" "$TESTDATA/go-heap1.pb.gz" >out 2>&1
all=store:shop@all
is_equal "$(value total top 'store:shop{route=/export}@all')" "$(value total top -relative_percentages -tagfocus=route=^/export$ $all)" \
	'= selects samples as -tagfocus does'
is_equal "$(value total top 'store:shop{route!=/export}@all')" "$(value total top -relative_percentages -tagignore=route=^/export$ $all)" '!= leaves them out'
is_equal "$(value total top 'store:shop{route=~/(export|quote)}@all')" "$(value total top -relative_percentages '-tagfocus=route=^/(export|quote)$' $all)" \
	'=~ selects samples'
is_equal "$(value total top 'store:shop{route!~/(export|quote)}@all')" "$(value total top -relative_percentages '-tagignore=route=^/(export|quote)$' $all)" \
	'!~ leaves them out'
is_equal "$(value total top 'store:shop{route=}@all')" "$(value total top -relative_percentages '-tagignore=route=.' $all)" 'an empty value is no label'
is_equal "$(value total top 'store:shop{route=/export,tenant=south,env=prod}@all')" \
	"$(value total top -relative_percentages -tagfocus=route=^/export$ -tagignore=tenant=islands,north $all)" 'conditions on series and samples together'
is_equal "$(value total series 'store:shop{route=/export}@all')" "$(value total top 'store:shop{route=/export}@all')" \
	'series has the same number'
is_equal "$(grep -c '; only samples with route=/export$' err)" 1 'the line about the profiles says so'
"$CPA" series 'store:shop{route=/export}@all' >out
is_equal "$(grep -c 'steps of 1s; only samples with route=/export$' out)" 1 'that of series, too'
"$CPA" comments -symbolize=none 'store:shop{route=/export}@all' >out 2>/dev/null
is_equal "$(grep -c 'only samples with route=/export$' out)" 1 'comments of the profile have it'
is_equal "$(value total top 'store:shop/heap{bytes=16384}@all' -sample_index=inuse_space)" \
	"$(value total top -relative_percentages -tagfocus=bytes=16384b store:shop/heap@all -sample_index=inuse_space)" 'a number is compared by its digits'

is_equal "$(value total top 'store:shop{route=/nosuch}@all')" 0 'no sample with a value is 0'
is_equal "$(grep -c 'store: no sample is selected; values of route are /accept, /export, ' err)" 1 'values of the label are named'
fails 'nothing of shop; neither a series nor a sample has a label Route; labels are route;' top 'store:shop{Route=/export}@all'
fails 'nothing of shop; neither a series nor a sample has a label nosuch; labels are .*env, .*route' series 'store:shop{nosuch=1}@all'
"$CPA" store ls 'shop{nosuch=1}' >out
is_equal "$? $(wc -l <out)" '0 0' 'ls lists no series then'
value total top 'store:shop{nosuch!=1}@all' >out
is_equal "$(cat out) $(grep -c 'only samples with nosuch!=1 (neither a series nor a sample has this label)$' err)" "$(value total top $all) 1" \
	'!= leaves nothing out, and a message says so'
for command in 'ls' 'rm' 'pin p' 'export -o x.cpx'; do
	# shellcheck disable=SC2086 # a command and its arguments
	fails 'no series has the label of route=/export, which selects samples' store $command 'shop{route=/export}@all'
done
is_equal "$("$CPA" store rm --dry-run 'shop{nosuch=1}@all')" 'would remove 0 profiles' 'rm selects nothing then'
"$CPA" watch --once 'store:shop{route=/export}@all' >out 2>&1
is_equal "$? $(grep -c 'checks: 0 PASS' out)" '0 1' 'watch accepts such a condition'
"$CPA" store ls 'shop{nosuch!=1}' >out
is_equal "$(wc -l <out)" 3 'ls lists all series if no label is left out'
"$CPA" store get 'shop/cpu{route=/export}' -o one.pb.gz >out 2>&1
is_equal "$(value total top one.pb.gz)" "$(value total top 'store:shop{route=/export}@all')" 'get writes the selected samples'

# a label of series, in any kind, is not one of samples
"$CPA" store import --service=shop --label=route=batch "$TESTDATA/go-mutex.pb.gz" >out 2>&1
fails 'nothing of shop; no profile has this route' top 'store:shop{route=/export}@all'
done_testing
