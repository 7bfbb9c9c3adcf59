#!/bin/sh
# t340-stored.t - sources store: in reports, comparisons and shells; values are known from tests/cli/stored_profiles.py
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
make="${PYTHON3:-python3} $top_srcdir/tests/cli/stored_profiles.py"
export CPA_STORE="$tmp/store"
start=1795356000 # 2026-11-22T14:00:00Z

for i in 1 2 3; do
	$make "$tmp/cpu$i" cpu $start 60 60 $i
	"$CPA" store import --service=shop --label=instance=h$i:6060 --label=version=1.$i "$tmp/cpu$i" || exit 1
done >"$tmp/out"
for kind in heap mutex; do
	$make "$tmp/$kind" $kind $start 60 60
	for i in 1 2; do
		"$CPA" store import --service=shop --label=instance=h$i:6060 "$tmp/$kind" || exit 1
	done
done >>"$tmp/out"
hour='@2026-11-22T14Z'

# prints PATTERN ARG...: "cpa ARG..." succeeds and prints a line that matches PATTERN, on any output
prints() {
	pattern=$1
	shift
	"$CPA" "$@" >"$tmp/all" 2>&1 && grep -Eq -e "$pattern" "$tmp/all"
	status=$?
	[ $status -eq 0 ] || note "$tmp/all"
	result $status "cpa $* prints $pattern"
}

# per minute 12 samples of 10 ms in work, on average, and 5, 10 or 15 in wait
prints '^ *21.60s 54.55% 54.55%     21.60s 54.55%  work$' top "store:shop$hour"
prints '^store: shop/cpu, 180 profiles of 3 instances, raw, 2026-11-22 14:00..15:00 UTC; versions 1.1, 1.2, 1.3$' comments "store:shop$hour"
prints '^store: shop/cpu, 60 profiles of 1 instance, raw,' top "store:shop{instance=h1:6060}$hour"
[ "$(grep -c 'store: shop/cpu' "$tmp/all")" -eq 1 ]
result $? 'what was read is said once, in the report'
prints '^cpa: store: shop/cpu, 60 profiles of 1 instance, raw,' top --json "store:shop{instance=h1:6060}$hour"
prints '^cpa: store: shop/cpu, 60 profiles of 1 instance, raw,' top -o "$tmp/top" "store:shop{instance=h1:6060}$hour"
prints '^ *15s 51.02%' top "store:sh?p{instance=~\"h[23].*\",version!=9}$hour"
prints '^ *18s 45.45%' top --store="$tmp/store" "store:shop$hour"
prints '^ *18s 45.45%' top "store:$tmp/store#shop$hour"
prints 'Total samples = 19.80s' top 'store:shop@2026-11-22T14Z..2026-11-22T14:30Z' # the end is excluded

# two instances; inuse_space is a mean, alloc_space an increase, contention too
prints '^ *31000B *100%' top -unit=B 'store:shop/heap@2026-11-22T14:10Z+10m'
prints '^ *100000B *100%' top -unit=B -alloc_space 'store:shop/heap@2026-11-22T14:10Z+10m'
prints '^ *140us *100%' top 'store:shop/mutex@2026-11-22T14:10Z+10m'
prints '^ *2.17ms *100%' top 'store:shop/mutex@2026-11-22T14:10Z+10m+reduce=sum'

# labels of series that options name are kept
prints '10.20s 25.76%  h1:6060$' top -tagroot=instance "store:shop$hour"
prints '16.20s 40.91%  h3:6060$' top --by=label:instance "store:shop$hour"
prints 'Showing nodes accounting for 10.20s, 25.76%' top -tagfocus=version=1.1 "store:shop$hour"
prints '16.20s \(40.91%\): 1.3$' tags "store:shop$hour+keep=version"

prints '^ *6s 58.82% 58.82% ' top -diff_base="store:shop{version=1.1}" "store:shop{version=1.3}"
prints '^ *6s   100%   100% ' top -base="store:shop{version=1.1}" "store:shop{version=1.3}"
prints '^ *3s *9s *\+6s  \+200.0%' diff "store:shop{version=1.1}" "store:shop{version=1.3}"
prints 'NEW .after.:   store:shop/cpu\{version=1.3\}@2026-11-22T14:00:00Z\.\.2026-11-23T14:00:00Z' \
	diff "store:shop{version=1.1}" "store:shop{version=1.3}"
prints 'Generating report in' flame -o "$tmp/x.svg" "store:shop$hour"
printf 'top\nquit\n' | "$CPA" --plain "store:shop$hour" 2>&1 | grep -q '21.60s 54.55%'
result $? "the prompt opens a store"
"$CPA" --keys='Show' "store:shop$hour" 2>/dev/null | grep -q work
result $? "the full screen opens a store"
# nothing is saved
[ ! -e "$XDG_STATE_HOME/cpa/profiles" ]
result $? "profiles of a store are not saved again"

fails 'nothing of shop in 2026-11-22 15:00..16:00 UTC; the last profile before it is of 2026-11-22 14:59' top 'store:shop@2026-11-22T15Z'
fails 'no.such.* cpa store import' top --store="$tmp/no.such" store:shop
fails 'character 19: = in the service; .* single quotes' top store:shopinstance=h1
fails 'character 12: not a time' top store:shop@tomorrow
fails 'shop has no deploy mark' top store:shop@deploy
"$CPA" top store:6060 2>&1 | grep -q 'from http://store:6060/debug/pprof/profile'
result $? "store:6060 is a host"
"$CPA" store mark shop deploy 'version 1.4' && fails 'nothing of shop' top store:shop@deploy:1.4-1m
prints '21.60s' top 'store:shop@2026-11-22..deploy:1.4'
done_testing
