#!/bin/sh
# rerun-measured.t - script/rerun-measured repeats tests with only failed measurements; script/failed lists all failures
# SPDX-License-Identifier: Apache-2.0
: "${top_srcdir:?}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
count=0

is() { # GOT WANTED NAME
	count=$((count + 1))
	[ "$1" = "$2" ] && echo "ok $count - $3" && return
	printf '# got %s\n# not %s\n' "$1" "$2"
	echo "not ok $count - $3"
}

log() { # NAME RESULT...: write the results of a test; its log is standard input
	name=$1
	shift
	cat >"$tmp/b/tests/$name.log"
	for result; do echo ":test-result: $result"; done >"$tmp/b/tests/$name.trs"
}

mkdir -p "$tmp/b/tests"
# the test two passes when it runs again
# shellcheck disable=SC2016 # a variable of make
printf 'check-TESTS:\n\t@echo rerun: $(TESTS)\n\t@echo :test-result: PASS >tests/two.trs\n' >"$tmp/b/Makefile"
printf 'ok 1 - a\nok 2 - b\n' | log good PASS PASS
is "$("$top_srcdir/script/rerun-measured" "$tmp/b")$("$top_srcdir/script/failed" "$tmp/b")" '' 'without failures nothing is repeated or printed'
printf '# measured: got 5, not 6\nnot ok 1 - a\nok 2 - b\n' | log clocks FAIL PASS
printf '# measured: got 5, not 6\nnot ok 1 - a\nnot ok 2 - b\n' | log both FAIL FAIL
printf 'not ok 1 - b\n' | log fact FAIL
printf '# measured: got 5, not 6\nnot ok 1 - a\nBail out! it hangs\n' | log hung FAIL ERROR
printf '# measured: got 1, not 2\nnot ok 1 - c\n# measured: got 3, not 4\nnot ok 2 - d\n' | log two FAIL FAIL
"$top_srcdir/script/rerun-measured" "$tmp/b" >"$tmp/out" 2>&1
is "$(grep '^rerun:' "$tmp/out" | tr '\n' ' ')" 'rerun: tests/clocks.t tests/two.t rerun: tests/clocks.t rerun: tests/clocks.t ' \
	'repeats tests with only failed measurements, at most three times'
is "$(grep -c 'got 1, not 2' "$tmp/out")" 1 'prints the measurements before it repeats a test'
is "$("$top_srcdir/script/failed" "$tmp/b" | sed -n "s|^failed: $tmp/b/tests/||p" | tr '\n' ' ')" 'both clocks fact hung ' \
	'lists all failed tests'
is "$("$top_srcdir/script/failed" "$tmp/b" | grep -c ':Bail out! it hangs$')" 1 'shows the lines around a failure'
mkdir -p "$tmp/good/tests" && cp "$tmp/b/tests/good.trs" "$tmp/b/tests/good.log" "$tmp/good/tests"
is "$("$top_srcdir/script/failed" "$tmp/good" "$tmp/b" | grep -c '^failed: ')" 4 'lists failures of a build after one without'
echo "1..$count"
