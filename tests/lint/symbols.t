#!/bin/sh
# symbols.t - the rules of symbols.py on the objects of this build
# SPDX-License-Identifier: Apache-2.0
: "${top_srcdir:?}" "${top_builddir:?}"
python3=${PYTHON3:-python3}
for program in "$python3" nm; do
	if ! command -v "$program" >/dev/null; then
		echo "1..0 # SKIP $program not found: apt-get install python3 binutils"
		exit 0
	fi
done
"$python3" -B "$top_srcdir/tests/lint/symbols.py" "$top_srcdir" "$top_builddir" || :
