#!/bin/sh
# t381-collect-watch.t - the watch lines of collect.cpa: alarms beside the collector, reload, end, mistakes
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
export CPA_STORE="$tmp/store" PYTHONDONTWRITEBYTECODE=1 XDG_RUNTIME_DIR="$tmp"

"${PYTHON3:-python3}" "$top_srcdir/tests/cli/watch_history.py" "$tmp/slow" slow 1 yes >"$tmp/planted" || exit 1
"$CPA" store import --service=slow "$tmp/slow" >"$tmp/out" || exit 1
read -r function _ <"$tmp/planted"
cat >"$tmp/c.cpa" <<END
watch --every=6h "--exec=cat >$tmp/alarm" store:s*
END
"$CPA" collect "$tmp/c.cpa" >"$tmp/out" 2>"$tmp/err" &
collector=$!
trap 'kill $collector; rm -rf "$tmp"' EXIT
wait_for() { # COMMAND...: up to 30 s
	for _ in $(seq 150); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.2
	done
	note "$tmp/err"
	return 1
}
marks() { "$CPA" store ls --marks | grep -c 'cpu FAIL'; }
has_mark() { [ "$(marks)" -ge 1 ]; }
wait_for has_mark && grep -q "\"$function\"" "$tmp/alarm"
result $? 'an alarm beside the collector, whose mark the collector adds'
watchers() { # processes of the lines
	cat "/proc/$collector/task/"*/children
}
number() { # of these processes
	watchers | wc -w
}
[ "$(number)" -eq 1 ]
result $? 'a line is a process'
echo 'watch store:slow' >>"$tmp/c.cpa"
kill -HUP "$collector"
two() { [ "$(number)" -eq 2 ]; }
wait_for two
result $? 'SIGHUP starts another line'
echo 'watch --every=7h store:slow' >>"$tmp/c.cpa"
kill -HUP "$collector"
wait_for grep -q "reload=failed error=\".*c.cpa:3: watch: --every=7h: not a divisor" "$tmp/err" && two
result $? 'a line that is wrong leaves the others as they are'
watchers | tr ' ' '\n' | grep . >"$tmp/children"
kill "$collector"
wait "$collector"
none() {
	while read -r pid; do ! kill -0 "$pid" || return 1; done <"$tmp/children"
}
wait_for none
result $? 'they end with the collector'

echo 'watch --every=7h store:slow' >"$tmp/bad.cpa"
fails 'bad.cpa:1: watch: --every=7h: not a divisor of a day' collect --check "$tmp/bad.cpa"
echo 'watch' >"$tmp/bad.cpa"
fails 'bad.cpa:1: expected watch \[OPTION\]' collect --check "$tmp/bad.cpa"
echo 'watch store:slow@-1d' >"$tmp/bad.cpa"
fails 'bad.cpa:1: watch: store:slow@-1d: a watch line has no window' collect --check "$tmp/bad.cpa"
echo 'watch --once store:slow' >"$tmp/bad.cpa"
fails 'bad.cpa:1: watch: --once has no place in a watch line' collect --check "$tmp/bad.cpa"
done_testing
