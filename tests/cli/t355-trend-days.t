#!/bin/sh
# t355-trend-days.t - cpa trend over days: slope, change point, too few steps
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
export CPA_STORE="$tmp/store"
cd "$tmp" || exit 1

for change in none 20 steady; do
	"${PYTHON3:-python3}" "$top_srcdir/tests/cli/trend_days.py" "$change" 30 6 "$change" &&
		"$CPA" store import --service="s$change" --label=instance=a:1 "$change" || exit 1
done >out
"${PYTHON3:-python3}" "$top_srcdir/tests/cli/trend_days.py" dense 2 2 none &&
	"$CPA" store import --service=dense dense/00[01]?.pb.gz >out || exit 1
month='@2026-11-02..2026-12-02'

line() { # PATTERN DESCRIPTION ARG...: cpa trend ARG... prints a line that matches
	pattern=$1
	description=$2
	shift 2
	"$CPA" trend "$@" >out 2>err
	cat out err >all
	grep -q -e "$pattern" all
	found=$?
	[ "$found" -eq 0 ] || note all
	result "$found" "$description"
}

line '^Over time: 30 steps of 1d, slope [-+]0\.[0-9]*% a day (95 % interval -0\.[0-9]*% to +0\.[0-9]*%)$' \
	'an unchanged service has no slope' "store:snone$month"
line '^Change: none shown, p = [0-9.]*; a step of [0-9.]*% would be found in 8 of 10 cases$' 'and no change' "store:snone$month"
line '^Type: cpu, 30 profiles over 696hrs, normalized to the first by duration$' 'steps of a store are normalized by duration' \
	"store:snone$month"
line '^Change: +1[0-9.]*% since 2026-11-22 (95 % interval 2026-11-2[0-9] to 2026-11-2[0-9]), p < 0.001$' \
	'a change is found with its day' "store:s20$month"
line ' +[23][0-9.]*% 2026-11-22T00:00  work' 'and the function that changed' "store:s20$month"
is_equal "$(grep -c ' wait' out)" 0 'the other function is not listed'
line '^Change: steady, not at one point, p < 0.001$' 'a steady growth is not a change at one point' "store:ssteady$month"
line '^Change: +1[0-9.]*% since 2026-11-22 00:00 ' 'steps of hours are compared with the same hour of other days' \
	"store:s20@2026-11-20..2026-11-25+step=6h"
line '^Change: none shown' 'so day and night are no change' "store:snone@2026-11-20..2026-11-25+step=6h"

line '^Change: cannot tell: 5 steps of 1d are too few; write +step=8h or shorter, with profiles in each step$' \
	'too few days name a step' "store:snone@2026-11-20..2026-11-25+step=1d"
line '^cpa: less than two days: a cycle of a day can look like a change over time$' 'a cycle that is not removed is named' \
	"store:dense@all"
line '^Change: cannot tell: .* too few$\|^Change: cannot tell: .*; ' 'few steps of a young store' 'store:snone@2026-11-20+1d'
fails "needs at least two steps with profiles; write a shorter +step=D, such as 'store:snone@2026-11-20+1h+step=10m'" \
	trend 'store:snone@2026-11-20+1h'
line 'cpa: 1 step is shorter than the others' 'a part of a step is left out' 'store:s20@2026-11-02..2026-12-01T18'
line '^Type: cpu, 30 profiles over 696hrs$' '--normalize=none is kept' --normalize=none "store:snone$month"
line '^Over time: 120 steps of 6h, ' 'files are a series over time, too' --all "$tmp"/20/*.pb.gz
line '^Change: +1[0-9.]*% since 2026-11-22 00:00 (95 % interval' 'with their hours of the day' --all "$tmp"/20/*.pb.gz
is_equal "$("$CPA" trend --all "$tmp"/20/000[0-8].pb.gz 2>/dev/null | grep -c 'Over time')" 0 'nine files have no statistics'

"$CPA" trend --csv "store:s20$month" 2>/dev/null >out
is_equal "$(sed -n 1p out | tr ',' '\n' | tail -9 | tr '\n' ' ')" \
	'flat_percent_per_day flat_percent_per_day_low flat_percent_per_day_high over_time since since_earliest since_latest since_change_percent unit ' \
	'CSV has the columns'
is_equal "$(grep -c '^"work",.*,point,2026-11-22T00:00:00Z,2026-11-2' out)" 1 'and the values'
for source in "snone$month" "s20$month" "ssteady$month" 'snone@2026-11-20..2026-11-25+step=1d'; do
	for options in '' '-cum --all'; do
		# shellcheck disable=SC2086 # no option if it is empty
		"$CPA" trend --json $options "store:$source" 2>/dev/null
	done
done >all.json
for source in "snone$month" "s20$month" "ssteady$month" 'snone@2026-11-20..2026-11-25+step=1d'; do
	for options in '' '-cum --all'; do
		# shellcheck disable=SC2086 # no option if it is empty
		"$CPA" trend --json $options "store:$source" 2>/dev/null
	done
done >again.json
cmp all.json again.json
result $? 'the same values give the same bytes'
"${PYTHON3:-python3}" - "$top_srcdir/docs/schema/report.schema.json" all.json <<'PY' >schema 2>&1
import json, sys, jsonschema
check = jsonschema.Draft201909Validator(json.load(open(sys.argv[1])))
text, decode, at, kinds = open(sys.argv[2]).read(), json.JSONDecoder(), 0, []
while at < len(text):
    report, at = decode.raw_decode(text, at)
    check.validate(report)
    kinds.append(report["comparison"]["over_time"]["change"])
    at += len(text[at:]) - len(text[at:].lstrip())
assert kinds == ["none", "none", "point", "point", "steady", "steady", "too_few", "too_few"], kinds
PY
status=$?
[ $status -eq 0 ] || note schema
result $status 'the JSON is valid against the schema'
done_testing
