#!/bin/sh
# t170-diff.t - cpa diff; its sums are compared with cpa top of each side
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
cd compare || exit 1

golden diff words-base.pb.gz words-new.pb.gz
golden diff --json words-base.pb.gz words-new.pb.gz
golden diff --csv words-base.pb.gz words-new.pb.gz
golden diff --markdown build-base.pb.gz build-new.pb.gz
golden diff -cum parent-base.pb.gz parent-new.pb.gz
golden diff build-base.pb.gz build-new.pb.gz
golden diff -lines -nodecount=3 build-base.pb.gz build-new.pb.gz
golden diff -filefunctions words-base.pb.gz words-new.pb.gz
golden diff -files build-base.pb.gz build-new.pb.gz
golden diff --normalize=duration rate-100hz.pb.gz rate-1khz.pb.gz
golden diff --normalize=label:job=steady label-base.pb.gz label-new.pb.gz
golden diff units-ms.pb.gz units-ns.pb.gz
golden diff -nodecount=5 ../go-heap1.pb.gz ../go-heap2.pb.gz
golden diff -focus=Depot -noinlines -nodecount=2 ../go-heap1.pb.gz ../go-heap2.pb.gz
golden diff --color=always -drop_negative words-base.pb.gz words-new.pb.gz
golden diff ../edge/names-hostile.pb.gz ../edge/negative-values.pb.gz
golden diff -alloc_objects -nodecount=2 ../go-heap1.pb.gz ../go-heap2.pb.gz

golden diff -focus=main -tagfocus=job=steady -nodecount=2 label-base.pb.gz label-new.pb.gz
golden diff --markdown -focus=main -noinlines -nodecount=1 label-base.pb.gz label-new.pb.gz

# Warnings before the report.
warns() { # PATTERN ARG...: checks that "cpa diff ARG..." succeeds with a line on standard error that matches PATTERN
	pattern=$1
	shift
	"$CPA" diff "$@" >"$tmp/out" 2>"$tmp/err" && grep -q -e "$pattern" "$tmp/err"
	result $? "cpa diff $* warns: $pattern"
}
warns 'before is newer than after' ../go-heap2.pb.gz ../go-heap1.pb.gz
warns 'durations differ: before took 10s, after 20s' build-base.pb.gz build-new.pb.gz
warns 'periods differ: before was sampled every 10ms, after every 1ms' rate-100hz.pb.gz rate-1khz.pb.gz
warns 'sample types differ: before has samples/count cpu/milliseconds' units-ms.pb.gz units-ns.pb.gz
warns 'every value of cpu is 0 on both sides' ../edge/all-zero.pb.gz ../edge/all-zero.pb.gz
"$CPA" diff -focus=nosuch words-base.pb.gz words-new.pb.gz 2>&1 >/dev/null | grep -q 'every value'
[ $? -eq 1 ]
result $? "there is no warning about zero values when a filter removed all samples"
"$CPA" diff --normalize=duration build-base.pb.gz build-new.pb.gz 2>"$tmp/err" >/dev/null
[ ! -s "$tmp/err" ]
result $? "there is no warning about durations with --normalize=duration"

# Assignment of the sources to the two sides.
"$CPA" diff words-base.pb.gz parent-base.pb.gz -- words-new.pb.gz parent-new.pb.gz |
	sed 1,2d >"$tmp/dashes"
"$CPA" diff -base words-base.pb.gz --base=parent-base.pb.gz words-new.pb.gz \
	parent-new.pb.gz | sed 1,2d >"$tmp/flags"
same "-- and --base separate the sides in the same way" "$tmp/dashes" "$tmp/flags"
"$CPA" diff --diff-base=- words-new.pb.gz <words-base.pb.gz | sed 1,2d >"$tmp/stdin"
"$CPA" diff words-base.pb.gz words-new.pb.gz | sed 1,2d >"$tmp/plain"
same "a side is read from standard input" "$tmp/stdin" "$tmp/plain"
"$CPA" diff -- words-base.pb.gz words-new.pb.gz | sed 1,2d >"$tmp/ended"
same "-- before two profiles only ends the options" "$tmp/ended" "$tmp/plain"

