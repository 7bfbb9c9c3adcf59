#!/bin/sh
# t197-otlp.t - cpa otlp writes OpenTelemetry profiles, and all reports read them
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

# Check that stacks, values and labels of a file are the same after writing and reading.
round_trip() # TYPES FILE
{
	"$CPA" otlp -symbolize=none -o "$tmp/p.otlp.pb" "$2" 2>"$tmp/err"
	for type in $1; do
		for report in folded tags; do
			"$CPA" $report -symbolize=none -sample_index="$type" "$2" 2>"$tmp/err" | sort >"$tmp/want"
			"$CPA" $report -symbolize=none -sample_index="$type" "$tmp/p.otlp.pb" 2>"$tmp/err" | sort >"$tmp/got"
			same "$2: $report of $type is the same" "$tmp/want" "$tmp/got"
		done
	done
}
round_trip 'samples cpu' go-cpu.pb.gz
round_trip 'alloc_space inuse_objects' go-heap1.pb.gz
round_trip 'sample wall cpu' node-wall.pb.gz
round_trip 'samples cpu' edge/labels.pb.gz
round_trip 'samples cpu' edge/addresses-only.pb.gz
round_trip 'samples page-faults:u cpu-clock:u' formats/perfscript/chains.txt

"$CPA" otlp -o "$tmp/cpu.pb" go-cpu.pb.gz 2>"$tmp/err"
"$CPA" top -flat -nodecount=3 go-cpu.pb.gz | grep -v '^File: \|^Build' >"$tmp/want"
"$CPA" top -flat -nodecount=3 "$tmp/cpu.pb" | grep -v '^File: \|^Build' >"$tmp/got"
same "top is the same" "$tmp/want" "$tmp/got"
gzip -c "$tmp/cpu.pb" | "$CPA" top -flat -nodecount=3 - | grep -v '^File: \|^Build' >"$tmp/got"
same "gzip and standard input give the same" "$tmp/want" "$tmp/got"
"$CPA" binaries --csv "$tmp/cpu.pb" >"$tmp/got"
"$CPA" binaries --csv go-cpu.pb.gz >"$tmp/want"
same "binaries are the same" "$tmp/want" "$tmp/got"
"$CPA" otlp -focus=Price -o "$tmp/focus.pb" go-cpu.pb.gz 2>"$tmp/err"
"$CPA" top --csv "$tmp/focus.pb" | cut -d, -f1,6 >"$tmp/got"
"$CPA" top --csv -focus=Price go-cpu.pb.gz | cut -d, -f1,6 >"$tmp/want"
same "filters apply" "$tmp/want" "$tmp/got"

printf '%s' '{"resourceProfiles":[{"scopeProfiles":[{"profiles":[{"sampleType":{"typeStrindex":1},"samples":[' \
	'{"stackIndex":1,"values":["7"]}]}]}]}],"dictionary":{"stringTable":["","cpu","main"],"functionTable":[{},' \
	'{"nameStrindex":2}],"locationTable":[{},{"lines":[{"functionIndex":1}]}],"stackTable":[{},' \
	'{"locationIndices":[1]}]}}' >"$tmp/one.json"
"$CPA" folded "$tmp/one.json" >"$tmp/got" 2>&1
echo 'main 7' >"$tmp/want"
same "JSON is read" "$tmp/want" "$tmp/got"

head -c 3000 "$tmp/cpu.pb" >"$tmp/cut.pb"
fails 'cut.pb: OTLP profiles that are truncated' top "$tmp/cut.pb"
fails 'not a profile of the format otlp' top --input-format=otlp go-cpu.pb.gz
done_testing
