#!/bin/sh
# t280-gate.t - the gate on profiles whose truth is known: verdicts, outputs, what it refuses
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2046,SC2086 # lists of words, all of them names of ours
. "${top_srcdir:?}/tests/cli/lib.sh"
unset GITHUB_WORKSPACE GITHUB_STEP_SUMMARY
cd gate || exit 1

# side SET N: the profiles SET-1 ... SET-N; base N [SET]: those of a base, as options
side() { for i in $(seq "$2"); do echo "$1-$i.pb.gz"; done; }
base() { side "${2:-base}" "$1" | sed 's/^/-base=/'; }
# but SET N: the six profiles of a set without the one of number N
but() { side "$1" 6 | grep -v -e "-$2.pb"; }
base6=$(base 6)

# gate ARG...: run it; what it printed is in out, what it said in err, how it ended in status
gate() {
	"$CPA" gate "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
}

# judged NAME STATUS ARG...: "cpa gate ARG..." prints the golden file gate.NAME and ends with STATUS
judged() {
	name=gate.$1 expected=$2
	shift 2
	gate "$@"
	[ -z "${UPDATE:-}" ] || cp "$tmp/out" "$golden_dir/$name"
	diff -u "$golden_dir/$name" "$tmp/out" >"$tmp/diff" 2>&1 && [ "$status" -eq "$expected" ]
	good=$?
	[ $good -eq 0 ] || { note "$tmp/diff" && note "$tmp/err"; }
	result $good "$name: exit status $expected, and what the golden file says (status $status)"
}

# ends STATUS DESCRIPTION ARG...: "cpa gate ARG..." ends with STATUS
ends() {
	expected=$1 description=$2
	shift 2
	gate "$@"
	[ "$status" -eq "$expected" ]
	good=$?
	[ $good -eq 0 ] || { note "$tmp/out" && note "$tmp/err"; }
	result $good "$description (status $status)"
}

# says PATTERN DESCRIPTION: a line of the last report matches; lacks: none does
says() {
	grep -q -e "$1" "$tmp/out"
	good=$?
	[ $good -eq 0 ] || note "$tmp/out"
	result $good "$2"
}
lacks() {
	[ -s "$tmp/out" ] && ! grep -q -e "$1" "$tmp/out"
	good=$?
	[ $good -eq 0 ] || note "$tmp/out"
	result $good "$2"
}

# refused PATTERN ARG...: 2, nothing printed, the reason and then that nothing was decided
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

# What is known to be true, in full.
judged same 0 $base6 $(side same 6)
judged slow 1 $base6 $(side slow 6)
judged slow.all 1 --all $base6 $(side slow 6)
judged mixed 1 --all $base6 $(side mixed 6)
judged renamed 0 --all $(base 3) $(side renamed 3)
judged newcode 0 $(base 3) $(side newcode 3)
judged moved 0 $(base 3) $(side moved 3)
judged short 0 --all -base=short-base.pb.gz short-slow.pb.gz
judged heap-same 0 --all --normalize=none $(base 3 heap-base) $(side heap-same 3)
judged heap-more 1 --all --normalize=none $(base 3 heap-base) $(side heap-more 3)
judged mutex 1 --all --normalize=none $(base 3 mutex-base) $(side mutex-more 3)
judged mutex.pair 0 --all --normalize=none -base=mutex-base-1.pb.gz mutex-more-1.pb.gz
judged block 1 --normalize=none $(base 3 block-base) $(side block-more 3)
for format in json junit sarif markdown github; do
	judged "slow.$format" 1 --$format $base6 $(side slow 6)
	judged "same.$format" 0 --$format $base6 $(side same 6)
done
judged slow.color 1 --color=always $base6 $(side slow 6)

