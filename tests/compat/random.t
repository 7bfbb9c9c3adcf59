#!/bin/sh
# random.t - cpa answers random command lines as pprof does
# SPDX-License-Identifier: Apache-2.0
# SEED=1000 COUNT=500 tests other command lines.
. "${top_srcdir:?}/tests/compat/pprof.sh"
"${PYTHON3:-python3}" -B "$top_srcdir/tests/compat/random_lines.py" "$CPA" "$pprof" "${SEED:-1}" "${COUNT:-150}"
