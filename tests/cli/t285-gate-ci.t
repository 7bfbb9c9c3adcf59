#!/bin/sh
# t285-gate-ci.t - outputs of cpa gate for CI servers: SARIF, JUnit, GitHub annotations, Markdown
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/gate.sh"

# valid_outputs NAME STATUS ARG...: checks that "cpa gate ARG..." exits with STATUS and writes valid and consistent files
valid_outputs() {
	name=$1 expected=$2
	shift 2
	mkdir -p "$tmp/$name"
	"$CPA" gate "$@" "--junit=$tmp/$name/junit" "--sarif=$tmp/$name/sarif" "--github=$tmp/$name/github" \
		"--markdown=$tmp/$name/markdown" >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ $status -eq "$expected" ] || { note "$tmp/err" && echo "# exit status $status"; }
	result $((status != expected)) "$name: exit status $expected"
	valid_ci_files "$name" "$tmp/$name" "$status"
}

cd gate || exit 1

# shellcheck disable=SC2046 # lists of words
{
	valid_outputs same 0 $(base 6) $(side same 6)
	valid_outputs slow 1 $(base 6) $(side slow 6)
	valid_outputs mixed 1 $(base 6) $(side mixed 6)
	valid_outputs newcode 1 --max-new=5% $(base 3) $(side newcode 3)
	valid_outputs moved 0 $(base 3) $(side moved 3)
	valid_outputs heap 1 --normalize=none $(base 3 heap-base) $(side heap-more 3)
	valid_outputs short 3 -base=short-base.pb.gz short-slow.pb.gz
	valid_outputs all 1 --min-share=0 --min-samples=0 $(base 6) $(side slow 6)
	{ gzip -dc ../edge/names-hostile.pb.gz && printf '\150\000'; } >"$tmp/hostile.pb" # one more comment
	valid_outputs hostile 3 --min-share=0 --min-samples=0 -base=../edge/names-hostile.pb.gz "$tmp/hostile.pb"
}

# Paths from the build machine are mapped to files in the repository.
mkdir -p "$tmp/repository/score"
: >"$tmp/repository/score/score.go"
# shellcheck disable=SC2046 # lists of words
GITHUB_WORKSPACE=$tmp/repository "$CPA" gate --github=- $(base 6) $(side slow 6) >"$tmp/out" 2>"$tmp/err"
grep -q '^::error file=score/score\.go,line=6,title=cpa gate%3A FAIL::mill/score\.' "$tmp/out"
good=$?
[ $good -eq 0 ] || note "$tmp/out"
result $good 'an annotation contains the path of the source file in the repository'
done_testing
