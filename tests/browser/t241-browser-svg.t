#!/bin/sh
# t241-browser-svg.t - flame graphs as SVG in a browser: zoom, search, links, keys, hostile names
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/browser/browser.sh"

"$browser_python" "$top_srcdir/tests/browser/hostile.py" "$tmp/names.pb" || exit 1
"$CPA" flame go-cpu.pb.gz >"$tmp/plain.svg"
"$CPA" flame --icicle go-cpu.pb.gz >"$tmp/icicle.svg"
"$CPA" flame -base compare/build-base.pb.gz compare/build-new.pb.gz >"$tmp/diff.svg"
"$CPA" flame --inverted rust-cpu.pb.gz >"$tmp/rust.svg"
"$CPA" flame cpp-cpu.pb.gz >"$tmp/cpp.svg"
"$CPA" flame edge/deep-stack.pb.gz >"$tmp/deep.svg"
"$CPA" flame -focus=nobody edge/names-hostile.pb.gz >"$tmp/empty.svg" 2>/dev/null
"$CPA" flame "$tmp/names.pb" >"$tmp/names.svg"
"$CPA" flame --format=folded go-cpu.pb.gz >"$tmp/plain.folded"
browser svg.py "$tmp"
