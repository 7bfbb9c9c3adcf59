#!/bin/sh
# t140-filters.t - filters on the command line; tests/compat compares their results with pprof
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

golden top --csv -hide=^f1 -cum edge/labels.pb.gz
golden top --csv -tagroot=route,tenant -cum edge/labels.pb.gz
golden top --csv -tagfocus=bytes=1kb: -tagleaf=bytes edge/labels.pb.gz
golden top --csv -nodecount=4 -show=runtime -relative_percentages go-cpu.pb.gz

# reports LINE ARG...: checks that "cpa ARG..." succeeds and prints LINE on standard error
reports() {
	line=$1
	shift
	"$CPA" "$@" >"$tmp/out" 2>"$tmp/err" && grep -qxF -e "$line" "$tmp/err"
	status=$?
	[ "$status" -eq 0 ] || note "$tmp/err"
	result "$status" "cpa $* prints: $line"
}

reports "cpa: Focus expression matched no samples; did you mean f1, f2, f3" top -focus=F[123] edge/labels.pb.gz
reports "cpa: Ignore expression matched no samples" top -ignore=nosuchname edge/labels.pb.gz
reports "cpa: No samples are left after focus, ignore" top -focus=f1 -ignore=main edge/labels.pb.gz
reports "cpa: tagfocus:Interpreted '4kb:' as range, not regexp" top -tagfocus=4kb: edge/labels.pb.gz
reports "cpa: TagFocus expression matched no samples; its values are /tour, /quote" top -tagfocus=route=x edge/labels.pb.gz
reports "cpa: TagHide expression matched no samples; the profile has no labels" top -taghide=x edge/recursion.pb.gz

# shellcheck disable=SC2016 # literal backquotes
fails 'parsing focus regexp: error parsing regexp: missing closing ): `(`' top '-focus=(' go-cpu.pb.gz
# shellcheck disable=SC2016
fails 'parsing hide regexp: error parsing regexp: invalid or unsupported Perl syntax: `(?=`' top '-hide=(?=a)' go-cpu.pb.gz
fails 'parsing tagfocus: a number in the range 99999999999999999999 overflows 64 bits' \
	top -tagfocus=99999999999999999999 go-cpu.pb.gz
fails 'parsing taghide regexp: error parsing regexp: invalid nested repetition' top '-taghide=a**' go-cpu.pb.gz

# A backtracking matcher needs exponential time for this expression.
prlimit --cpu=5 "$CPA" top '-focus=(([a-z./]+)+)+[0-9]$' go-cpu.pb.gz >"$tmp/out" 2>"$tmp/err"
[ $? -lt 128 ]
result $? "an expression with exponential backtracking finishes in time"

# --by=label:KEY in every report.
for report in top tree 'peek f1' 'list f1' traces tags raw proto topproto callgrind dot folded speedscope flame; do
	# shellcheck disable=SC2086 # a report and its argument
	"$CPA" $report -tagroot=route edge/labels.pb.gz >"$tmp/want" 2>"$tmp/err"
	# shellcheck disable=SC2086
	"$CPA" $report --by=label:route edge/labels.pb.gz >"$tmp/got" 2>>"$tmp/err"
	same "$report --by=label:route prints the same as $report -tagroot=route" "$tmp/want" "$tmp/got"
done
reports "cpa: TagRoot expression matched no samples; available label keys: route, tenant, bytes, wait, request, ..." \
	top --by=label:none edge/labels.pb.gz
fails '^cpa: --by=route: write label:KEY$' top --by=route edge/labels.pb.gz
fails '^cpa: --by=label:: write label:KEY$' flame --by=label: edge/labels.pb.gz
fails '^cpa: --by and -tagroot exclude each other; for several keys use -tagroot=KEY,KEY$' \
	top --by=label:route -tagroot=tenant edge/labels.pb.gz

# The output does not depend on the number of threads.
for filter in -focus=main -hide=runtime -show_from=main -prune_from=runtime -tagroot=route; do
	"$CPA" top --threads=1 "$filter" go-cpu.pb.gz >"$tmp/one" 2>&1
	"$CPA" top --threads=3 "$filter" go-cpu.pb.gz >"$tmp/three" 2>&1
	same "top $filter prints the same with one thread and with three" "$tmp/one" "$tmp/three"
done

done_testing
