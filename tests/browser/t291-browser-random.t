#!/bin/sh
# t291-browser-random.t - random clicks and keys on the web UI for 20 seconds; web_random.py 3600 runs for an hour
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/browser/browser.sh"

browser web_random.py 20
