#!/bin/sh
# t881-scrape.t - Parca and Pyroscope can scrape programs, linked and under cpa run
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/served.sh"
. "$top_srcdir/tests/runtime/known.sh"
exec_python known_scrape.py