# What a user expects of a gate.
ends 0 'a profile passes against itself' --max-regress=20% -base=base-1.pb.gz base-1.pb.gz
[ "$(grep -c 'PASS\|FAIL' "$tmp/out")" -eq 1 ]
result $? 'there is one verdict line'
ends 1 'a function that became 1.5 times as slow is found' --max-regress 20% $base6 $(side slow 6)
[ "$(grep -c '^FAIL ' "$tmp/out")" -eq 1 ]
result $? 'and nothing else'
grep -A1 '^verdict' "$tmp/out" | grep -q '^FAIL .* cum  *mill/score\.' && grep -A3 '^verdict' "$tmp/out" | grep -q 'mill/score\.Grade'
result $? 'it is the first row'
grep -A2 '^verdict' "$tmp/out" | grep -q 'mill/score/[a-z]*\.go:[0-9]'
result $? 'with its file and line'
ends 0 'with a limit that allows it, it passes' --threshold=60% $base6 $(side slow 6)
ends 1 'not with one that does not' --threshold=10% $base6 $(side slow 6)
ends 0 'heap profiles of the same work pass with a limit of 10%' --normalize=none --threshold=10% \
	$(base 3 heap-base) $(side heap-same 3)
ends 1 'a tenth more memory in all is found with a limit of 5%' --normalize=none --threshold=5% \
	$(base 3 heap-base) $(side heap-more 3)
says '^FAIL .*total' 'and it is the total that fails'

red=0 single=0
for i in 1 2 3 4 5; do
	for k in 1 2 3 4 5; do
		[ $i -ne $k ] || continue
		gate --max-regress 20% -base=base-$i.pb.gz same-$k.pb.gz
		[ "$status" -eq 0 ] || red=$((red + 1))
	done
done
[ $red -le 1 ]
result $? "twenty single pairs of unchanged runs give one false alarm at most (they gave $red)"
red=0 found=0
for i in 1 2 3 4 5; do
	gate $(but base $i | sed 's/^/-base=/') $(but same $i)
	[ "$status" -eq 0 ] || red=$((red + 1))
	gate $(but base $i | sed 's/^/-base=/') $(but slow $i)
	[ "$status" -eq 1 ] && grep -q '^FAIL .*mill/score' "$tmp/out" && found=$((found + 1))
	gate -base=base-$i.pb.gz slow-$i.pb.gz
	[ "$status" -eq 1 ] && single=$((single + 1))
done
[ $red -eq 0 ]
result $? "five runs against five unchanged ones never fail (they did $red times)"
[ $found -eq 5 ]
result $? "five runs against five slower ones find it each time (they did $found times; single pairs $single times)"

# Inconclusive is a verdict of its own, with the status one asks for.
ends 0 'a suspect is no failure' --normalize=none -base=mutex-base-1.pb.gz mutex-more-1.pb.gz
says '^cpa gate: INCONCLUSIVE' 'it is inconclusive'
for s in 1 3; do
	ends $s "inconclusive is $s when asked" --inconclusive=$s --normalize=none -base=mutex-base-1.pb.gz mutex-more-1.pb.gz
done
ends 3 'what could not have been seen is inconclusive with --need' --need=5%:1.3 --inconclusive=3 $base6 $(side same 6)
ends 0 'what could have been seen is not' --need=10%:1.5 --inconclusive=3 $base6 $(side same 6)
ends 1 'a regression is 1 whatever inconclusive is' --need=5%:1.3 --inconclusive=3 $base6 $(side slow 6)
ends 0 'one short run among long ones makes the total uncertain where all should be the same' --normalize=none --json \
	-base=base-1.pb.gz -base=base-2.pb.gz -base=short-base.pb.gz $(side same 3)
