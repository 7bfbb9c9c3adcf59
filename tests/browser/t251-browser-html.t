#!/bin/sh
# t251-browser-html.t - flame graphs as pages in a browser: numbers, zoom, search, links, keys, hostile names
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/browser/browser.sh"

"$browser_python" "$top_srcdir/tests/browser/hostile.py" "$tmp/names.pb" || exit 1
"$browser_python" "$top_srcdir/tests/browser/hostile.py" "$tmp/deep.pb" 1500 || exit 1
"$browser_python" "$top_srcdir/tests/browser/large.py" "$tmp/large.pb" || exit 1
"$browser_python" "$top_srcdir/tests/browser/many.py" "$tmp/many.prof" || exit 1
draw() {
	name=$1
	shift
	for format in html svg; do "$CPA" flame --format=$format --min-width=0 "$@" >"$tmp/$name.$format" 2>"$tmp/err"; done
}
draw plain go-cpu.pb.gz
draw heap go-heap2.pb.gz
draw inverted --inverted --icicle --theme=dark go-cpu.pb.gz
draw heat --color-by=heat --order=weight -unit=s go-cpu.pb.gz
draw diff -base compare/build-base.pb.gz compare/build-new.pb.gz
draw self --diff-self -base compare/build-base.pb.gz compare/build-new.pb.gz
draw self-inverted --inverted --diff-self -base compare/build-base.pb.gz compare/build-new.pb.gz
draw heat-inverted --inverted --color-by=heat go-cpu.pb.gz
draw names "$tmp/names.pb"
draw large "$tmp/large.pb"
draw large-gb -unit=gb "$tmp/large.pb"
draw counts -sample_index=alloc_objects go-allocs.pb.gz
draw counts-diff -sample_index=alloc_objects -base go-heap1.pb.gz go-heap2.pb.gz
draw empty -focus=nobody edge/names-hostile.pb.gz
"$CPA" flame --format=html --min-width=10 go-cpu.pb.gz >"$tmp/cut.html"
"$CPA" flame --format=html "$tmp/deep.pb" >"$tmp/deep.html"
"$CPA" flame --format=html --min-width=0 -addresses "$tmp/many.prof" >"$tmp/many.html"
"$CPA" flame --format=folded go-cpu.pb.gz >"$tmp/plain.folded"
"$CPA" flame --format=folded --inverted go-cpu.pb.gz >"$tmp/inverted.folded"
"$CPA" top -nodecount=100000 -nodefraction=0 go-cpu.pb.gz >"$tmp/plain.top"
browser flame_html.py "$tmp"
