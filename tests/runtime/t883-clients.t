#!/bin/sh
# t883-clients.t - curl, pprof of Go and of gperftools, and cpa read profiles from programs, linked and under cpa run
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/served.sh"
. "$top_srcdir/tests/runtime/known.sh"
exec_python known_clients.py