says '"kind": "total".*"dispersion": [0-9][0-9][0-9]\.' 'it varies from run to run'
ends 1 'an estimate of +30% is beyond 25%' --threshold=25% --normalize=none $(base 3 heap-base) $(side heap-more 3)
ends 0 'which is not proved' --threshold=25% --evidence=threshold --normalize=none $(base 3 heap-base) $(side heap-more 3)
ends 1 'more than 20% is' --threshold=20% --evidence=threshold --normalize=none $(base 3 heap-base) $(side heap-more 3)
ends 0 'new code passes' $(base 3) $(side newcode 3)
says '^NEW .*main\.audit' 'it is named'
ends 1 'with --max-new it fails' --max-new=5% $(base 3) $(side newcode 3)
says '^FAIL .*main\.audit' 'by name'
ends 0 'below --max-new it does not' --max-new=12% $(base 3) $(side newcode 3)
ends 0 'a function that was renamed is compared with itself' $(base 3) $(side renamed 3)
says 'renamed? mill/score\.Grade -> mill/score\.Assess' 'and that is told'
lacks '^NEW \|^GONE ' 'it is neither new nor gone'
ends 0 'told the name, it does not ask' --rename='mill/score\.Grade=mill/score.Assess' $(base 3) $(side renamed 3)
lacks 'renamed?' 'about it'

# It cannot pass by accident.
: >"$tmp/empty.pb.gz"
head -c 2000 base-2.pb.gz >"$tmp/cut.pb.gz"
echo '<html>login</html>' >"$tmp/page.pb.gz"
refused 'missing.pb.gz: No such file' -base=base-1.pb.gz missing.pb.gz
refused 'missing.pb.gz: No such file' -base=missing.pb.gz base-1.pb.gz
refused 'missing.pb.gz: No such file' $base6 missing.pb.gz $(side slow 6)
refused 'empty' -base=base-1.pb.gz "$tmp/empty.pb.gz"
refused 'ends too early' -base=base-1.pb.gz "$tmp/cut.pb.gz"
refused 'page.pb.gz' -base=base-1.pb.gz "$tmp/page.pb.gz"
refused 'no sample type samples/count' -base=base-1.pb.gz heap-base-1.pb.gz
refused 'no sample type' -base=heap-base-1.pb.gz base-1.pb.gz
refused 'has no samples' -base=base-1.pb.gz ../edge/no-samples.pb.gz
refused 'has no sample' -base=../edge/all-zero.pb.gz ../edge/all-zero.pb.gz
refused 'no sample that passes the filters' -focus=nosuch $base6 $(side slow 6)
refused 'next to no function in common (0%' -base=../rust-cpu.pb.gz base-1.pb.gz
refused 'next to no function in common (0%' -base=base-1.pb.gz ../go-cpu.pb.gz
refused 'of the same program' $base6 ../go-cpu.pb.gz
ends 3 'a filter that leaves nothing to compare with does not pass' --inconclusive=3 -focus=score $(base 3) $(side slow 3)
says '^cpa gate: INCONCLUSIVE  too little of the program is outside' 'and is not told to capture longer'
ends 0 'the self-test passes' --self-test
says 'must FAIL: FAIL' 'its slow function fails'
says 'must PASS: PASS' 'and nothing else does'
ends 0 'what --need asks of profiles does not fail it' --self-test --need=1%:1.3
gate --self-test --min-share=99%
[ $status -eq 2 ] && grep -q 'self-test FAILED' "$tmp/out"
result $? 'options under which nothing can ever fail do not pass it'

