#!/bin/sh
# t884-trace.t - programs serve valid timelines, linked and under cpa run
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/served.sh"
. "$top_srcdir/tests/runtime/known.sh"
exec_python known_trace.py
