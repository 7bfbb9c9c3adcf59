#!/bin/sh
# t383-push-half-open.t - connections that are silent, slow or idle, hundreds at once, do not delay pushes of others
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/collect.sh"
export PYTHONDONTWRITEBYTECODE=1
cd "$tmp" || exit 1
trap 'kill $collector_pid 2>/dev/null; wait; rm -rf "$tmp"' EXIT
"${PYTHON3:-python3}" "$top_srcdir/tests/cli/stored_profiles.py" cpu cpu $(($(date +%s) - 120)) 10 1
printf 'push-rate 0\nlisten 127.0.0.1:0\n' >push.cpa
collector push.cpa
at=$(listening)
# Before, the longest push took 30 seconds, and some were closed.
for addresses in 1 100; do
	modes=$([ $addresses = 1 ] && echo silent || echo 'ooze flood')
	# shellcheck disable=SC2086
	"${PYTHON3:-python3}" "$top_srcdir/tests/cli/half_open.py" "$at" cpu/000.pb.gz 400 $addresses 2 $modes >got 2>err || note err
	while read -r mode _ _ _ longest _ failed _ open rest; do
		is_equal "$failed" 0 "$mode, $addresses addresses: no push fails"
		[ "$longest" -lt 10000 ] && [ "$open" -gt 200 ]
		result $? "$mode, $addresses addresses: no push waits"
		: "$rest"
	done <got
	note got
done
is_equal "$count" 6 'all were measured'
collector_end TERM
is_equal "$status" 0 'the collector ends'
done_testing
