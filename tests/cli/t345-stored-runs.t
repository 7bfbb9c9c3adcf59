#!/bin/sh
# t345-stored-runs.t - cpa gate and cpa trend divide sources store:
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

# sources SIDE: the sources that gate printed, one a line
sources() {
	"${PYTHON3:-python3}" -c 'import json, sys
print("\n".join(json.load(open(sys.argv[1]))[sys.argv[2]]["sources"]))' "$tmp/gate.json" "$1"
}
# gate ARG...: writes $tmp/gate.json and $tmp/err
gate() {
	"$CPA" gate --json="$tmp/gate.json" "$@" >"$tmp/out" 2>"$tmp/err"
	[ $? -ne 2 ] || note "$tmp/err"
}

gate 'store:shop@2026-11-22T14Z+30m' -- 'store:shop@2026-11-22T14Z+30m'
sources base >"$tmp/base"
cat >"$tmp/expected" <<'END'
store:shop/cpu{instance=h1:6060}@2026-11-22T14:00:00Z..2026-11-22T14:30:00Z+runs=1
store:shop/cpu{instance=h2:6060}@2026-11-22T14:00:00Z..2026-11-22T14:30:00Z+runs=1
store:shop/cpu{instance=h3:6060}@2026-11-22T14:00:00Z..2026-11-22T14:30:00Z+runs=1
END
diff "$tmp/expected" "$tmp/base" >"$tmp/diff"
result $? "three instances are three runs"
! grep -q 'hours of the day' "$tmp/err"
result $? "no warning for the same hours"

# 1020 and 1620 samples of one instance: 3 and 5 slices with the same number of profiles
gate 'store:shop{version=1.1}' -- 'store:shop{version=1.3}'
sources base >"$tmp/base"
sources new >"$tmp/new"
cat >"$tmp/expected" <<'END'
store:shop/cpu{version=1.1}@2026-11-22T14:00:00Z..2026-11-22T14:20:00Z+runs=1
store:shop/cpu{version=1.1}@2026-11-22T14:20:00Z..2026-11-22T14:40:00Z+runs=1
store:shop/cpu{version=1.1}@2026-11-22T14:40:00Z..2026-11-23T14:00:00Z+runs=1
END
diff "$tmp/expected" "$tmp/base" >"$tmp/diff" && [ "$(wc -l <"$tmp/new")" -eq 5 ]
result $? "one instance is divided by time"
cp "$tmp/gate.json" "$tmp/first.json"

# the printed sources give the same verdict
# shellcheck disable=SC2046 # a list of sources
gate $(cat "$tmp/base") -- $(cat "$tmp/new")
cmp "$tmp/first.json" "$tmp/gate.json"
result $? "the printed sources give the same result"

gate 'store:shop{version=1.1}@2026-11-22T14Z+runs=6' -- 'store:shop@2026-11-22T14Z+runs=instance'
[ "$(sources base | wc -l)" -eq 6 ] && [ "$(sources new | wc -l)" -eq 3 ]
result $? "runs= decides the number of runs"

# 14 instances: 12 runs, two of which have two instances
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do
	$make "$tmp/many$i" cpu $start 60 10
	"$CPA" store import --service=many --label=instance=m$i:1 "$tmp/many$i" || exit 1
done >"$tmp/out"
gate 'store:many@2026-11-22T14Z+5m' -- 'store:many@2026-11-22T14:05Z+5m'
[ "$(sources base | wc -l)" -eq 12 ] && [ "$(sources base | grep -c '=~')" -eq 2 ]
result $? "more than 12 instances are distributed"
grep -q 'different hours of the day' "$tmp/err"
result $? "gate warns about different hours of the day"

"$CPA" trend --all 'store:shop/heap@2026-11-22T14Z' >"$tmp/out" 2>"$tmp/err" &&
	grep -q '^LAST:  store:shop/heap@2026-11-22T14:55:00Z..2026-11-22T15:00:00Z+runs=1,' "$tmp/out" &&
	grep -q '12 profiles over' "$tmp/out" && grep -q '5.86kB *113.28kB.*hold' "$tmp/out"
status=$?
[ $status -eq 0 ] || note "$tmp/out"
result $status "trend reads a source per step"
"$CPA" trend 'store:shop/heap@2026-11-22T14Z+step=20m' 2>/dev/null | grep -q '3 profiles over'
result $? "step= sets the step of trend"
fails 'more than 2000 steps' trend 'store:shop/heap@2026-11-22T14Z+step=1s'
"$CPA" gate 'store:shop@2026-11-21' -- "store:shop$hour" 2>&1 | grep -q 'nothing of shop'
result $? "gate names the nearest profile"
done_testing