# Wrong use.
refused 'takes two profiles, this is 0'
refused 'takes two profiles, this is 1' base-1.pb.gz
refused 'nothing to compare with' -base=base-1.pb.gz
refused 'not a percentage' --threshold=much -base=base-1.pb.gz same-1.pb.gz
refused 'not a percentage' --threshold=-5% -base=base-1.pb.gz same-1.pb.gz
refused 'confidence' --confidence=200% -base=base-1.pb.gz same-1.pb.gz
refused 'choose 0, 1 or 3' --inconclusive=2 -base=base-1.pb.gz same-1.pb.gz
refused 'normalize' --normalize=nosuch -base=base-1.pb.gz same-1.pb.gz
refused 'work' --normalize=work -base=base-1.pb.gz same-1.pb.gz
refused 'evidence' --evidence=none -base=base-1.pb.gz same-1.pb.gz
refused 'is that 5%' --need=5:1.3 -base=base-1.pb.gz same-1.pb.gz
refused 'REGEX=PERCENT' --limit=main -base=base-1.pb.gz same-1.pb.gz
refused 'missing closing' --limit='(=5%' -base=base-1.pb.gz same-1.pb.gz
refused 'another granularity' --lines -base=base-1.pb.gz same-1.pb.gz
refused 'csv has no meaning' --csv -base=base-1.pb.gz same-1.pb.gz
refused 'cannot both go' --json --sarif -base=base-1.pb.gz same-1.pb.gz
refused 'two outputs' --json="$tmp/x" --sarif="$tmp/x" -base=base-1.pb.gz same-1.pb.gz
refused 'two outputs' --json="$tmp/x" --sarif="$tmp/./x" -base=base-1.pb.gz same-1.pb.gz
refused 'nothing behind --' base-1.pb.gz --
cp base-1.pb.gz "$tmp/mine.pb.gz"
refused 'would take the place of a profile' --json="$tmp/mine.pb.gz" -base="$tmp/mine.pb.gz" same-1.pb.gz
cmp -s base-1.pb.gz "$tmp/mine.pb.gz"
result $? 'it is as it was'
gate --json=/dev/full -base=base-1.pb.gz same-1.pb.gz
[ $status -eq 2 ] && grep -q 'an answer was not written' "$tmp/err" && ! grep -q 'nothing was decided' "$tmp/err"
result $? 'a full disk is trouble, and the decision is not denied'
refused 'nosuch.cpa' --config=nosuch.cpa -base=base-1.pb.gz same-1.pb.gz
gate --self-test base-1.pb.gz
[ $status -eq 2 ] && grep -q 'leave the others out' "$tmp/err"
result $? 'a self-test takes no profiles'

# The file of a team. with LINE...: what it says, before a gate
with() { printf '%s\n' "$@" >"$tmp/gate.cpa"; }
slower="--config=$tmp/gate.cpa $base6 $(side slow 6)"
with 'limit ^mill/score\. 60%'
ends 0 'a limit of the file holds' $slower
ends 1 'one of the command line wins' --limit='^mill/score\.=30%' $slower
with '# nothing but a comment' '' 'limit ^mill/score\. 60%' 'limit ^mill/score\.mark$ 20%'
ends 1 'the last limit that matches wins' $slower
with 'allow ^mill/score\. until=9999-12-31 # grades have more steps'
ends 0 'what is allowed does not fail' $slower
says 'allowed until 9999-12-31: grades have more steps' 'and says why'
with 'allow ^mill/score\. until=2020-01-01 # grades have more steps'
ends 1 'what was allowed until a day that is over fails' $slower
says 'warning: .*gate.cpa:1: .*ended on 2020-01-01' 'and says where'
with 'limit ^nosuch 50%'
ends 1 'a line that matches nothing changes nothing' $slower
says 'warning: .*gate.cpa:1: limit ^nosuch holds for no function' 'and is told'
with 'budget ^mill/check\.Sum$ 5%'
ends 1 'what is over its budget fails' --config="$tmp/gate.cpa" $base6 $(side same 6)
says 'more than its budget of 5% (.*gate.cpa:1)' 'and says which'
with 'budget ^mill/check\.Sum$ 12%'
ends 0 'what is within it does not' --config="$tmp/gate.cpa" $base6 $(side same 6)
with 'gate ^mill/codec'
ends 0 'only what is named is tested' --all $slower
lacks ' mill/score' 'nothing else has a row'
with 'gate ^mill/codek' 'gate ^nosuch'
refused 'gate.cpa:1: gate ^mill/codek: no gate line means a function' $slower
with 'gate ^mill/codek' 'gate ^mill/codec'
ends 0 'one gate line that means a function is enough' $slower
with 'noise ^mill/score 40%'
ends 0 'a function that is said to be noisy is judged less sharply' $slower
with 'rename mill/score\.Grade mill/score.Assess'
ends 0 'the file can rename' --config="$tmp/gate.cpa" $(base 3) $(side renamed 3)
lacks 'renamed?' 'so that it does not ask'
with 'limit ^main 50%' 'lmit ^main 50%'
refused 'gate.cpa:2: no line begins with lmit' $slower
with 'allow ^mill/score'
refused 'gate.cpa:1: allow: say why' $slower
with 'limit ( 5%'
refused 'gate.cpa:1: .*missing closing' $slower
with 'allow ^mill until=2026-02-30 # never'
refused 'gate.cpa:1: .*not a day' $slower

