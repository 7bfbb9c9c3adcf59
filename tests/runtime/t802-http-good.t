#!/bin/sh
# t802-http-good.t - the server of /debug/pprof accepts all forms of requests and bodies
# SPDX-License-Identifier: Apache-2.0
: "${top_srcdir:?}" "${top_builddir:?}" "${PYTHON3:?}"
exec "$PYTHON3" "$top_srcdir/tests/runtime/http_client.py" good "$top_builddir/tests/runtime/http_server"
