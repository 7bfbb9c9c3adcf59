#!/bin/sh
# aarch64.t - code that runs in profiled programs, and the collector, compile for aarch64 without warnings
# SPDX-License-Identifier: Apache-2.0
: "${top_srcdir:?}" "${top_builddir:?}"

cc=aarch64-linux-gnu-gcc
if ! command -v $cc >/dev/null || ! echo '#include <stdio.h>' | $cc -E - >/dev/null 2>&1; then
	echo '1..0 # SKIP apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross'
	exit
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# zlib is the same for all machines, and its headers are enough here
mkdir "$tmp/zlib"
for header in zlib.h zconf.h; do
	file=$(echo "#include <$header>" | ${CC:-cc} -E - 2>/dev/null | sed -n "s|^# [0-9]* \"\(.*/$header\)\".*|\1|p" | head -n 1)
	[ -n "$file" ] && cp "$file" "$tmp/zlib"
done
count=0
for folder in libcpaprof/target libcpaprof/target/unwind libcpaprof/collector/read libcpaprof/collector libcpaprof/collector/write libcpaprof/collector/trace libcpaprof/endpoint libcpaprof/api wire; do
	[ -d "$top_srcdir/src/$folder" ] || continue
	count=$((count + 1))
	for source in "$top_srcdir/src/$folder"/*.c; do
		[ -e "$source" ] || continue
		$cc -std=gnu17 -O2 -fPIC -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -I"$top_builddir" \
			-I"$top_srcdir/src" -I"$top_srcdir/src/libcpaprof/api" -I"$tmp/zlib" -c -o "$tmp/one.o" "$source"
	done >"$tmp/log" 2>&1
	if [ -s "$tmp/log" ]; then
		sed 's/^/# /' "$tmp/log"
		printf 'not '
	fi
	echo "ok $count - src/$folder"
done
echo "1..$count"
