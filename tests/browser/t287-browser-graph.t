#!/bin/sh
# t287-browser-graph.t - call graph, source and instructions of the web UI in a browser
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/browser/browser.sh"
command -v dot >/dev/null || {
	echo "1..0 # SKIP Graphviz is not installed"
	exit 0
}
export XDG_CONFIG_HOME="$tmp/config"
browser graph_pages.py go-cpu.pb.gz edge/names-hostile.pb.gz
