#!/bin/sh
# t266-browser-web-flame.t - the flame graph of the web UI in a browser: zoom, search, filters, details, comparisons
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/browser/browser.sh"

"$browser_python" "$top_srcdir/tests/browser/hostile.py" "$tmp/names.pb" || exit 1
"$browser_python" "$top_srcdir/tests/browser/many.py" "$tmp/many.prof" || exit 1
"$CPA" flame --format=folded go-cpu.pb.gz >"$tmp/cpu.folded"
"$CPA" flame --format=folded --inverted go-cpu.pb.gz >"$tmp/inverted.folded"
"$CPA" flame --format=folded -addresses "$tmp/many.prof" >"$tmp/many.folded"
export CPA
browser web_flame.py "$tmp"
