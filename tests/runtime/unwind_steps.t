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
libs=
for flags in -O0 -O1 -O2 '-O2 -fcf-protection'; do
	lib="$tmp/no-cfi$(echo "$flags" | tr -d ' ').so"
	# shellcheck disable=SC2086 # a compiler and its options
	$CC $flags -fno-omit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables -fPIC -shared -Wl,-z,lazy \
		-o "$lib" "$top_srcdir/tests/runtime/no_cfi.c" || echo "not ok - $lib is built"
	libs="$libs $lib"
done
# shellcheck disable=SC2086 # words
"$tmp/steps" $libs
