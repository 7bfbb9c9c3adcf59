#!/bin/sh
# t812-http-many.t - the server of /debug/pprof with 1000 connections: fair slots, no leaks
# SPDX-License-Identifier: Apache-2.0
: "${top_srcdir:?}" "${top_builddir:?}" "${PYTHON3:?}"
exec "$PYTHON3" "$top_srcdir/tests/runtime/http_client.py" many "$top_builddir/tests/runtime/http_server"
