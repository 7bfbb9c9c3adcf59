#!/bin/sh
# web_recorded.t - cpa -http gives the recorded responses of pprof -http
# SPDX-License-Identifier: Apache-2.0
#
# RECORD=PPROF records the responses of that program again (see script/golden).
cpa_itself=$CPA
. "${top_srcdir:?}/tests/cli/lib.sh"

here=$top_srcdir/tests/compat
export HOME=/nonexistent PPROF_BINARY_PATH=/nonexistent PPROF_TMPDIR="$tmp"
[ -z "${RECORD:-}" ] || "${PYTHON3:-python3}" -B "$here/web.py" record "$RECORD" "$here/web"
"${PYTHON3:-python3}" -B "$here/web.py" recorded "$cpa_itself" "$here/web"
