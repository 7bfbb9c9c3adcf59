#!/bin/sh
# t185-formats.t - every report as JSON, CSV and Markdown
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

golden tree --json -nodecount=4 edge/recursion.pb.gz
golden peek --csv main edge/recursion.pb.gz
golden tree --markdown -nodecount=4 edge/recursion.pb.gz
golden tags --json edge/labels.pb.gz
golden tags --csv edge/labels.pb.gz
golden tags --markdown edge/labels.pb.gz
golden traces --json edge/labels.pb.gz
golden traces --csv -lines edge/inline-sometimes.pb.gz
golden comments --json edge/comments.pb.gz
golden comments --csv edge/comments.pb.gz
golden comments --markdown edge/comments.pb.gz

for report in top tree tags comments traces; do
	for format in json csv markdown; do
		[ "$report $format" = 'traces markdown' ] && continue
		"$CPA" $report --$format edge/names-hostile.pb.gz 2>&1 | tr -d '\n\t' | LC_ALL=C grep -q '[[:cntrl:]]'
		result $((! $?)) "$report --$format prints no control character of a hostile name"
	done
done

# Every report of every profile as JSON, and reports with all filters, which are listed in the JSON.
for f in *.* edge/*; do
	for report in top tree 'peek .' tags binaries comments traces; do
		# shellcheck disable=SC2086 # a report and its argument
		"$CPA" --json $report -nodefraction=0 "$f" 2>"$tmp/err" || echo "$report $f" >>"$tmp/refused"
	done
done >"$tmp/all.json"
for report in top traces; do
	"$CPA" $report --json -focus=. -ignore=nothing -hide=nothing -show=. -show_from=. -tagfocus= -tagignore=nothing \
		-tagshow=. -taghide=nothing -prune_from=nothing -tagroot=x -tagleaf=y -noinlines -relative_percentages \
		go-cpu.pb.gz 2>"$tmp/err"
done >>"$tmp/all.json"
"${PYTHON3:-python3}" - "$top_srcdir/docs/schema/report.schema.json" "$tmp/all.json" <<'PY' >"$tmp/schema" 2>&1
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft201909Validator.check_schema(schema)
check = jsonschema.Draft201909Validator(schema)
def no_constant(name):
    raise ValueError(name + " is not JSON")
decode = json.JSONDecoder(parse_constant=no_constant)
text, at, n = open(sys.argv[2]).read(), 0, {}
while at < len(text):
    report, at = decode.raw_decode(text, at)
    for key in ("rows", "samples"):
        del report.get(key, [])[40:]
    check.validate(report)
    at += len(text[at:]) - len(text[at:].lstrip())
    n[report["report"]] = n.get(report["report"], 0) + 1
    report["unknown"] = 1
    assert not check.is_valid(report), "the schema is not strict"
assert len(n) == 7 and all(count > 60 for count in n.values()), n
PY
status=$?
[ $status -eq 0 ] || note "$tmp/schema"
result $status "the JSON of every report of every test profile is valid against the schema"
done_testing
