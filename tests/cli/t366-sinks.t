#!/bin/sh
# t366-sinks.t - a collector sends stored profiles to other systems: failures, outages, kills, trees of collectors, reloads; cpa push
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
export XDG_RUNTIME_DIR="$tmp/run"
mkdir -m 700 "$tmp/run" "$tmp/sinks"
"${PYTHON3:-python3}" -B "$top_srcdir/tests/cli/sink_test.py" "$CPA" "$tmp/sinks" scenarios denied outage kills tree reload push >"$tmp/out" 2>&1
status=$?
sed -n 's/^# //p; /^not ok/p' "$tmp/out" >"$tmp/notes"
note "$tmp/notes"
while read -r line; do
	case $line in
	'ok '*) result 0 "${line#* - }" ;;
	'not ok '*) result 1 "${line#* - }" ;;
	esac
done <"$tmp/out"
result $status 'all of them ran'

done_testing
