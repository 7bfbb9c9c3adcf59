#!/bin/sh
# t820-http-end.t - the server of /debug/pprof: stop, closed descriptors, rate limit, idle sleep
# SPDX-License-Identifier: Apache-2.0
: "${top_srcdir:?}" "${top_builddir:?}" "${PYTHON3:?}"
exec "$PYTHON3" "$top_srcdir/tests/runtime/http_client.py" end "$top_builddir/tests/runtime/http_server"
