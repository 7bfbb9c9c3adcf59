#!/bin/sh
# unwind_symbols.t - the stack walker calls no function of the C library, whatever the compiler generates
# SPDX-License-Identifier: Apache-2.0
: "${top_srcdir:?}" "${top_builddir:?}"

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
count=0
for cc in gcc clang aarch64-linux-gnu-gcc; do
	for level in -O1 -O2 -O3; do
		count=$((count + 1))
		if ! command -v $cc >/dev/null; then
			echo "ok $count - $cc $level # SKIP no $cc"
			continue
		fi
		: >"$tmp/found"
		for source in "$top_srcdir"/src/libcpaprof/target/unwind/*.c; do
			case $source in
			*/snapshot.c) continue ;; # not for handlers
			esac
			$cc -std=gnu17 $level -fPIC -I"$top_builddir" -I"$top_srcdir/src" -c -o "$tmp/one.o" "$source" \
				>>"$tmp/found" 2>&1
			# GNU nm reads objects of all machines; __aarch64_ are atomics of libgcc
			nm -u "$tmp/one.o" | sed -n '/ __aarch64_[a-z0-9_]*$/d; / _dl_find_object$/d; / cpi_unwind_[a-z_]*$/d; / _GLOBAL_OFFSET_TABLE_$/d
				s/^/'"$(basename "$source")"' calls /p' >>"$tmp/found"
		done
		if [ -s "$tmp/found" ]; then
			sed 's/^/# /' "$tmp/found"
			printf 'not '
		fi
		echo "ok $count - $cc $level makes no call to the C library"
	done
done
echo "1..$count"
