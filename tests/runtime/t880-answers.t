#!/bin/sh
# t880-answers.t - a program that serves its profiles answers what a server of Go does, linked and under cpa run
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/served.sh"
. "$top_srcdir/tests/runtime/known.sh"
exec_python known_answers.py
