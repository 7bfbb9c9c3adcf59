#!/bin/sh
# warnings.t - clang has no warnings for the C files; the build has those of gcc
# SPDX-License-Identifier: Apache-2.0
cd "${top_builddir:?}" || exit 1

if ! command -v clang >/dev/null; then
	echo '1..0 # SKIP clang not found: apt-get install clang'
	exit 0
fi
echo 1..1
# shellcheck disable=SC2086 # flags from make check, one word each
if said=$(find "${top_srcdir:?}/src" "$top_srcdir/viewers" "$top_srcdir/tests" -name '*.c' ! -path '*/lint/options.c' -print0 |
	xargs -0 -P 2 -n 16 clang -std=gnu17 -fsyntax-only -Werror -Wall -Wextra -Wshadow -Wstrict-prototypes \
		-Wmissing-prototypes -DHAVE_CONFIG_H -DTARGET=legacy_read_cpu -I. -I"$top_srcdir" \
		-I"$top_srcdir/src" -I"$top_srcdir/src/libcpaprof/api" -Isrc -Iproto ${HEADERS_CFLAGS:-} 2>&1); then
	echo 'ok 1 - clang reports no warnings'
else
	printf '%s\n' "$said" | sed 's/^/# /'
	echo 'not ok 1 - clang reports no warnings'
fi
