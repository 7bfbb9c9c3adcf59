#!/bin/sh
# t287-gate-json.t - the JSON of cpa gate is valid against its schema for all profiles in testdata
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/gate.sh"
cd gate || exit 1

cat >"$tmp/gate.cpa" <<'END'
limit mill/grid 60%
allow mill/score until=2099-12-31 # waits for the new index
budget mill/store 1%
END

# run_gate ARG...: appends the JSON, if the gate decides, to all.json, and the other formats to texts
run_gate() {
	"$CPA" gate --json "$@" >"$tmp/one.json" 2>"$tmp/err"
	status=$?
	[ $status -le 1 ] || [ $status -eq 3 ] || [ $status -eq 2 ] || echo "exit status $status: $*" >>"$tmp/crashed"
	[ $status -eq 2 ] || cat "$tmp/one.json" >>"$tmp/all.json"
	for format in --text --markdown --github; do
		"$CPA" gate $format --all "$@" 2>&1
	done >>"$tmp/texts"
}

# shellcheck disable=SC2046 # lists of file names without blanks
{
	for set in same slow mixed; do run_gate $(side base 6) -- $(side $set 6); done
	for set in renamed newcode moved; do run_gate $(side base 3) -- $(side $set 3); done
	for value in bulk rest none duration share; do run_gate --normalize=$value base-1.pb.gz -- slow-1.pb.gz; done
	for value in holm bh none; do run_gate --adjust=$value --evidence=threshold $(side base 6) -- $(side slow 6); done
	run_gate --work-base=10 --work-new=12 base-1.pb.gz slow-1.pb.gz
	run_gate --config="$tmp/gate.cpa" $(side base 6) -- $(side slow 6)
	run_gate --config="$tmp/gate.cpa" --max-new=50% $(side base 3) -- $(side newcode 3)
	run_gate '--rename=mill/score\.Grade=mill/score.Assess' $(side base 3) -- $(side renamed 3)
	run_gate --need=1%:1.1 --inconclusive=3 --look=1/2 base-1.pb.gz same-1.pb.gz
	run_gate --min-share=50% --min-samples=1e9 base-1.pb.gz same-1.pb.gz
	run_gate short-base.pb.gz short-slow.pb.gz
	run_gate --normalize=none $(side heap-base 3) -- $(side heap-more 3)
	for set in mutex block; do run_gate $(side $set-base 3) -- $(side $set-more 3); done
}
# The second profile differs by an empty comment, or by an empty line at its end.
for f in ../go-*.pb.gz ../cpp-cpu.pb.gz ../rust-cpu.pb.gz ../node-*.pb.gz ../java.cpu ../edge/*; do
	{ gzip -dc "$f" 2>/dev/null || cat "$f"; } >"$tmp/other"
	case $f in *.pb*) printf '\150\000' ;; *) echo ;; esac >>"$tmp/other"
	run_gate "$f" "$tmp/other"
	run_gate --normalize=none --min-share=0% --min-samples=0 "$f" "$tmp/other"
done
run_gate ../edge/big-values.pb.gz ../edge/negative-values.pb.gz
run_gate --exact-names ../edge/names-hostile.pb.gz ../edge/names-empty.pb.gz

[ ! -s "$tmp/crashed" ] || note "$tmp/crashed"
[ ! -s "$tmp/crashed" ]
result $? "the exit status is 0 to 3 for all profiles"
"${PYTHON3:-python3}" - "$top_srcdir/docs/schema/gate.schema.json" "$tmp/all.json" <<'PY' >"$tmp/schema" 2>&1
import json, sys, jsonschema
def no(name):
    raise ValueError(name)
schema = json.load(open(sys.argv[1]))
jsonschema.Draft201909Validator.check_schema(schema)
check = jsonschema.Draft201909Validator(schema)
text, decode, at, n = open(sys.argv[2]).read(), json.JSONDecoder(parse_constant=no), 0, 0
outcomes, verdicts = set(), set()
while at < len(text):
    answer, at = decode.raw_decode(text, at)
    check.validate(answer)
    at += len(text[at:]) - len(text[at:].lstrip())
    n += 1
    outcomes.add(answer["verdict"])
    verdicts |= {row["verdict"] for row in answer["rows"]}
    for name in ["schema_version", "report", "verdict", "exit_status"] + schema["else"]["required"]:
        assert not check.is_valid({k: v for k, v in answer.items() if k != name}), name + " is optional"
    assert not check.is_valid({**answer, "more": 1}), "the schema is not strict"
    for row in answer["rows"][:1]:
        assert not check.is_valid({**answer, "rows": [{**row, "more": 1}]}), "rows are not strict"
    for verdict, count in answer["verdict_counts"].items():
        assert count >= sum(row["verdict"] == verdict for row in answer["rows"]), verdict
assert n > 20, n
assert outcomes == {"pass", "fail", "inconclusive"}, outcomes
assert verdicts == {"fail", "suspect", "moved", "new", "improved", "unresolved", "ok", "gone", "skipped"}, verdicts
PY
status=$?
[ $status -eq 0 ] || note "$tmp/schema"
result $status "the JSON is valid against its schema, which allows no other keys"
grep -i -w -E '[-+x]?(nan|inf)%?' "$tmp/texts" >"$tmp/found"
result $((! $?)) "text, Markdown and annotations contain no NaN or Inf"
[ ! -s "$tmp/found" ] || note "$tmp/found"
LC_ALL=C tr -d '\n\t' <"$tmp/texts" | LC_ALL=C grep -q '[[:cntrl:]]'
result $((! $?)) "text, Markdown and annotations contain no control character of a hostile name"
done_testing
