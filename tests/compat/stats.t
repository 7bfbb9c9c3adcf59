#!/bin/sh
# stats.t - the distributions of the gate agree with SciPy, on thousands of random arguments
# SPDX-License-Identifier: Apache-2.0
#
# SciPy comes from the system (apt-get install python3-scipy), or from the python3 that configure found.
. "${top_srcdir:?}/tests/cli/lib.sh"
check=$top_srcdir/tests/compat/stats.py
dump=${top_builddir:?}/tests/compat/stats_dump

python=
for p in "${PYTHON3:-python3}" /usr/bin/python3; do
	"$p" -c 'import scipy' 2>/dev/null && python=$p && break
done
if [ -z "$python" ]; then
	result 0 'the distributions of the gate agree with SciPy # SKIP no python3-scipy'
	done_testing
	exit
fi
"$python" "$check" list >"$tmp/list"
while read -r what; do
	"$python" "$check" "$dump" "$what" >"$tmp/said" 2>&1
	status=$?
	[ $status -eq 0 ] || note "$tmp/said"
	result $status "$what: the same as in SciPy"
done <"$tmp/list"
done_testing
