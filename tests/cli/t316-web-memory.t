#!/bin/sh
# t316-web-memory.t - cpa -http while allocations fail: requests are answered, and the server continues
# SPDX-License-Identifier: Apache-2.0
program=${CPA:?}
. "${top_srcdir:?}/tests/cli/lib.sh"
if readelf -W --dyn-syms "$program" | grep -q "__[at]san_init"; then
	echo "1..0 # SKIP sanitizers replace malloc"
	exit 0
fi
if ! ${CC:-cc} -O1 -shared -fPIC -o "$tmp/fail_alloc.so" "$top_srcdir/tests/cli/fail_alloc.c" 2>"$tmp/cc"; then
	echo "1..0 # SKIP there is no C compiler"
	exit 0
fi
TMPDIR=$tmp python3 -B "$top_srcdir/tests/cli/web_routes.py" "$TESTDATA" --fail "$tmp/fail_alloc.so"
