#!/bin/sh
# warnings.t - clang has nothing to say about the C files; gcc speaks in the build
# SPDX-License-Identifier: Apache-2.0
cd "${top_builddir:?}" || exit 1

if ! command -v clang >/dev/null; then
	echo '1..0 # SKIP clang not found: apt-get install clang'
	exit 0
fi
echo 1..1
# shellcheck disable=SC2086 # flags that make check tells, one word each
if said=$(find "${top_srcdir:?}/src" "$top_srcdir/viewers" "$top_srcdir/tests" -name '*.c' ! -path '*/lint/options.c' -print0 |
	xargs -0 -P 2 -n 16 clang -std=gnu17 -fsyntax-only -Werror -Wall -Wextra -Wshadow -Wstrict-prototypes \
		-Wmissing-prototypes -DHAVE_CONFIG_H -DTARGET=reader_cpu -I. -I"$top_srcdir" \
		-I"$top_srcdir/src" -I"$top_srcdir/src/libcpaprof/api" -Iproto ${HEADERS_CFLAGS:-} 2>&1); then
	echo 'ok 1 - clang warns of nothing'
else
	printf '%s\n' "$said" | sed 's/^/# /'
	echo 'not ok 1 - clang warns of nothing'
fi
