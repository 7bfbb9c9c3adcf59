#!/bin/sh
# unwind_aarch64.t - the unwinder for aarch64: compiles, and its tests run under qemu
# SPDX-License-Identifier: Apache-2.0
: "${top_srcdir:?}" "${top_builddir:?}"

cc=aarch64-linux-gnu-gcc
root=/usr/aarch64-linux-gnu
if ! command -v $cc >/dev/null || ! command -v qemu-aarch64 >/dev/null || [ ! -e $root/lib/libc.so.6 ]; then
	echo '1..0 # SKIP apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user'
	exit
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
count=0
for name in unwind_bytes unwind_frames; do
	count=$((count + 1))
	if $cc -std=gnu17 -O2 -Wall -Wextra -Werror -I"$top_builddir" -I"$top_srcdir/src" -o "$tmp/$name" \
		"$top_srcdir/tests/runtime/$name.c" "$top_srcdir"/src/libcpaprof/target/unwind/*.c >"$tmp/log" 2>&1; then
		qemu-aarch64 -L $root "$tmp/$name" 50000 >"$tmp/out" 2>>"$tmp/log"
		status=$?
	else
		status=compiler
	fi
	if [ "$status" = 0 ] && [ -s "$tmp/out" ]; then
		echo "ok $count - $name passes on aarch64 ($(grep -c '^ok' "$tmp/out") tests)"
	else
		echo "not ok $count - $name does not pass on aarch64 ($status)"
		cat "$tmp/log" "$tmp/out" 2>/dev/null | grep -v '^ok' | sed 's/^/# /'
	fi
done
echo "1..$count"
