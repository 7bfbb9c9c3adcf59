#!/bin/sh
# t180-labels.t - traces, tags and comments; tests/compat compares the numbers with pprof
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

golden traces edge/labels.pb.gz
golden traces -lines edge/inline-sometimes.pb.gz
golden traces edge/names-hostile.pb.gz
golden traces edge/no-samples.pb.gz
golden tags edge/labels.pb.gz
golden tags -unit=kb edge/labels.pb.gz
golden comments edge/comments.pb.gz

"$CPA" comments go-cpu.pb.gz >"$tmp/out" 2>"$tmp/err"
[ ! -s "$tmp/out" ] && [ "$(cat "$tmp/err")" = 'cpa: there are no comments' ]
result $? "comments reports a profile without comments on standard error"

"$CPA" tags edge/labels.pb.gz 2>"$tmp/err" | grep -q ': 2s$' && [ ! -s "$tmp/err" ]
result $? "values of a label in two units are each printed in their own unit"

for threads in 1 2 3 8; do
	for f in go-cpu.pb.gz cpp-cpu.pb.gz "go-cpu.pb.gz cpp-cpu.pb.gz rust-cpu.pb.gz" edge/deep-stack.pb.gz; do
		for flag in -traces --json --csv; do
			# shellcheck disable=SC2086 # some list several sources
			"$CPA" -traces $flag -lines --threads=$threads $f
		done
	done >"$tmp/threads.$threads" 2>/dev/null
done
[ "$(wc -c <"$tmp/threads.1")" -gt 1000000 ]
result $? "the traces are long enough to be printed in several parts"
same "two threads print the same traces as one" "$tmp/threads.1" "$tmp/threads.2"
same "three threads print the same traces as one" "$tmp/threads.1" "$tmp/threads.3"
same "eight threads print the same traces as one" "$tmp/threads.1" "$tmp/threads.8"

echo before >"$tmp/traces"
"$CPA" traces -output="$tmp/traces" go-cpu.pb.gz 2>"$tmp/err"
"$CPA" traces go-cpu.pb.gz >"$tmp/out"
same "-output writes the same traces as standard output" "$tmp/out" "$tmp/traces"
grep -q "Generating report in $tmp/traces" "$tmp/err"
result $? "the name of the output file is reported"

"$CPA" traces go-cpu.pb.gz >/dev/full 2>"$tmp/err"
[ $? -eq 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q 'standard output: No space left' "$tmp/err"
result $? "a full disk is reported once"

fails 'does not apply to traces' traces --markdown go-cpu.pb.gz
done_testing
