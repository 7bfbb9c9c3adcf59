#!/bin/sh
# t880-answers.t - programs that serve profiles answer like servers written in Go, linked and under cpa run
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/served.sh"
. "$top_srcdir/tests/runtime/known.sh"
exec_python known_answers.py
