#!/bin/sh
# t293-browser-loading.t - the page that is shown while a profile loads, in a browser
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/browser/browser.sh"

export CPA
browser web_loading.py go-cpu.pb.gz "$tmp"
