#!/bin/sh
# source.t - the rules of source.py on our C files
# SPDX-License-Identifier: Apache-2.0
: "${top_srcdir:?}"
python3=${PYTHON3:-python3}
if ! command -v "$python3" >/dev/null; then
	echo '1..0 # SKIP python3 not found: apt-get install python3'
	exit 0
fi
"$python3" -B "$top_srcdir/tests/lint/source.py" "$top_srcdir" || :
