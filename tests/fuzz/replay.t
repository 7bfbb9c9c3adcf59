#!/bin/sh
# replay.t - every fuzz target over its corpus, the edge cases, the broken files, the real profiles
# SPDX-License-Identifier: Apache-2.0
: "${top_srcdir:?}" "${top_builddir:?}" "${TESTDATA:?}"

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export TMPDIR="$tmp"
count=0
for source in "$top_srcdir"/tests/fuzz/fuzz_*.c; do
	name=$(basename "$source" .c)
	[ "$name" = fuzz_legacy ] || echo "$name"
	sed -n "s/^tests_fuzz_\(fuzz_[a-z_]*\)_SOURCES = \$($name)$/\1/p" "$top_srcdir/tests/fuzz/local.mk"
done >"$tmp/targets"
while read -r target; do
	count=$((count + 1))
	corpus=$top_srcdir/tests/fuzz/corpus/${target#fuzz_}
	set -- "$TESTDATA/edge" "$TESTDATA/bad" "$TESTDATA" "$TESTDATA"/formats/*/
	[ ! -d "$corpus" ] || set -- "$corpus" "$@"
	if "$top_builddir/tests/fuzz/$target" "$@" >"$tmp/log" 2>&1; then
		echo "ok $count - $target takes $(tail -n 1 "$tmp/log") without a crash"
	else
		echo "not ok $count - $target crashed"
		tail -n 40 "$tmp/log" | sed 's/^/# /'
	fi
done <"$tmp/targets"
echo "1..$count"
