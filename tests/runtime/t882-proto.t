#!/bin/sh
# t882-proto.t - served profiles are complete, and exact where possible, linked and under cpa run
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/served.sh"
. "$top_srcdir/tests/runtime/known.sh"
command -v readelf >/dev/null || {
	echo '1..0 # SKIP readelf not found'
	exit 0
}
exec_python known_proto.py
