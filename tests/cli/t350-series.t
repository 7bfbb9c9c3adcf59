#!/bin/sh
# t350-series.t - cpa series; values are known from tests/cli/stored_profiles.py
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
make="${PYTHON3:-python3} $top_srcdir/tests/cli/stored_profiles.py"
export CPA_STORE="$tmp/store"
start=1795356000 # 2026-11-22T14:00:00Z

for i in 1 2 3; do
	$make "$tmp/cpu$i" cpu $start 60 60 $i
	"$CPA" store import --service=shop --label=instance=h$i:6060 --label=version=1.$i "$tmp/cpu$i" || exit 1
done >"$tmp/out"
for kind in heap mutex; do
	$make "$tmp/$kind" $kind $start 60 60
	for i in 1 2; do
		"$CPA" store import --service=shop --label=instance=h$i:6060 "$tmp/$kind" || exit 1
	done
done >>"$tmp/out"
hour='@2026-11-22T14Z'

golden series "store:shop$hour"
golden series --csv --step=20m --by=label:instance "store:shop$hour"
golden series --markdown --step=20m --by=label:route "store:shop$hour"
golden series --csv --step=15m --function=wait "store:shop$hour"
golden series --csv "store:shop/mutex$hour"
golden series --csv --step=20m "store:shop/heap$hour"
golden series --csv --step=20m -alloc_space "store:shop/heap$hour"
golden series --csv --step=30m -focus=work "store:shop$hour"
golden series --plot "store:shop/mutex$hour"

# the same values by reading the profiles of each step
for source in "store:shop$hour" "store:shop/heap$hour" "store:shop/mutex$hour"; do
	"$CPA" series --csv "$source" | cut -d, -f1,2 >"$tmp/totals"
	"$CPA" series --csv -focus=. "$source" | cut -d, -f1,2 >"$tmp/read"
	[ "$(wc -l <"$tmp/totals")" -eq 13 ] && diff "$tmp/totals" "$tmp/read" >"$tmp/diff"
	status=$?
	[ $status -eq 0 ] || note "$tmp/diff"
	result $status "totals of $source are those of its profiles"
done

"$CPA" store mark shop deploy '1.4 <now>' && "$CPA" series --csv --step=7d 'store:shop@2026-11-22..now' >"$tmp/out" 2>&1 &&
	grep -q ',marks,unit$' "$tmp/out" && grep -q 'deploy 1.4 <now>' "$tmp/out"
result $? "marks are printed"
"$CPA" series -o "$tmp/x.svg" --by=label:route "store:shop$hour" 2>/dev/null &&
	[ "$("${PYTHON3:-python3}" -c 'import sys, xml.etree.ElementTree as e
print(len(e.parse(sys.argv[1]).getroot().findall("{http://www.w3.org/2000/svg}polyline")))' "$tmp/x.svg")" = 2 ]
result $? "-o x.svg draws a line for each value"

for options in '' --by=label:instance --function=work -focus=work; do
	# shellcheck disable=SC2086 # no option if it is empty
	"$CPA" series --json $options "store:shop$hour"
done >"$tmp/all.json"
"${PYTHON3:-python3}" - "$top_srcdir/docs/schema/report.schema.json" "$tmp/all.json" <<'PY' >"$tmp/schema" 2>&1
import json, sys, jsonschema
check = jsonschema.Draft201909Validator(json.load(open(sys.argv[1])))
text, decode, at, n = open(sys.argv[2]).read(), json.JSONDecoder(), 0, 0
while at < len(text):
    report, at = decode.raw_decode(text, at)
    check.validate(report)
    at += len(text[at:]) - len(text[at:].lstrip())
    n += 1
assert n == 4, n
PY
status=$?
[ $status -eq 0 ] || note "$tmp/schema"
result $status "the JSON of series is valid against the schema"

fails 'series needs a store; write store:SERVICE' series go-cpu.pb.gz
fails 'series needs one source, not 2' series "store:shop$hour" "store:shop$hour"
fails 'must be one of: \[samples cpu\]' series -sample_index=x "store:shop$hour"
fails 'step=0s: not a duration above 0' series --step=0s "store:shop$hour"
fails '3600000000 steps' series --step=1us "store:shop$hour"
fails 'exclude each other' series --by=label:a --function=b "store:shop$hour"
fails 'missing closing )' series --function='(' "store:shop$hour"
fails 'nothing of shop in' series 'store:shop@2026-11-20'
fails 'plot is text' series --plot --json "store:shop$hour"
done_testing
