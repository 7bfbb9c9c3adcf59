# page.sh - functions for tests of the web UI: start cpa -http, request its pages
# SPDX-License-Identifier: Apache-2.0
#
# Source it after lib.sh. Tests are skipped without curl or libmicrohttpd.

: "${tmp:?}" "${CPA:?}"
page_pid=
trap 'page_stop; rm -rf "$tmp"' EXIT

# page_start ARG...: serves "cpa ARG..." and sets url to the address of its pages, without a slash at the end
page_start() {
	: >"$tmp/server"
	"$CPA" -http=127.0.0.1:0 -no_browser "$@" >>"$tmp/server" 2>&1 &
	page_pid=$!
	url=
	while [ -z "$url" ] && kill -0 "$page_pid" 2>/dev/null; do
		sleep 0.05
		url=$(sed -n 's/^Serving web UI on \(http:[^ ]*[^/ ]\).*/\1/p' "$tmp/server" | head -n 1)
	done
	[ -n "$url" ] || note "$tmp/server"
}

page_stop() {
	[ -z "$page_pid" ] || kill "$page_pid" 2>/dev/null
	[ -z "$page_pid" ] || wait "$page_pid" 2>/dev/null
	page_pid=
}

# page PATH [ACCEPT]: requests $url/ui/PATH as a browser does, or with another Accept header, again while the profile is
# loaded; sets status, writes the body to $tmp/page and the header to $tmp/head
page() {
	# shellcheck disable=SC2034 # for the tests
	status=$(curl -s -g -m 120 -D "$tmp/head" -o "$tmp/page" -w '%{http_code}' -H "Accept: ${2:-text/html}" "$url/ui/$1")
	grep -qF '<h1>Loading</h1>' "$tmp/page" 2>/dev/null || return 0
	sleep 0.05
	page "$@"
}

# has TEXT, has_not TEXT: is the text in the body of the last page?
has() {
	grep -qF -e "$1" "$tmp/page"
}
has_not() {
	! has "$1"
}

command -v curl >/dev/null || {
	echo "1..0 # SKIP curl is not installed"
	exit 0
}