fails 'diff needs two profiles, not 1' diff a
fails 'diff needs two profiles, not 3' diff a b c
fails 'diff needs two profiles, not 0' diff
fails 'no source to compare with the base' diff --base=a
fails 'standard input is given twice' diff - -
fails 'No such file' diff words-base.pb.gz missing.pb.gz
fails 'in common: after has .alloc_objects.*, before .*/' diff words-base.pb.gz ../go-heap1.pb.gz
fails 'no sample of the base has that label' diff --normalize=label:nosuch label-base.pb.gz label-new.pb.gz
fails 'must be one of' diff -sample_index=nope ../go-heap1.pb.gz ../go-heap2.pb.gz
fails 'addresses differ between builds' diff -addresses words-base.pb.gz words-new.pb.gz
fails 'must be none, total, duration or label' diff --normalize=x words-base.pb.gz words-new.pb.gz
fails 'is 0 or unknown' diff --normalize=duration ../go-heap1.pb.gz ../go-heap2.pb.gz

# The flat values of each side, by function name, equal those of cpa top of that side.
sums() { # COLUMN FILE: prints the sum of a column of a CSV report for each name
	"${PYTHON3:-python3}" -c '
import csv, sys
sums = {}
for row in csv.DictReader(open(sys.argv[2], newline="")):
    sums[row["name"]] = sums.get(row["name"], 0) + int(row[sys.argv[1]])
for name in sorted(sums):
    if sums[name]:
        print(sums[name], name)' "$1" "$2"
}
for pair in '../go-heap1.pb.gz ../go-heap2.pb.gz' '../go-cpu.pb.gz ../go-cpu.pb.gz' '../rust-cpu.pb.gz ../cpp-cpu.pb.gz'; do
	base=${pair% *} new=${pair#* }
	"$CPA" diff --csv -nodefraction=0 "$base" "$new" >"$tmp/diff.csv" 2>/dev/null
	for side in before:"$base" after:"$new"; do
		sums "flat_${side%%:*}" "$tmp/diff.csv" >"$tmp/of-diff"
		"$CPA" top --csv -nodefraction=0 "${side#*:}" >"$tmp/top.csv"
		sums flat "$tmp/top.csv" | sed 's/::h[0-9a-f]\{16\}$//; s/ \[clone [^]]*\]$//' >"$tmp/of-top"
		same "diff $pair: ${side%%:*} equals the flat values of top" "$tmp/of-top" "$tmp/of-diff"
	done
done

# Except for long names, rows fit in a terminal of 80 columns.
"$CPA" diff -nodecount=5 ../go-heap1.pb.gz ../go-heap2.pb.gz | sed '1,/change%/d' | awk '{ i = index($0, $8); if (i > 69) exit 1 }'
result $? "names begin at column 69 or before"

# JSON: valid against the schema, without NaN or Infinity.
for pair in 'words-base.pb.gz words-new.pb.gz' 'build-base.pb.gz build-new.pb.gz' \
	'../go-heap1.pb.gz ../go-heap2.pb.gz' '../edge/no-samples.pb.gz ../edge/bare.pb' '../edge/bare.pb ../edge/no-samples.pb.gz' \
	'../edge/all-zero.pb.gz ../edge/all-zero.pb.gz' '../edge/big-values.pb.gz ../edge/negative-values.pb.gz' \
	'../edge/names-hostile.pb.gz ../edge/names-empty.pb.gz'; do
	# shellcheck disable=SC2086 # two words
	"$CPA" diff --json -nodefraction=0 $pair 2>/dev/null
	# shellcheck disable=SC2086
	"$CPA" diff --json -mean --normalize=none $pair 2>/dev/null
	for format in --color=never --csv --markdown; do
		# shellcheck disable=SC2086
		"$CPA" diff $format $pair 2>/dev/null
	done >>"$tmp/texts"
done >"$tmp/all.json"
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
assert n > 12, n
PY
status=$?
[ $status -eq 0 ] || note "$tmp/schema"
result $status "the JSON of comparisons is valid against the schema and contains no NaN or Infinity"
grep -q -i -w -E '[-+]?(nan|inf)%?' "$tmp/texts"
result $((! $?)) "text, CSV and Markdown contain no NaN or Inf"
LC_ALL=C tr -d '\n\t' <"$tmp/texts" | LC_ALL=C grep -q '[[:cntrl:]]'
result $((! $?)) "text, CSV and Markdown contain no control character of a hostile name"

for threads in 1 2 5; do
	"$CPA" diff -nodefraction=0 -nodecount=0 --threads=$threads ../go-cpu.pb.gz ../rust-cpu.pb.gz 2>/dev/null >"$tmp/threads.$threads"
done
same "two threads print the same as one" "$tmp/threads.1" "$tmp/threads.2"
same "five threads print the same as one" "$tmp/threads.1" "$tmp/threads.5"
done_testing
