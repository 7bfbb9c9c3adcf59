#!/bin/sh
# unwind_steps.t - build unwind_steps without sanitizers, bound lazily, and run it
# SPDX-License-Identifier: Apache-2.0
: "${top_srcdir:?}" "${top_builddir:?}" "${CC:?}"

case $(uname -m) in
x86_64) ;;
*)
	echo '1..0 # SKIP only x86-64 has a trap flag'
	exit
	;;
esac
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# shellcheck disable=SC2086 # a compiler and its options
if ! $CC -std=gnu17 -O2 -Wl,-z,lazy -I"$top_builddir" -I"$top_srcdir/src" -o "$tmp/steps" \
	"$top_srcdir/tests/runtime/unwind_steps.c" "$top_srcdir"/src/libcpaprof/target/unwind/*.c -lm >"$tmp/log" 2>&1; then
	sed 's/^/# /' "$tmp/log"
	echo 'not ok 1 - unwind_steps is built'
	echo 1..1
	exit
fi
"$tmp/steps"
