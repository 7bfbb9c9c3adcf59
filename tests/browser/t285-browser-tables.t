#!/bin/sh
# t285-browser-tables.t - tables of the web UI in a browser
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/browser/browser.sh"
export XDG_CONFIG_HOME="$tmp/config"
browser table_pages.py go-cpu.pb.gz edge/names-hostile.pb.gz
