#!/bin/sh
# t330-heap-live.t - the live map under threads, with the thread sanitizer if available
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
touch config.h
for sanitizer in -fsanitize=thread ''; do
	# shellcheck disable=SC2086 # an option or none
	${CC:-cc} -std=gnu17 -D_GNU_SOURCE -O1 -g $sanitizer -I. -I"$top_srcdir/src" -o live \
		"$top_srcdir/tests/runtime/heap_live.c" -pthread 2>err && break
done
[ -x live ] || { echo '1..0 # SKIP no compiler'; exit 0; }
TSAN_OPTIONS=exitcode=66 ./live 2>report
status=$?
grep -m 20 '' report | sed 's/^/# /'
[ $status = 0 ] || echo "not ok 8 - no thread sees an unfinished change of another thread (status $status)"
