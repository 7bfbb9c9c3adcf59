#!/bin/sh
# t280-browser-access.t - the web UI in a browser: pages of other sites, the secret
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/browser/browser.sh"
export XDG_CONFIG_HOME="$tmp/config"
browser access_pages.py go-cpu.pb.gz
