#!/bin/sh
# t881-scrape.t - what Parca and Pyroscope ask programs for is what they get, linked and under cpa run
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/served.sh"
. "$top_srcdir/tests/runtime/known.sh"
exec_python known_scrape.py
