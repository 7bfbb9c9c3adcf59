#!/bin/sh
# again.t - script/again asks those tests once more of which only measurements failed; script/failed tells of all that failed
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

one() { # NAME RESULT...: a test whose log is on standard input
	name=$1
	shift
	cat >"$tmp/b/tests/$name.log"
	for result; do echo ":test-result: $result"; done >"$tmp/b/tests/$name.trs"
}

mkdir -p "$tmp/b/tests"
# shellcheck disable=SC2016 # a variable of make
printf 'check-TESTS:\n\t@echo asked: $(TESTS)\n' >"$tmp/b/Makefile"
printf 'ok 1 - a\nok 2 - b\n' | one good PASS PASS
is "$("$top_srcdir/script/again" "$tmp/b")$("$top_srcdir/script/failed" "$tmp/b")" '' 'where nothing failed, nothing is asked or told'
printf '# measured: got 5, not 6\nnot ok 1 - a\nok 2 - b\n' | one clocks FAIL PASS
printf '# measured: got 5, not 6\nnot ok 1 - a\nnot ok 2 - b\n' | one both FAIL FAIL
printf 'not ok 1 - b\n' | one fact FAIL
printf '# measured: got 5, not 6\nnot ok 1 - a\nBail out! it hangs\n' | one hung FAIL ERROR
printf '# measured: got 1, not 2\nnot ok 1 - c\n# measured: got 3, not 4\nnot ok 2 - d\n' | one two FAIL FAIL
"$top_srcdir/script/again" "$tmp/b" >"$tmp/out" 2>&1
is "$(grep '^asked' "$tmp/out")" 'asked: tests/clocks.t tests/two.t' 'where nothing but measurements failed'
is "$(grep -c 'got 5, not 6' "$tmp/out")" 3 'and what was measured first is told'
is "$("$top_srcdir/script/failed" "$tmp/b" | sed -n "s|^failed: $tmp/b/tests/||p" | tr '\n' ' ')" 'both clocks fact hung two ' \
	'all that failed is told'
is "$("$top_srcdir/script/failed" "$tmp/b" | grep -c ':Bail out! it hangs$')" 1 'with the words around it'
echo "1..$count"
