#!/bin/sh
# t286-gate-error.t - a gate that fails with an error leaves no result of an earlier gate
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/gate.sh"
unset GITHUB_WORKSPACE GITHUB_STEP_SUMMARY
cd gate || exit 1
dir=$tmp/results
formats='json junit sarif markdown github text'

# prepare: writes results of an earlier gate, which passed
prepare() {
	rm -rf "$dir"
	mkdir "$dir"
	for format in $formats svg main; do echo 'PASS "verdict": "pass"' >"$dir/$format"; done
	mv "$dir/svg" "$dir/flame.svg"
}

# gate_fails DESCRIPTION ARG...: checks that "cpa gate ARG..." exits with 2 and that every output reports an error
gate_fails() {
	description=$1
	shift
	prepare
	"$CPA" gate --json="$dir/json" --junit="$dir/junit" --sarif="$dir/sarif" --markdown="$dir/markdown" \
		--github="$dir/github" --text="$dir/text" --flame="$dir/flame.svg" -o "$dir/main" "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ $status -eq 2 ] || { note "$tmp/err" && echo "# exit status $status"; }
	result $((status != 2)) "$description: exit status 2"
	are_errors "$description"
}

# are_errors DESCRIPTION: checks that every file in $dir reports an error
are_errors() {
	: >"$tmp/wrong"
	grep -q '"verdict": "error"' "$dir/json" && grep -q '"exit_status": 2' "$dir/json" || echo json >>"$tmp/wrong"
	grep -q 'errors="1"' "$dir/junit" && grep -q '<error type="error" message=' "$dir/junit" || echo junit >>"$tmp/wrong"
	grep -q '"executionSuccessful": false' "$dir/sarif" || echo sarif >>"$tmp/wrong"
	head -1 "$dir/markdown" | grep -q '^### cpa gate: ERROR' || echo markdown >>"$tmp/wrong"
	grep -q '^::error title=cpa gate%3A ERROR::nothing was decided' "$dir/github" || echo github >>"$tmp/wrong"
	grep -q '^cpa gate: ERROR  nothing was decided: ' "$dir/text" || echo text >>"$tmp/wrong"
	grep -q '^cpa gate: ERROR  nothing was decided: ' "$dir/main" || echo main >>"$tmp/wrong"
	[ ! -e "$dir/flame.svg" ] || echo flame >>"$tmp/wrong"
	grep -rl 'PASS' "$dir" >>"$tmp/wrong"
	[ ! -s "$tmp/wrong" ]
	good=$?
	[ $good -eq 0 ] || note "$tmp/wrong"
	result $good "$1: every output reports an error"
}

gate_fails 'a missing base' -base=missing.pb.gz same-1.pb.gz
grep -q 'missing.pb.gz: No such file' "$dir/json" && grep -q 'missing.pb.gz: No such file' "$dir/sarif" &&
	grep -q 'missing.pb.gz: No such file' "$dir/junit" && grep -q 'missing.pb.gz: No such file' "$dir/github"
result $? 'the outputs contain the reason'
valid_ci_files 'a missing base' "$dir" 2
if "${PYTHON3:-python3}" -c 'import jsonschema' 2>/dev/null; then
	"${PYTHON3:-python3}" - "$top_srcdir/docs/schema/gate.schema.json" "$dir/json" <<'PY' >"$tmp/err" 2>&1
import json, sys, jsonschema
check = jsonschema.Draft201909Validator(json.load(open(sys.argv[1])))
answer = json.load(open(sys.argv[2]))
check.validate(answer)
for name in answer:
    assert not check.is_valid({k: v for k, v in answer.items() if k != name}), name + " is optional"
assert not check.is_valid({**answer, "exit_status": 0}) and not check.is_valid({**answer, "rows": []})
assert not check.is_valid({**answer, "verdict": "pass"})
PY
	good=$?
	[ $good -eq 0 ] || note "$tmp/err"
	result $good 'JSON is valid against its schema'
else
	result 0 'JSON is valid # SKIP no python3-jsonschema'
fi

: >"$tmp/empty.pb.gz"
gate_fails 'an empty profile' -base=base-1.pb.gz "$tmp/empty.pb.gz"
gate_fails 'another sample type' -base=base-1.pb.gz heap-base-1.pb.gz
gate_fails 'another program' -base=base-1.pb.gz ../go-cpu.pb.gz
gate_fails 'a server that does not answer' -timeout=5 -base=http://127.0.0.1:9/debug/pprof/profile same-1.pb.gz
gate_fails 'one side only' base-1.pb.gz
gate_fails 'an option with a wrong value' --threshold=much -base=base-1.pb.gz same-1.pb.gz
gate_fails 'a missing config file' --config=missing.cpa -base=base-1.pb.gz same-1.pb.gz
gate_fails 'an option that does not apply to gate' --lines -base=base-1.pb.gz same-1.pb.gz
gate_fails 'a failing self-test' --self-test --min-share=99%

