#!/bin/sh
# t810-http-aborts.t - the server of /debug/pprof handles clients that disconnect, wait, or do not read
# SPDX-License-Identifier: Apache-2.0
: "${top_srcdir:?}" "${top_builddir:?}" "${PYTHON3:?}"
exec "$PYTHON3" "$top_srcdir/tests/runtime/http_client.py" aborts "$top_builddir/tests/runtime/http_server"
