#!/bin/sh
# t160-exports.t - raw, proto, topproto, folded and speedscope; their sums are compared with top
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

golden raw edge/inline-sometimes.pb.gz
golden raw edge/labels.pb.gz
golden raw edge/names-hostile.pb.gz
golden raw -divide_by=2 edge/no-mapping.pb.gz
golden folded edge/inline-sometimes.pb.gz
golden folded -lines -divide_by=1000000 edge/recursion.pb.gz
golden folded edge/names-hostile.pb.gz
golden folded edge/negative-values.pb.gz
golden folded edge/empty-stacks.pb.gz
golden folded edge/all-zero.pb.gz
golden speedscope edge/inline-sometimes.pb.gz
golden speedscope -lines -showcolumns edge/columns.pb.gz
golden speedscope -addresses edge/addresses-only.pb.gz
golden speedscope edge/names-hostile.pb.gz
golden speedscope edge/no-samples.pb.gz

profiles=$(ls ./*.pb.gz ./*.cpu ./*.txt ./*.heap* ./*.contention* ./*.threadz edge/*.pb* edge/*.txt)
exports='raw proto topproto folded speedscope firefox'

# A written profile equals the profile that was read but for the default sample type, and a second copy has the same bytes.
for f in $profiles; do
	"$CPA" raw -all_frames "$f" 2>/dev/null | sed 's/\[dflt\]//' >"$tmp/raw"
	"$CPA" proto -all_frames "$f" >"$tmp/one.pb.gz" 2>/dev/null
	"$CPA" raw "$tmp/one.pb.gz" 2>/dev/null | sed 's/\[dflt\]//' >"$tmp/again"
	"$CPA" proto "$tmp/one.pb.gz" >"$tmp/two.pb.gz"
	cmp "$tmp/raw" "$tmp/again" && cmp "$tmp/one.pb.gz" "$tmp/two.pb.gz" || echo "$f"
done >"$tmp/differ" 2>&1
[ ! -s "$tmp/differ" ] || note "$tmp/differ"
[ ! -s "$tmp/differ" ]
result $? "proto preserves every test profile"

"$CPA" proto -o "$tmp/cut.pb.gz" -divide_by=3 go-cpu.pb.gz 2>"$tmp/err"
"$CPA" raw go-cpu.pb.gz | sed '/^Locations/,$d' | awk '/^ +[0-9]/ {
	printf "%d %.0f\n", $1 / 3, int($2 / 3) }' >"$tmp/want"
"$CPA" raw "$tmp/cut.pb.gz" | sed '/^Locations/,$d' | awk '/^ +[0-9]/ { printf "%d %.0f\n", $1, $2 }' >"$tmp/got"
same "-divide_by divides all values of proto and keeps rows of zeros" "$tmp/want" "$tmp/got"
"$CPA" merge -o "$tmp/two.pb.gz" go-heap1.pb.gz go-heap2.pb.gz 2>"$tmp/err"
"$CPA" top go-heap1.pb.gz go-heap2.pb.gz >"$tmp/want"
"$CPA" top "$tmp/two.pb.gz" >"$tmp/got"
same "merge writes the sum of both profiles" "$tmp/want" "$tmp/got"
echo "cpa: Generating report in $tmp/two.pb.gz" >"$tmp/want"
same "merge prints the name of its output file" "$tmp/want" "$tmp/err"

"$CPA" topproto -unit=ns go-cpu.pb.gz >"$tmp/top.pb.gz"
"$CPA" top -unit=ns -compact_labels go-cpu.pb.gz | sed '1,/flat%/d' | sort >"$tmp/want"
"$CPA" raw "$tmp/top.pb.gz" | sed '1,/^cum/d; /^Locations/,$d' | awk '{ printf "%.0f %.0f\n", $2, $1 }' | sort >"$tmp/got"
awk '{ printf "%.0f %.0f\n", $1, $4 }' "$tmp/want" | sort >"$tmp/numbers"
same "the samples of topproto are the flat and cum values of top" "$tmp/numbers" "$tmp/got"

# Compare folded with top: the sum of all lines is the total, the sums by leaf function are the flat values.
checked=0
: >"$tmp/differ"
for f in go-cpu.pb.gz cpp-cpu.pb.gz rust-cpu.pb.gz node-wall.pb.gz go-heap1.pb.gz go-mutex.pb.gz java.cpu \
	edge/recursion.pb.gz edge/inline-sometimes.pb.gz edge/labels.pb.gz; do
	for type in 0 1; do
		"$CPA" folded -sample_index=$type "$f" >"$tmp/folded" || continue
		LC_ALL=C sort -c -t "$(printf '\001')" "$tmp/folded" 2>/dev/null || sed 's/ [0-9]*$//' "$tmp/folded" |
			LC_ALL=C sort -c || echo "$f: not sorted"
		sed 's/ [0-9]*$//' "$tmp/folded" | uniq -d
		"$CPA" top --json -nodefraction=0 -sample_index=$type "$f" >"$tmp/top.json"
		"${PYTHON3:-python3}" - "$tmp/top.json" <<-'PY' | sort >"$tmp/want"
			import json, sys
			r = json.load(open(sys.argv[1]))
			print("total", r["total"])
			for row in r["rows"]:
			    if row["flat"]:
			        print(row["name"], row["flat"])
		PY
		awk '{ n = $NF; total += n; sub(/ [0-9]+$/, ""); sub(/.*;/, ""); leaf[$0] += n }
			END { printf "total %.0f\n", total; for (l in leaf) printf "%s %.0f\n", l, leaf[l] }' "$tmp/folded" | sort >"$tmp/got"
		cmp -s "$tmp/want" "$tmp/got" || { echo "$f $type" && diff "$tmp/want" "$tmp/got"; }
		checked=$((checked + 1))
	done >>"$tmp/differ" 2>&1
done
[ ! -s "$tmp/differ" ] || note "$tmp/differ"
[ ! -s "$tmp/differ" ] && [ $checked -eq 20 ]
result $? "the lines of folded add up to the total and the flat values of top ($checked times)"

# A profile with negative values has two columns: before and after.
"$CPA" folded edge/negative-values.pb.gz | awk 'NF < 3 { exit 1 }'
result $? "negative values are printed as two columns"

# speedscope: validate with the schema, then check conditions that a schema cannot express.
for f in $profiles; do
	for args in '' -lines '-addresses -divide_by=7'; do
		# shellcheck disable=SC2086 # words
		"$CPA" speedscope $args "$f" 2>/dev/null
	done
done >"$tmp/all.json"
"${PYTHON3:-python3}" - "$top_srcdir/tests/cli/speedscope.schema.json" "$tmp/all.json" <<'PY' >"$tmp/schema" 2>&1
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft201909Validator.check_schema(schema)
check = jsonschema.Draft201909Validator(schema)
text, decode, at, n = open(sys.argv[2], encoding="utf-8").read(), json.JSONDecoder(), 0, 0
while at < len(text):
    doc, at = decode.raw_decode(text, at)
    check.validate(doc)
    frames = doc["shared"]["frames"]
    assert 0 <= doc["activeProfileIndex"] < len(doc["profiles"])
    for p in doc["profiles"]:
        assert len(p["samples"]) == len(p["weights"]), p["name"]
        assert all(0 <= i < len(frames) for s in p["samples"] for i in s)
        assert all(w > 0 for w in p["weights"])
        assert p["endValue"] - p["startValue"] == sum(p["weights"])
    while at < len(text) and text[at] in "\n ":
        at += 1
    n += 1
assert n > 150, n
PY
status=$?
[ $status -eq 0 ] || note "$tmp/schema"
result $status "the speedscope files of every test profile are valid"

for export in $exports; do
	for threads in 1 2 8; do
		"$CPA" "$export" --threads=$threads go-cpu.pb.gz cpp-cpu.pb.gz >"$tmp/threads.$threads" 2>/dev/null
	done
	cmp "$tmp/threads.1" "$tmp/threads.2" && cmp "$tmp/threads.1" "$tmp/threads.8"
	result $? "$export prints the same with 1, 2 and 8 threads"
	fails "^cpa: --json does not apply to $export$" "$export" --json go-cpu.pb.gz
done
fails '^cpa: --csv does not apply to merge$' merge --csv go-cpu.pb.gz
fails '^cpa: --markdown does not apply to raw$' raw --markdown go-cpu.pb.gz
fails '^cpa: -mean does not apply to folded: averages cannot be added$' folded -mean go-cpu.pb.gz
fails 'negative values, which speedscope cannot show; cpa folded' speedscope edge/negative-values.pb.gz
"$CPA" folded edge/names-hostile.pb.gz edge/files-hostile.pb.gz | tr -d '\n' | LC_ALL=C grep -q '[[:cntrl:]]'
result $((! $?)) "folded prints no control character of a hostile name"

# On a terminal, binary output is written to the first unused numbered file instead.
if ! "${PYTHON3:-python3}" -c 'import pty; pty.openpty()' 2>/dev/null; then
	result 0 "proto is written to a numbered file if standard output is a terminal # SKIP no terminals here"
	done_testing
	exit 0
fi
mkdir "$tmp/at" && cd "$tmp/at" || exit 1
echo mine >profile001.pb.gz
"${PYTHON3:-python3}" - "$CPA" "$TESTDATA/go-cpu.pb.gz" <<'PY' >"$tmp/messages" 2>&1
import pty, subprocess, sys
_, terminal = pty.openpty()
for args in (["proto"], ["topproto"], ["proto", "-o", "named.pb.gz"]):
    done = subprocess.run([sys.argv[1]] + args + [sys.argv[2]], stdout=terminal, stderr=subprocess.PIPE)
    print(done.stderr.decode(), end="")
PY
printf 'cpa: Generating report in %s\n' profile002.pb.gz profile003.pb.gz named.pb.gz >"$tmp/want"
same "proto is written to a numbered file if standard output is a terminal" "$tmp/want" "$tmp/messages"
[ "$(cat profile001.pb.gz)" = mine ] && cmp profile002.pb.gz named.pb.gz &&
	"$CPA" raw profile003.pb.gz | grep -q '^cum/.* flat/'
result $? "the numbered files contain the requested output, and an existing file is not overwritten"
done_testing
