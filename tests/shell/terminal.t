#!/bin/sh
# terminal.t - the screen on real terminals: drawing, keys, resize, suspend, and restoring the terminal at every exit
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
unset NO_COLOR

command -v "${PYTHON3:-python3}" >/dev/null || {
	echo '1..0 # SKIP no python3'
	exit 0
}
"${PYTHON3:-python3}" "$top_srcdir/tests/shell/terminal.py" "${top_builddir:?}/tests/shell/screen_probe" "${top_builddir:?}/src/cpa" go-cpu.pb.gz
