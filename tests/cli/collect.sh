# collect.sh - functions for tests of a running collector; source it after lib.sh
# SPDX-License-Identifier: Apache-2.0
#
# collector ARG...: starts cpa collect on $tmp/store; messages are in $tmp/log.collect; waits until it listens
# collector_end [SIGNAL]: ends it; its status is in $status
# client METHOD PATH [HEADER...]: sends a request over its socket; the status of HTTP is in $code, the body in $tmp/body,
#     the headers in $tmp/client.err
# client_at ADDRESS METHOD PATH...: the same for an address
# listening: prints HOST:PORT of the first --listen or listen line
# waits DESCRIPTION COMMAND...: checks that a command succeeds within a minute

export XDG_RUNTIME_DIR="${tmp:?}/run" CPA_STORE="$tmp/store"
mkdir -m 700 "$tmp/run"
collector_pid=

collector() {
	: >"$tmp/log.collect" # the log of an earlier collector has the line, too
	"$CPA" collect --store="$tmp/store" "$@" 9>&- >"$tmp/out.collect" 2>"$tmp/log.collect" &
	collector_pid=$!
	for _ in $(seq 600); do
		grep -q '^cpa: status: ' "$tmp/log.collect" && return
		kill -0 "$collector_pid" 2>/dev/null || break
		sleep 0.1
	done
	note "$tmp/log.collect"
}

listening() {
	"$CPA" collect --status --store="$tmp/store" --json |
		"${PYTHON3:-python3}" -c 'import json, sys; print(json.load(sys.stdin)["listen"][1].rpartition("/")[2])'
}

collector_end() {
	kill "-${1:-TERM}" "$collector_pid"
	wait "$collector_pid"
	# shellcheck disable=SC2034 # for the tests
	status=$?
	collector_pid=
}

client_at() {
	"${PYTHON3:-python3}" "${top_srcdir:?}/tests/cli/collect_client.py" "$@" >"$tmp/answer" 2>"$tmp/client.err"
	# shellcheck disable=SC2034 # for the tests
	code=$(head -n 1 "$tmp/answer")
	tail -n +2 "$tmp/answer" >"$tmp/body"
}

client() {
	client_at "$tmp/store" "$@"
}

waits() {
	description=$1
	shift
	for _ in $(seq 600); do
		"$@" >/dev/null 2>&1 && break
		sleep 0.1
	done
	"$@" >"$tmp/waited" 2>&1
	waited=$?
	[ "$waited" -eq 0 ] || note "$tmp/waited"
	result "$waited" "$description"
}
