# server.sh - functions for tests that fetch from server.py; source it after lib.sh
# SPDX-License-Identifier: Apache-2.0
#
# server=FILE, set before sourcing, selects another server in this folder.
# server_start PROFILE [CERT KEY CLIENT_CA]: starts the server and sets $host to its host:port, $sock to its
# socket and $tls to its TLS port. Fetched profiles are saved in $saved.
# server_log: prints the requests since the last call.

: "${tmp:?}"
if ! command -v "${PYTHON3:-python3}" >/dev/null; then
	echo "1..0 # SKIP no python3"
	exit 0
fi
if ! "${PYTHON3:-python3}" -c 'import ctypes; ctypes.CDLL("libcurl.so.4")' 2>/dev/null; then
	echo "1..0 # SKIP no libcurl"
	exit 0
fi
saved=$tmp/saved
export PPROF_TMPDIR="$saved" PPROF_BINARY_PATH=/nowhere
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY all_proxy ALL_PROXY no_proxy NO_PROXY DEBUGINFOD_URLS

server_start() {
	mkfifo "$tmp/end"
	"${PYTHON3:-python3}" "${top_srcdir:?}/tests/cli/${server:-server.py}" "$tmp" "$@" <"$tmp/end" 2>"$tmp/server.err" &
	server_pid=$!
	exec 9>"$tmp/end" # the server stops when this shell exits
	trap 'exec 9>&-; kill "$server_pid" 2>/dev/null; wait "$server_pid" 2>/dev/null; rm -rf "$tmp"' EXIT
	for _ in $(seq 100); do
		[ -s "$tmp/ports" ] && break
		sleep 0.1
	done
	read -r port tls <"$tmp/ports" || { note "$tmp/server.err" && exit 1; }
	host=127.0.0.1:$port
	sock=$tmp/sock
	export host tls sock
}

server_log() {
	cat "$tmp/log"
	: >"$tmp/log"
}

# refused PATTERN ARG...: checks that cpa fails with status 2, prints one line that matches PATTERN besides
# the progress messages, and writes no file
refused() {
	pattern=$1
	shift
	rm -rf "$saved"
	"$CPA" "$@" 9>&- >"$tmp/out" 2>"$tmp/err"
	status=$?
	grep -v -e 'Fetching profile' -e 'Please wait' "$tmp/err" >"$tmp/rest"
	if [ "$status" -eq 2 ] && [ ! -s "$tmp/out" ] && [ ! -e "$saved" ] && [ "$(wc -l <"$tmp/rest")" -eq 1 ] &&
		grep -q -e "$pattern" "$tmp/rest"; then
		result 0 "cpa $* fails with: $pattern"
	else
		note "$tmp/err"
		result 1 "cpa $* fails with: $pattern (status $status)"
	fi
}

# fetches DESCRIPTION ARG...: checks that cpa ARG... prints $tmp/want, the report of the file that the server sends
fetches() {
	description=$1
	shift
	"$CPA" "$@" 9>&- >"$tmp/got" 2>"$tmp/err" || note "$tmp/err"
	same "$description" "$tmp/want" "$tmp/got"
}
