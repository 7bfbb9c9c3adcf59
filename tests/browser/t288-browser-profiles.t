#!/bin/sh
# t288-browser-profiles.t - several profiles in a browser: dropped files, differences, captures
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/browser/browser.sh"

export CPA
browser web_profiles.py "$top_srcdir/tests/cli/profile_server.py"
