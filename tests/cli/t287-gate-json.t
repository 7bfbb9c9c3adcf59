#!/bin/sh
# t287-gate-json.t - the JSON of the gate is what its schema says, whatever the profiles are
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
cd gate || exit 1

cat >"$tmp/gate.cpa" <<'END'
limit mill/grid 60%
allow mill/score until=2099-12-31 # waits for the new index
budget mill/store 1%
END

# both ARG...: the gate's JSON and its texts, as far as it decides anything
both() {
	"$CPA" gate --json "$@" >"$tmp/one.json" 2>"$tmp/err"
	status=$?
	[ $status -le 1 ] || [ $status -eq 3 ] || [ $status -eq 2 ] || echo "exit status $status: $*" >>"$tmp/died"
	[ $status -eq 2 ] || cat "$tmp/one.json" >>"$tmp/all.json"
	for format in --text --markdown --github; do
		"$CPA" gate $format --all "$@" 2>&1
	done >>"$tmp/texts"
}

runs() { for i in $(seq "$2"); do echo "$1-$i.pb.gz"; done; }

# shellcheck disable=SC2046 # lists of words, all of them names of ours
{
	for set in same slow mixed; do both $(runs base 6) -- $(runs $set 6); done
	for set in renamed newcode moved; do both $(runs base 3) -- $(runs $set 3); done
	for how in bulk rest none duration share; do both --normalize=$how base-1.pb.gz -- slow-1.pb.gz; done
	for how in holm bh none; do both --adjust=$how --evidence=threshold $(runs base 6) -- $(runs slow 6); done
	both --work-base=10 --work-new=12 base-1.pb.gz slow-1.pb.gz
	both --config="$tmp/gate.cpa" $(runs base 6) -- $(runs slow 6)
	both --config="$tmp/gate.cpa" --max-new=1% $(runs base 3) -- $(runs newcode 3)
	both '--rename=mill/score\.Grade=mill/score.Assess' $(runs base 3) -- $(runs renamed 3)
	both --need=1%:1.1 --inconclusive=3 --look=1/2 base-1.pb.gz same-1.pb.gz
	both --min-share=50% --min-samples=1e9 base-1.pb.gz same-1.pb.gz
	both short-base.pb.gz short-slow.pb.gz
	both --normalize=none $(runs heap-base 3) -- $(runs heap-more 3)
	for set in mutex block; do both $(runs $set-base 3) -- $(runs $set-more 3); done
}
for f in ../go-*.pb.gz ../cpp-cpu.pb.gz ../rust-cpu.pb.gz ../node-*.pb.gz ../java.cpu ../edge/*; do
	both "$f" "$f"
	both --normalize=none --min-share=0% --min-samples=0 "$f" "$f"
done
both ../edge/big-values.pb.gz ../edge/negative-values.pb.gz
both --exact-names ../edge/names-hostile.pb.gz ../edge/names-empty.pb.gz

[ ! -s "$tmp/died" ] || note "$tmp/died"
[ ! -s "$tmp/died" ]
result $? "no profile ends the gate with another status than 0 to 3"
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
    for name in schema["properties"]:
        assert not check.is_valid({k: v for k, v in answer.items() if k != name}), name + " may be left out"
    assert not check.is_valid({**answer, "more": 1}), "the schema is not strict"
    for row in answer["rows"][:1]:
        assert not check.is_valid({**answer, "rows": [{**row, "more": 1}]}), "rows are not strict"
    for verdict, count in answer["counts"].items():
        assert count >= sum(row["verdict"] == verdict for row in answer["rows"]), verdict
assert n > 20, n
assert outcomes == {"pass", "fail", "inconclusive"}, outcomes
assert verdicts == {"fail", "suspect", "moved", "new", "improved", "unresolved", "ok", "gone", "skipped"}, verdicts
PY
status=$?
[ $status -eq 0 ] || note "$tmp/schema"
result $status "the JSON of every gate is valid by its schema, which is strict"
grep -i -w -E '[-+x]?(nan|inf)%?' "$tmp/texts" >"$tmp/found"
result $((! $?)) "no text of a gate says NaN or Inf"
[ ! -s "$tmp/found" ] || note "$tmp/found"
LC_ALL=C tr -d '\n\t' <"$tmp/texts" | LC_ALL=C grep -q '[[:cntrl:]]'
result $((! $?)) "no control character of a hostile name comes through a gate"
done_testing
