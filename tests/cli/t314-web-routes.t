#!/bin/sh
# t314-web-routes.t - cpa -http: every route with no, one and several profiles of equal and different kinds, in parallel
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
TMPDIR=$tmp python3 -B "$top_srcdir/tests/cli/web_routes.py" "$TESTDATA"