# Several outputs at once are each what it is alone.
ends 1 'several outputs at once end with the same status' --json="$tmp/all.json" --junit="$tmp/all.junit" \
	--sarif="$tmp/all.sarif" --markdown="$tmp/all.markdown" --flame="$tmp/all.svg" $base6 $(side slow 6)
same 'text is what it is alone' "$golden_dir/gate.slow" "$tmp/out"
for format in json junit sarif markdown; do
	same "$format is what it is alone" "$golden_dir/gate.slow.$format" "$tmp/all.$format"
done
grep -q '<svg' "$tmp/all.svg" && grep -q 'mill/score.Grade' "$tmp/all.svg"
result $? 'the picture is one of the same functions'
echo 'a step before' >"$tmp/summary.md"
GITHUB_STEP_SUMMARY=$tmp/summary.md "$CPA" gate --markdown="$tmp/summary.md" $base6 $(side slow 6) >"$tmp/out" 2>&1
grep -q 'a step before' "$tmp/summary.md" && grep -q 'cpa gate: FAIL' "$tmp/summary.md"
result $? 'the summary of a GitHub step is appended to'
ends 2 'an output that cannot be written is trouble' --json="$tmp/no/such/folder" --sarif="$tmp/rest.sarif" $base6 $(side same 6)
same 'the others are written' "$golden_dir/gate.same.sarif" "$tmp/rest.sarif"

# 20,001 functions with a sample each, when all are asked for.
"${PYTHON3:-python3}" - "$tmp/many.pb" <<'PY'
import sys
def number(n):
    out = b''
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])
def field(tag, body):
    return bytes([tag << 3 | 2]) + number(len(body)) + body
def fields(*pairs):
    return b''.join(bytes([tag << 3]) + number(n) for tag, n in pairs)
strings, out = ['', 'samples', 'count'], field(1, fields((1, 1), (2, 2)))
for i in range(1, 20002):
    strings.append('f%d' % i)
    out += field(5, fields((1, i), (2, i + 2))) + field(4, fields((1, i)) + field(4, fields((1, i))))
    out += field(2, fields((1, i), (2, 5)))
open(sys.argv[1], 'wb').write(out + b''.join(field(6, s.encode()) for s in strings))
PY
refused '20001 rows are above the floors.*raise --min-share' --min-share=0 --min-samples=0 -base="$tmp/many.pb" "$tmp/many.pb"

# Pipes.
gate -base=base-1.pb.gz - <same-1.pb.gz
cp "$tmp/out" "$tmp/piped"
gate -base=base-1.pb.gz same-1.pb.gz
sed 's/same-1.pb.gz/-/' "$tmp/out" >"$tmp/named"
[ $status -eq 0 ] && cmp -s "$tmp/piped" "$tmp/named"
result $? 'a profile from a pipe is judged like a file'
refused 'empty' -base=base-1.pb.gz - </dev/null
gate $base6 $(side slow 6)
lacks "$(printf '\033')" 'nothing is coloured but for a terminal'
gate -base=base-1.pb.gz -base=base-2.pb.gz slow-1.pb.gz slow-2.pb.gz
cp "$tmp/out" "$tmp/named"
gate base-1.pb.gz base-2.pb.gz -- slow-1.pb.gz slow-2.pb.gz
grep -q '^base .* in 2 profiles' "$tmp/out" && cmp -s "$tmp/named" "$tmp/out"
result $? 'sides can be parted by --'
gate base-1.pb.gz -- slow-1.pb.gz slow-2.pb.gz slow-3.pb.gz
grep -q 'as uneven as here are worth' "$tmp/out"
result $? 'sides that differ much are told to be worth less than they have'
done_testing
