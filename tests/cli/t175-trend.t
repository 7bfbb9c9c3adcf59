#!/bin/sh
# t175-trend.t - cpa trend: growth over several profiles
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
cd compare || exit 1

set -- trend-1.pb.gz trend-2.pb.gz trend-3.pb.gz trend-4.pb.gz
golden trend "$@"
golden trend -cum --all "$@"
golden trend --json "$@"
golden trend --csv --all "$@"
golden trend --markdown "$@"
golden trend --normalize=total --all "$1" "$2" "$4"
golden trend -inuse_objects -nodecount=1 "$1" "$4"
golden trend ../go-heap1.pb.gz ../go-heap2.pb.gz
golden trend --markdown -focus=Depot ../go-heap1.pb.gz ../go-heap2.pb.gz
golden trend -alloc_objects -nodecount=2 ../go-heap1.pb.gz ../go-heap2.pb.gz

grown() { "$CPA" trend --csv "$@" | cut -d, -f1; }
[ "$(grown "$1" "$4" | wc -l)" -gt 1 ] && [ "$(grown "$1" "$1" "$4" "$4")" = "$(grown "$1" "$4")" ] &&
	[ "$(grown "$1" "$4" "$1" | wc -l)" -eq 1 ]
result $? "functions that do not change in a step are listed, those that fall are not"
"$CPA" trend "$1" "$3" "$2" 2>"$tmp/err" | grep -q '/step'
result $? "slopes are per step when the times of the profiles do not increase"
"$CPA" trend "$1" "$1" 2>&1 >/dev/null | grep -q -e 'no function grew without a fall in any step; --all' &&
	! "$CPA" trend --all "$1" "$1" 2>&1 >/dev/null | grep -q 'no function grew'
result $? "an empty table suggests --all"
[ "$("$CPA" trend -focus=nosuch "$@" 2>&1 >/dev/null | grep -c 'matched no samples')" -eq 1 ]
result $? "a note about all profiles is printed once"
grep -q 'not sorted by time' "$tmp/err"
result $? "decreasing times are reported"

"$CPA" trend "$1" missing.pb.gz "$2" "$3" >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && grep -q 'missing.pb.gz' "$tmp/err" && grep -q '3 profiles' "$tmp/out"
result $? "an unreadable profile is skipped, and the exit status is 2"

fails 'trend needs at least two' trend "$1"
fails 'no sample type' trend "$1" ../go-cpu.pb.gz
fails 'addresses differ' trend -addresses "$@"
fails 'must be none, total, duration or label' trend --normalize=x "$@"

# Profiles are read one at a time, so their number is not limited by memory.
sources=$(yes "$1" | head -n 300)
# shellcheck disable=SC2086 # a list of 300 files
"$CPA" trend --all $sources 2>/dev/null | grep -q '300 profiles'
result $? "300 profiles are read"

for f in ../go-*.pb.gz ../edge/bare.pb ../edge/no-samples.pb.gz ../edge/names-hostile.pb.gz; do
	"$CPA" trend --json --all "$f" "$f" "$f" 2>/dev/null
done >"$tmp/all.json"
"$CPA" trend --json "$@" >>"$tmp/all.json"
"${PYTHON3:-python3}" - "$top_srcdir/docs/schema/report.schema.json" "$tmp/all.json" <<'PY' >"$tmp/schema" 2>&1
import json, sys, jsonschema
def no(name):
    raise ValueError(name)
check = jsonschema.Draft201909Validator(json.load(open(sys.argv[1])))
text, decode, at, n = open(sys.argv[2]).read(), json.JSONDecoder(parse_constant=no), 0, 0
while at < len(text):
    report, at = decode.raw_decode(text, at)
    check.validate(report)
    at += len(text[at:]) - len(text[at:].lstrip())
    n += 1
assert n > 8, n
PY
status=$?
[ $status -eq 0 ] || note "$tmp/schema"
result $status "the JSON of trends is valid against the schema"
done_testing
