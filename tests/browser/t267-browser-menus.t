#!/bin/sh
# t267-browser-menus.t - the menus, chips and forms of the web UI in a browser, with and without scripts
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/browser/browser.sh"

export CPA
browser web_menus.py "$tmp/config"
