#!/bin/sh
# t195-hostile.t - names in a profile are printed as plain text only
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

# Control characters except newline and tab, also those of Unicode (C1, line separators, direction); NaN and infinity.
hostile='[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]|\xe2\x81[\xa6-\xa9]'
number='[^A-Za-z_](nan|inf)([^A-Za-z_]|$)'

# check_output ARG...: checks that output and messages of "cpa ARG..." match neither pattern, and that a failure has no output
check_output() {
	"$CPA" "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
	runs=$((runs + 1))
	if cat "$tmp/out" "$tmp/err" | LC_ALL=C grep -qaP "$hostile" ||
		LC_ALL=C grep -qaE -e "$number" "$tmp/out" ||
		{ [ $status -ne 0 ] && [ $status -ne 2 ]; } || { [ $status -eq 2 ] && [ -s "$tmp/out" ]; }; then
		echo "status $status: cpa $*" >>"$tmp/failures"
	fi
}

if ! printf '\033' | LC_ALL=C grep -qP '\x1b'; then
	echo '1..0 # SKIP grep has no -P'
	exit 0
fi
for f in edge/*hostile*; do
	runs=0
	: >"$tmp/failures"
	for report in top tree 'peek .' traces tags comments diff trend raw folded speedscope callgrind dot; do
		case $report in
		raw | folded | speedscope | callgrind | dot) formats=text ;;
		*) formats='text json csv markdown' ;;
		esac
		sources=$f
		case $report in diff | trend) sources="$f $f" ;; esac
		for format in $formats; do
			flag=--$format
			[ "$format" = text ] && flag=-trim=false
			for option in -functions '-lines -call_tree' -addresses -focus=zzz -tagfocus=zzz \
				-tagfocus=key=1: '-tagroot=key -tagleaf=nul' "-diff_base=$f" -sample_index=zzz; do
				# shellcheck disable=SC2086 # lists of words
				check_output $report $flag $option $sources
			done
		done
	done
	[ ! -s "$tmp/failures" ]
	result $? "$runs reports of $f contain no control characters and no NaN"
	note "$tmp/failures"
done
done_testing
