#!/bin/sh
# t280-gate.t - cpa gate on profiles with known changes: verdicts, output formats, errors
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2046,SC2086 # lists of file names without blanks
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/gate.sh"
unset GITHUB_WORKSPACE GITHUB_STEP_SUMMARY
cd gate || exit 1

# but SET N: prints the file names of the six profiles of a set, without number N
but() { side "$1" 6 | grep -v -e "-$2.pb"; }
base6=$(base 6)

# gate_golden NAME STATUS ARG...: checks that "cpa gate ARG..." prints the golden file gate.NAME and exits with STATUS
gate_golden() {
	name=gate.$1 expected=$2
	shift 2
	gate "$@"
	[ -z "${UPDATE:-}" ] || cp "$tmp/out" "$golden_dir/$name"
	diff -u "$golden_dir/$name" "$tmp/out" >"$tmp/diff" 2>&1 && [ "$status" -eq "$expected" ]
	good=$?
	[ $good -eq 0 ] || { note "$tmp/diff" && note "$tmp/err"; }
	result $good "$name: exit status $expected and the output of the golden file (status $status)"
}

# refused PATTERN ARG...: checks for exit status 2, no output, and two messages: the reason, then "nothing was decided"
refused() {
	pattern=$1
	shift
	gate "$@"
	[ "$status" -eq 2 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" -eq 2 ] &&
		sed -n 1p "$tmp/err" | grep -q -e "$pattern" && sed -n 2p "$tmp/err" | grep -q 'nothing was decided'
	good=$?
	[ $good -eq 0 ] || { note "$tmp/out" && note "$tmp/err"; }
	result $good "cpa gate $(echo "$*" | cut -c-60) is refused: $pattern (status $status)"
}

# The complete output for known changes.
gate_golden same 0 $base6 $(side same 6)
gate_golden slow 1 $base6 $(side slow 6)
gate_golden slow.all 1 --all $base6 $(side slow 6)
gate_golden mixed 1 --all $base6 $(side mixed 6)
gate_golden renamed 0 --all $(base 3) $(side renamed 3)
gate_golden newcode 1 $(base 3) $(side newcode 3)
gate_golden moved 0 $(base 3) $(side moved 3)
gate_golden short 3 --all -base=short-base.pb.gz short-slow.pb.gz
gate_golden heap-same 0 --all --normalize=none $(base 3 heap-base) $(side heap-same 3)
gate_golden heap-more 1 --all --normalize=none $(base 3 heap-base) $(side heap-more 3)
gate_golden mutex 1 --all --normalize=none $(base 3 mutex-base) $(side mutex-more 3)
gate_golden mutex.pair 3 --all --normalize=none -base=mutex-base-1.pb.gz mutex-more-1.pb.gz
gate_golden block 1 --normalize=none $(base 3 block-base) $(side block-more 3)
for format in json junit sarif markdown github; do
	gate_golden "slow.$format" 1 --$format $base6 $(side slow 6)
	gate_golden "same.$format" 0 --$format $base6 $(side same 6)
done
gate_golden slow.color 1 --color=always $base6 $(side slow 6)

# Unchanged runs, and runs with a slower function.
exits_with 0 'unchanged runs pass' --max-regress=20% $(base 2) $(side same 2)
[ "$(grep -c 'PASS\|FAIL' "$tmp/out")" -eq 1 ]
result $? 'unchanged runs print one verdict line'
exits_with 1 'a function that became 1.5 times as slow fails' --max-regress 20% $base6 $(side slow 6)
[ "$(grep -c '^FAIL ' "$tmp/out")" -eq 1 ]
result $? 'only the slower function fails'
grep -A1 '^verdict' "$tmp/out" | grep -q '^FAIL .* cum  *mill/score\.' && grep -A3 '^verdict' "$tmp/out" | grep -q 'mill/score\.Grade'
result $? 'a failed function is in the first row'
grep -A2 '^verdict' "$tmp/out" | grep -q 'mill/score/[a-z]*\.go:[0-9]'
result $? 'a failed function is printed with its file and line'
exits_with 0 'a slower function passes below --threshold' --threshold=60% $base6 $(side slow 6)
exits_with 1 'a slower function fails above --threshold' --threshold=10% $base6 $(side slow 6)
exits_with 0 'heap profiles of the same work pass with a limit of 10%' --normalize=none --threshold=10% \
	$(base 3 heap-base) $(side heap-same 3)
exits_with 1 '10% more memory fails with a limit of 5%' --normalize=none --threshold=5% \
	$(base 3 heap-base) $(side heap-more 3)
prints '^FAIL .*total' 'an increase in memory fails in the row of the total'

n_failed=0 n_single=0
for i in 1 2 3 4 5; do
	for k in 1 2 3 4 5; do
		[ $i -ne $k ] || continue
		gate --max-regress 20% -base=base-$i.pb.gz same-$k.pb.gz
		[ "$status" -eq 3 ] || n_failed=$((n_failed + 1))
	done
done
[ $n_failed -le 1 ]
result $? "20 single pairs of unchanged runs give at most one false alarm ($n_failed)"
n_failed=0 n_found=0
for i in 1 2 3 4 5; do
	gate $(but base $i | sed 's/^/-base=/') $(but same $i)
	[ "$status" -eq 0 ] || n_failed=$((n_failed + 1))
	gate $(but base $i | sed 's/^/-base=/') $(but slow $i)
	[ "$status" -eq 1 ] && grep -q '^FAIL .*mill/score' "$tmp/out" && n_found=$((n_found + 1))
	gate -base=base-$i.pb.gz slow-$i.pb.gz
	[ "$status" -eq 1 ] && n_single=$((n_single + 1))
done
[ $n_failed -eq 0 ]
result $? "five runs never fail against five unchanged runs ($n_failed times)"
[ $n_found -eq 5 ]
result $? "five runs always fail against five slower runs ($n_found times; single pairs $n_single times)"

# INCONCLUSIVE is a separate verdict with a configurable exit status.
exits_with 3 'delays of one pair are inconclusive' --normalize=none -base=mutex-base-1.pb.gz mutex-more-1.pb.gz
prints '^cpa gate: INCONCLUSIVE: a few long delays' 'the verdict line contains the reason why the gate is inconclusive'
prints '^SUSPECT ' 'long delays in a single pair of profiles are SUSPECT'
exits_with 3 'one short pair is inconclusive' -base=base-1.pb.gz same-1.pb.gz
prints '^cpa gate: INCONCLUSIVE: 1,5[0-9][0-9] samples per side, 2,[0-9]* needed ([0-9]* s at 2[0-9]* Hz)$' 'an inconclusive gate prints the number of samples needed'
exits_with 0 'one short pair passes if --need requires fewer samples' --need=20%:2 -base=base-1.pb.gz same-1.pb.gz
exits_with 1 'a slower function fails even with too few samples' -base=base-2.pb.gz slow-1.pb.gz
for s in 0 1 3; do
	exits_with $s "--inconclusive=$s sets the exit status" --inconclusive=$s --normalize=none -base=mutex-base-1.pb.gz mutex-more-1.pb.gz
done
exits_with 3 'a change too small to detect is inconclusive with --need' --need=5%:1.3 $base6 $(side same 6)
exits_with 0 'a change large enough to detect is not inconclusive' --need=10%:1.5 $base6 $(side same 6)
exits_with 1 'a regression exits with 1 regardless of --inconclusive' --need=5%:1.3 --inconclusive=3 $base6 $(side slow 6)
exits_with 3 'one short run among long runs makes the total uncertain with --normalize=none' --normalize=none --json \
	-base=base-1.pb.gz -base=base-2.pb.gz -base=short-base.pb.gz $(side same 3)
prints '"kind": "total".*"dispersion": [0-9][0-9][0-9]\.' 'one short run has a large dispersion of the total'
exits_with 1 'an estimate of +30% fails with a limit of 25%' --threshold=25% --normalize=none $(base 3 heap-base) $(side heap-more 3)
exits_with 0 'an estimate of +30% is not evidence for more than 25%' --threshold=25% --evidence=threshold --normalize=none $(base 3 heap-base) $(side heap-more 3)
exits_with 1 'an estimate of +30% is evidence for more than 20%' --threshold=20% --evidence=threshold --normalize=none $(base 3 heap-base) $(side heap-more 3)
exits_with 1 'new code that increases the cost of the program fails' $(base 3) $(side newcode 3)
prints '^FAIL .*main\.audit' 'new code that fails is in the table'
exits_with 0 'new code passes below --max-new' --max-new=12% $(base 3) $(side newcode 3)
prints '^NEW .*main\.audit' 'new code that passes has the verdict NEW'
exits_with 0 'a renamed function is compared with its old name' $(base 3) $(side renamed 3)
prints 'renamed? mill/score\.Grade -> mill/score\.Assess' 'the guessed new name is printed'
omits '^NEW \|^GONE ' 'a renamed function is neither new nor gone'
exits_with 0 '--rename sets the new name of a function' --rename='mill/score\.Grade=mill/score.Assess' $(base 3) $(side renamed 3)
omits 'renamed?' 'a name given with --rename is not a guess'

# Invalid input never passes.
: >"$tmp/empty.pb.gz"
head -c 2000 base-2.pb.gz >"$tmp/cut.pb.gz"
echo '<html>login</html>' >"$tmp/page.pb.gz"
refused 'missing.pb.gz: No such file' -base=base-1.pb.gz missing.pb.gz
refused 'missing.pb.gz: No such file' -base=missing.pb.gz base-1.pb.gz
refused 'missing.pb.gz: No such file' $base6 missing.pb.gz $(side slow 6)
refused 'empty' -base=base-1.pb.gz "$tmp/empty.pb.gz"
refused 'data is truncated' -base=base-1.pb.gz "$tmp/cut.pb.gz"
refused 'page.pb.gz' -base=base-1.pb.gz "$tmp/page.pb.gz"
refused 'no sample type samples/count' -base=base-1.pb.gz heap-base-1.pb.gz
refused 'no sample type' -base=heap-base-1.pb.gz base-1.pb.gz
refused 'has no samples' -base=base-1.pb.gz ../edge/no-samples.pb.gz
refused 'has no sample' -base=../edge/all-zero.pb.gz ../edge/all-zero.pb.gz
refused 'no sample that passes the filters' -focus=nosuch $base6 $(side slow 6)
refused 'hardly any function in common (0%' -base=../rust-cpu.pb.gz base-1.pb.gz
refused 'hardly any function in common (0%' -base=base-1.pb.gz ../go-cpu.pb.gz
gzip -dc base-1.pb.gz >"$tmp/plain.pb"
gzip -1 <"$tmp/plain.pb" >"$tmp/packed.pb.gz"
for copy in base-1.pb.gz "$tmp/plain.pb" "$tmp/packed.pb.gz"; do
	refused "new: $copy has the same content as base-1.pb.gz (base); pass each run once" $base6 "$copy"
	refused "base: $copy has the same content as base-1.pb.gz (base)" $base6 -base="$copy" $(side same 6)
	refused "new: $copy has the same content as base-1.pb.gz (new)" $(base 6 slow) base-1.pb.gz "$copy"
done
refused 'from the same program' $base6 ../go-cpu.pb.gz
exits_with 3 'a filter that leaves nothing to compare with does not pass' --inconclusive=3 -focus=score $(base 3) $(side slow 3)
prints '^cpa gate: INCONCLUSIVE: too few samples outside of the functions' 'the verdict does not suggest longer profiles'
exits_with 0 'the self-test passes' --self-test
prints 'must FAIL: FAIL' 'the slow function of the self-test fails'
prints 'must PASS: PASS' 'the unchanged profiles of the self-test pass'
exits_with 0 '--need does not affect the self-test' --self-test --need=1%:1.3
gate --self-test --min-share=99%
[ $status -eq 2 ] && grep -q 'self-test FAILED' "$tmp/out"
result $? 'the self-test fails with options that can never fail'

# Invalid command lines.
refused 'needs two profiles, not 0'
refused 'needs two profiles, not 1' base-1.pb.gz
refused 'no source to compare with' -base=base-1.pb.gz
refused 'not a percentage' --threshold=much -base=base-1.pb.gz same-1.pb.gz
refused 'not a percentage' --threshold=-5% -base=base-1.pb.gz same-1.pb.gz
refused 'confidence' --confidence=200% -base=base-1.pb.gz same-1.pb.gz
refused 'must be 0, 1 or 3' --inconclusive=2 -base=base-1.pb.gz same-1.pb.gz
refused 'normalize' --normalize=nosuch -base=base-1.pb.gz same-1.pb.gz
refused 'work' --normalize=work -base=base-1.pb.gz same-1.pb.gz
refused 'evidence' --evidence=none -base=base-1.pb.gz same-1.pb.gz
refused 'write 5%' --need=5:1.3 -base=base-1.pb.gz same-1.pb.gz
refused 'REGEX=PERCENT' --limit=main -base=base-1.pb.gz same-1.pb.gz
refused 'missing closing' --limit='(=5%' -base=base-1.pb.gz same-1.pb.gz
refused '--*lines applies to top, text, tree and others, not to gate' --lines -base=base-1.pb.gz same-1.pb.gz
refused 'csv does not apply' --csv -base=base-1.pb.gz same-1.pb.gz
refused 'cannot both go' --json --sarif -base=base-1.pb.gz same-1.pb.gz
refused 'two outputs' --json="$tmp/x" --sarif="$tmp/x" -base=base-1.pb.gz same-1.pb.gz
refused 'two outputs' --json="$tmp/x" --sarif="$tmp/./x" -base=base-1.pb.gz same-1.pb.gz
refused 'no source after --' base-1.pb.gz --
cp base-1.pb.gz "$tmp/mine.pb.gz"
refused 'would overwrite a profile' --json="$tmp/mine.pb.gz" -base="$tmp/mine.pb.gz" same-1.pb.gz
cmp -s base-1.pb.gz "$tmp/mine.pb.gz"
result $? 'the profile is not overwritten'
gate --json=/dev/full -base=base-1.pb.gz same-1.pb.gz
[ $status -eq 2 ] && grep -q 'an output was not written' "$tmp/err" && ! grep -q 'nothing was decided' "$tmp/err"
result $? 'a full disk is an error, and the message does not deny the verdict'
refused 'nosuch.cpa' --config=nosuch.cpa -base=base-1.pb.gz same-1.pb.gz
gate --self-test base-1.pb.gz
[ $status -eq 2 ] && grep -q -e '--self-test takes no profiles' "$tmp/err"
result $? 'a self-test takes no profiles'

# The config file. write_config LINE...: writes it
write_config() { printf '%s\n' "$@" >"$tmp/gate.cpa"; }
slower="--config=$tmp/gate.cpa $base6 $(side slow 6)"
write_config 'limit ^mill/score\. 60%'
exits_with 0 'a limit in the config file applies' $slower
exits_with 1 'a limit on the command line overrides the config file' --limit='^mill/score\.=30%' $slower
write_config '# nothing but a comment' '' 'limit ^mill/score\. 60%' 'limit ^mill/score\.mark$ 20%'
exits_with 1 'the last matching limit applies' $slower
write_config 'allow ^mill/score\. until=9999-12-31 # grades have more steps'
exits_with 0 'an allowed regression does not fail' $slower
prints 'allowed until 9999-12-31: grades have more steps' 'the reason in an allow line is printed'
write_config 'allow ^mill/score\. until=2020-01-01 # grades have more steps'
exits_with 1 'an expired allow line has no effect' $slower
prints 'warning: .*gate.cpa:1: .*expired on 2020-01-01' 'an expired allow line is reported with its line number'
write_config 'limit ^nosuch 50%'
exits_with 1 'a limit that matches no function has no effect' $slower
prints 'warning: .*gate.cpa:1: limit ^nosuch applies to no function' 'a limit that matches no function is reported'
write_config 'budget ^mill/check\.Sum$ 5%'
exits_with 1 'a function over its budget fails' --config="$tmp/gate.cpa" $base6 $(side same 6)
prints 'more than its budget of 5% (.*gate.cpa:1)' 'the budget is reported with its line number'
write_config 'budget ^mill/check\.Sum$ 12%'
exits_with 0 'a function within its budget passes' --config="$tmp/gate.cpa" $base6 $(side same 6)
write_config 'gate ^mill/codec'
exits_with 0 'gate lines select the functions to test' --all $slower
omits ' mill/score' 'other functions have no rows'
write_config 'gate ^mill/codek' 'gate ^nosuch'
refused 'gate.cpa:1: gate ^mill/codek: no gate line matches a function' $slower
write_config 'gate ^mill/codek' 'gate ^mill/codec'
exits_with 0 'one matching gate line is enough' $slower
write_config 'noise ^mill/score 40%'
exits_with 0 'a function with a noise line passes despite its change' $slower
write_config 'rename mill/score\.Grade mill/score.Assess'
exits_with 0 'a rename line sets the new name of a function' --config="$tmp/gate.cpa" $(base 3) $(side renamed 3)
omits 'renamed?' 'a name given in a rename line is not a guess'
write_config 'limit ^main 50%' 'lmit ^main 50%'
refused 'gate.cpa:2: unknown keyword lmit' $slower
write_config 'allow ^mill/score'
refused 'gate.cpa:1: allow: missing reason' $slower
write_config 'limit ( 5%'
refused 'gate.cpa:1: .*missing closing' $slower
write_config 'allow ^mill until=2026-02-30 # never'
refused 'gate.cpa:1: .*not a date' $slower

# An output does not depend on the other outputs of the run.
exits_with 1 'several outputs do not change the exit status' --json="$tmp/all.json" --junit="$tmp/all.junit" \
	--sarif="$tmp/all.sarif" --markdown="$tmp/all.markdown" --flame="$tmp/all.svg" $base6 $(side slow 6)
same 'text is the same with other outputs' "$golden_dir/gate.slow" "$tmp/out"
for format in json junit sarif markdown; do
	same "$format is the same with other outputs" "$golden_dir/gate.slow.$format" "$tmp/all.$format"
done
grep -q '<svg' "$tmp/all.svg" && grep -q 'mill/score.Grade' "$tmp/all.svg"
result $? 'the flame graph contains the failed function'
echo 'a step before' >"$tmp/summary.md"
GITHUB_STEP_SUMMARY=$tmp/summary.md "$CPA" gate --markdown="$tmp/summary.md" $base6 $(side slow 6) >"$tmp/out" 2>&1
grep -q 'a step before' "$tmp/summary.md" && grep -q 'cpa gate: FAIL' "$tmp/summary.md"
result $? 'the output is appended to the summary of a GitHub step'
exits_with 2 'an output that cannot be written is an error' --json="$tmp/no/such/folder" --sarif="$tmp/rest.sarif" $base6 $(side same 6)
grep -q '"executionSuccessful": false' "$tmp/rest.sarif" && ! grep -q '"verdict": "PASS"' "$tmp/rest.sarif"
result $? 'the other outputs also report the error'

# 20,001 functions with a sample each, and options that test all of them.
# shellcheck disable=SC2046 # an argument for each function
"${PYTHON3:-python3}" "$top_srcdir/tests/cli/gate_profile.py" "$tmp/many.pb" 0 samples count $(seq -f 'f%.0f=5' 20001)
{ cat "$tmp/many.pb" && printf 'h\0'; } >"$tmp/many2.pb" # a comment, which is empty
refused 'too many rows to judge: 20001.*raise --min-share' --min-share=0 --min-samples=0 -base="$tmp/many.pb" "$tmp/many2.pb"

# Pipes.
gate -base=base-1.pb.gz - <same-1.pb.gz
cp "$tmp/out" "$tmp/piped"
gate -base=base-1.pb.gz same-1.pb.gz # too short, so it is inconclusive
sed 's/same-1.pb.gz/-/' "$tmp/out" >"$tmp/files"
[ $status -eq 3 ] && cmp -s "$tmp/piped" "$tmp/files"
result $? 'a profile from a pipe gives the same result as a file'
refused 'empty' -base=base-1.pb.gz - </dev/null
gate $base6 $(side slow 6)
omits "$(printf '\033')" 'there are no colours unless standard output is a terminal'
gate -base=base-1.pb.gz -base=base-2.pb.gz slow-1.pb.gz slow-2.pb.gz
cp "$tmp/out" "$tmp/files"
gate base-1.pb.gz base-2.pb.gz -- slow-1.pb.gz slow-2.pb.gz
grep -q '^base .* in 2 profiles' "$tmp/out" && cmp -s "$tmp/files" "$tmp/out"
result $? '-- separates the sides'
gate base-1.pb.gz -- slow-1.pb.gz slow-2.pb.gz slow-3.pb.gz
grep -q 'these uneven sides are worth' "$tmp/out"
result $? 'the effective number of samples is lower if the sides differ in size'
done_testing