# A gate that is killed while reading a profile.
prepare
mkfifo "$tmp/never"
"$CPA" gate --json="$dir/json" --junit="$dir/junit" --sarif="$dir/sarif" --markdown="$dir/markdown" --github="$dir/github" \
	--text="$dir/text" --flame="$dir/flame.svg" -o "$dir/main" -base=base-1.pb.gz "$tmp/never" >"$tmp/out" 2>"$tmp/err" &
pid=$!
for _ in $(seq 600); do
	grep -q ERROR "$dir/github" && break # the last file to be written
	sleep 0.1
done
kill -9 $pid
wait $pid 2>/dev/null
are_errors 'a killed gate'
grep -q 'did not finish' "$dir/json"
result $? 'the JSON of a killed gate reports that it did not finish'

# A command line that cannot be parsed.
prepare
for format in json markdown; do mv "$dir/$format" "$dir/out.$format"; done
cp base-1.pb.gz "$dir/in.json"
cp base-1.pb.gz "$dir/other"
echo '<testsuites name="cpa gate">' >"$dir/junit"
"$CPA" gate --nosuch --json="$dir/out.json" --markdown="$dir/out.markdown" --flame="$dir/flame.svg" --junit="$dir/junit" \
	--sarif="$dir/in.json" --text="$dir/other" -base="$dir/in.json" same-1.pb.gz >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && [ ! -e "$dir/out.json" ] && [ ! -e "$dir/out.markdown" ] && [ ! -e "$dir/flame.svg" ] && [ ! -e "$dir/junit" ]
result $? 'an unknown option: the outputs on the command line are removed'
cmp -s base-1.pb.gz "$dir/in.json" && cmp -s base-1.pb.gz "$dir/other"
result $? 'an unknown option: profiles and files that are not gate results are not removed'
prepare
mv "$dir/json" "$dir/out.json"
"$CPA" gate --json="$dir/out.json" --sarif="$dir/out.json" -base=base-1.pb.gz same-1.pb.gz >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && [ ! -e "$dir/out.json" ]
result $? 'two outputs with the same file: the file is removed'

prepare
mv "$dir/json" "$dir/out.json"
"$CPA" gate base-1.pb.gz -- same-1.pb.gz --json="$dir/out.json" >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && [ ! -e "$dir/out.json" ] && grep -q 'out.json: options must precede --' "$tmp/err"
result $? 'an output after --: its file is removed'

# Standard output.
"$CPA" gate --json -base=missing.pb.gz same-1.pb.gz >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && grep -q '"verdict": "error"' "$tmp/out" && [ "$(grep -c schema "$tmp/out")" -eq 1 ]
result $? 'JSON on standard output reports an error'
"$CPA" gate --sarif=- -base=missing.pb.gz same-1.pb.gz >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && [ "$(grep -c '"executionSuccessful": false' "$tmp/out")" -eq 1 ]
result $? 'SARIF on standard output reports an error once'
"$CPA" gate --json=/dev/stdout -base=missing.pb.gz same-1.pb.gz 2>"$tmp/err" | cat >"$tmp/out"
[ "$(grep -c '"verdict": "error"' "$tmp/out")" -eq 1 ]
result $? 'JSON in /dev/stdout reports an error once'
"$CPA" gate --github -base=missing.pb.gz same-1.pb.gz >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && grep -q '^::error title=cpa gate%3A ERROR::nothing was decided: ' "$tmp/out" && [ "$(wc -l <"$tmp/out")" -eq 1 ]
result $? '--github prints an annotation'
"$CPA" gate -base=missing.pb.gz same-1.pb.gz >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && [ ! -s "$tmp/out" ]
result $? 'without an output option, the error is printed on standard error only'
echo 'a step before' >"$tmp/summary.md"
GITHUB_STEP_SUMMARY=$tmp/summary.md "$CPA" gate --markdown="$tmp/summary.md" -base=missing.pb.gz same-1.pb.gz >"$tmp/out" 2>&1
[ "$(head -1 "$tmp/summary.md")" = 'a step before' ] && [ "$(grep -c 'cpa gate: ERROR' "$tmp/summary.md")" -eq 1 ]
result $? 'the error is appended to the summary of a GitHub step once'

# A gate that decides replaces the errors of an earlier gate.
prepare
"$CPA" gate --json="$dir/json" --flame="$dir/flame.svg" -base=base-1.pb.gz same-1.pb.gz >"$tmp/out" 2>"$tmp/err"
[ $? -ne 2 ] && grep -q '"warnings"' "$dir/json" && ! grep -q '"error"' "$dir/json" && grep -q '<svg' "$dir/flame.svg"
result $? 'a gate that decides writes its result'
[ "$(find "$dir" | wc -l)" -eq 9 ]
result $? 'there are no temporary files'
done_testing
