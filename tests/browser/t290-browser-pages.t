#!/bin/sh
# t290-browser-pages.t - each page of the web UI in a browser: width, focus, console, accessibility
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/browser/browser.sh"

# axe-core checks accessibility; npm downloads it.
version=4.14.1 cache="${top_builddir:?}/tests/browser/axe-core"
axe=-
if [ ! -s "$cache/package/axe.min.js" ] && command -v npm >/dev/null; then
	mkdir -p "$cache" && (cd "$cache" && timeout 60 npm pack --silent "axe-core@$version" >npm.log 2>&1 && tar -xzf "axe-core-$version.tgz")
fi
if [ -s "$cache/package/axe.min.js" ]; then
	axe=$cache/package/axe.min.js
elif command -v npm >/dev/null; then
	echo '# accessibility is not checked: npm cannot download axe-core'
else
	echo '# accessibility is not checked: npm not found: apt-get install npm'
fi
browser web_pages.py "$axe" ${PICTURES:+"$PICTURES"}
