#!/bin/sh
# t285-gate-ci.t - what the gate writes for CI servers is what they read
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

# read_by NAME STATUS ARG...: "cpa gate ARG..." ends with STATUS, and what it writes is valid and agrees
read_by() {
	name=$1 expected=$2
	shift 2
	mkdir -p "$tmp/$name"
	"$CPA" gate "$@" "--junit=$tmp/$name/junit" "--sarif=$tmp/$name/sarif" "--github=$tmp/$name/github" \
		"--markdown=$tmp/$name/markdown" >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ $status -eq "$expected" ] || { note "$tmp/err" && echo "# exit status $status"; }
	result $((status != expected)) "$name: exit status $expected"
	if "${PYTHON3:-python3}" -c 'import jsonschema' 2>/dev/null; then
		"${PYTHON3:-python3}" "$top_srcdir/tests/cli/gate_ci.py" "$top_srcdir/tests/cli/sarif.schema.json" \
			"$tmp/$name" "$status" >"$tmp/err" 2>&1
		valid=$?
		[ $valid -eq 0 ] || note "$tmp/err"
		result $valid "$name: SARIF is valid by our schema, and annotations and Markdown are well formed"
	else
		result 0 "$name: SARIF is valid # SKIP no python3-jsonschema"
	fi
	if command -v xmllint >/dev/null; then
		xmllint --noout --schema "$top_srcdir/tests/cli/junit.xsd" "$tmp/$name/junit" >"$tmp/err" 2>&1
		valid=$?
		[ $valid -eq 0 ] || note "$tmp/err"
		result $valid "$name: JUnit is valid by our schema"
	else
		result 0 "$name: JUnit is valid # SKIP xmllint not found: apt-get install libxml2-utils"
	fi
}

cd gate || exit 1
side() { for i in $(seq "$2"); do echo "$1-$i.pb.gz"; done; }
base() { side "${2:-base}" "$1" | sed 's/^/-base=/'; }

# shellcheck disable=SC2046 # lists of words
{
	read_by same 0 $(base 6) $(side same 6)
	read_by slow 1 $(base 6) $(side slow 6)
	read_by mixed 1 $(base 6) $(side mixed 6)
	read_by newcode 1 --max-new=5% $(base 3) $(side newcode 3)
	read_by moved 0 $(base 3) $(side moved 3)
	read_by heap 1 --normalize=none $(base 3 heap-base) $(side heap-more 3)
	read_by short 3 --inconclusive=3 --need=5%:1.3 -base=short-base.pb.gz short-slow.pb.gz
	read_by all 1 --min-share=0 --min-samples=0 $(base 6) $(side slow 6)
	read_by hostile 0 --min-share=0 --min-samples=0 -base=../edge/names-hostile.pb.gz ../edge/names-hostile.pb.gz
}

# Paths of the machine that built the program are found in the repository.
mkdir -p "$tmp/repository/score"
: >"$tmp/repository/score/score.go"
# shellcheck disable=SC2046 # lists of words
GITHUB_WORKSPACE=$tmp/repository "$CPA" gate --github=- $(base 6) $(side slow 6) >"$tmp/out" 2>"$tmp/err"
grep -q '^::error file=score/score\.go,line=6,title=cpa gate%3A FAIL::mill/score\.' "$tmp/out"
found=$?
[ $found -eq 0 ] || note "$tmp/out"
result $found 'an annotation stands in the file of the repository that the function is in'
done_testing
