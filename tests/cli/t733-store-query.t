#!/bin/sh
# t733-store-query.t - servers of Pyroscope and Parca are read as stores: the numbers are those of a store with the same profiles
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/collect.sh"
cd "$tmp" || exit 1
fakes=
# shellcheck disable=SC2086 # words
trap 'kill $collector_pid $fakes 2>/dev/null; wait; rm -rf "$tmp"' EXIT
make="${PYTHON3:-python3} $top_srcdir/tests/cli/stored_profiles.py"
start=1795356000 # 2026-11-22T14:00:00Z
hour='@2026-11-22T14Z'

for i in 1 2; do
	$make "cpu$i" cpu $start 60 60 $i
	"$CPA" store import --service=shop --label=instance=h$i --label=version=1.$i "cpu$i" || exit 1
done >out
for kind in heap mutex; do
	$make "$kind" $kind $start 60 60
	"$CPA" store import --service=shop --label=instance=h1 "$kind" || exit 1
done >>out
$make later cpu $((start + 172800)) 60 60 1
"$CPA" store import --service=shop --label=instance=h1 --label=version=1.1 later >>out || exit 1
collector --listen=127.0.0.1:0
at=$(listening)

# fake NAME PROGRAM ARG...: starts a server; its address is in $address, its output in NAME.log
fake() {
	name=$1
	shift
	program=$1
	shift
	"${PYTHON3:-python3}" "$top_srcdir/tests/cli/$program" "$@" 9>&- >"$name.log" 2>"$name.err" &
	fakes="$fakes $!"
	for _ in $(seq 600); do
		[ -s "$name.log" ] && break
		sleep 0.1
	done
	# shellcheck disable=SC2034 # for the tests
	address=$(head -n 1 "$name.log")
}
# plain FILE: without the lines about the origin of a profile
plain() {
	grep -v -e '^File: ' -e '^store: ' -e '^Time: ' -e '^Duration: ' -e '^Build ID: ' "$1" | sed 's/^ *time .*//'
}
# agree_all STORE [SOURCE...]: reports of a server are those of the store
agree_all() {
	where=$1
	shift
	for source in "store:shop$hour" "store:shop{version=1.2}$hour" "store:shop{version!=1.2}$hour" "store:s*p{instance=~h.}$hour" \
		"store:shop@2026-11-22T14:10Z..2026-11-22T14:20Z" "$@"; do
		"$CPA" top "$source" >local.out 2>local.err
		"$CPA" top --store="$where" "$source" >remote.out 2>remote.err || note remote.err
		plain local.out >one
		plain remote.out >two
		same "${where%%+*}: cpa top $source" one two
	done
}
# total ARG...: the total of cpa series
total() {
	"$CPA" series "$@" 2>series.err | sed -n 's/^Type: //p'
}

pyroscope=pyroscope+http://$at
agree_all "$pyroscope" "store:shop{route=/a}$hour" "store:shop/mutex$hour"
"$CPA" top --store="$pyroscope" "store:shop/heap$hour" >heap.out 2>heap.err
grep -q 'inuse_objects, inuse_space left out: Pyroscope adds up all snapshots' heap.out
result $? "pyroscope: gauges are left out with a note"
grep -q '^Type: alloc_space' heap.out
result $? "pyroscope: the columns that are sums remain"
is_equal "$(total --store="$pyroscope" "store:shop$hour")" "$(total "store:shop$hour")" "pyroscope: cpa series has the same total"
"$CPA" top --store="$pyroscope" -tagshow=instance --by=label:instance "store:shop$hour" >by.out 2>by.err
"$CPA" top -tagshow=instance --by=label:instance "store:shop$hour" >by.want 2>&1
plain by.out >two
plain by.want >one
same "pyroscope: values of labels that options name are kept" one two
fails 'of +reduce only sum and increase are possible' top "store:$pyroscope#shop$hour+reduce=last"
fails 'nothing of nosuch/cpu' top "store:$pyroscope#nosuch$hour"
fails 'of +limit\|leave out +limit' top "store:$pyroscope#shop$hour+limit=2"

fake rules pyroscope_fake.py "$at" tenant length busy
echo 'X-Scope-OrgID: shop' >headers
is_equal "$(total --header-file=headers --store="pyroscope+http://$address" 'store:shop@2026-11-22T14Z..2026-11-25T14Z')" \
	"$(total 'store:shop@2026-11-22T14Z..2026-11-25T14Z')" "pyroscope: three days are asked day by day, again when the server is busy"
"$CPA" top --header-file=headers --store="pyroscope+http://$address" 'store:shop@2026-11-22T14Z..2026-11-25T14Z' >remote.out 2>remote.err
"$CPA" top 'store:shop@2026-11-22T14Z..2026-11-25T14Z' >local.out 2>local.err
plain local.out >one
plain remote.out >two
same "pyroscope: the sum of three days" one two
is_equal "$(sed -n 's/^SelectMergeProfile //p' rules.log | sort -n | tail -n 1)" 86399999 "pyroscope: no request is longer than a day"
fails 'no org id' top "store:pyroscope+http://$address#shop$hour"
fake old pyroscope_fake.py "$at" old
"$CPA" top --store="pyroscope+http://$address" "store:shop$hour" >remote.out 2>remote.err
"$CPA" top "store:shop$hour" >local.out 2>local.err
plain local.out >one
plain remote.out >two
same "pyroscope: without SelectMergeProfile, SelectMergeStacktraces has the profile" one two
fake down pyroscope_fake.py "$at" down
fails '503.*no ingester' top "store:pyroscope+http://$address#shop$hour"
is_equal "$(grep -c Series down.log)" 3 "pyroscope: a server that is down is asked three times"

fake parca parca_fake.py $start 60
parca=parca+http://$address
"$CPA" store rm --store="$tmp/store" 'store:shop@2026-11-24T14Z' >out 2>&1
agree_all "$parca" "store:shop/heap$hour+reduce=sum"
"$CPA" top --store="$parca" "store:shop/heap$hour" >out 2>err
is_equal "$?" 2 "parca: sums of snapshots are refused"
grep -q 'alloc_objects, alloc_space, inuse_objects, inuse_space: Parca adds up all snapshots' err
result $? "parca: the columns that are left out are named"
is_equal "$(total --store="$parca" "store:shop$hour")" "$(total "store:shop$hour")" "parca: cpa series has the same total"
is_equal "$(total --store="$parca" "store:shop@2026-11-22T14:07Z..2026-11-22T14:08Z")" \
	"$(total "store:shop@2026-11-22T14:07Z..2026-11-22T14:08Z")" "parca: a window of a minute has the profiles at its start only"
"$CPA" diff --no-save --store="$parca" "store:shop{version=1.1}$hour" "store:shop{version=1.2}$hour" >two 2>err || note err
grep -q '300\|wait' two
result $? "parca: two windows are compared"
fails 'nothing of nosuch/cpu' top "store:$parca#nosuch$hour"
fails 'nothing of shop/cpu' top "store:$parca#shop@2026-11-20T14Z"
is_equal "$(grep -c -v -e '^200 ' -e '^127' parca.log)" 0 "parca: every request keeps the rules"
fails 'http://127.*404 Not Found' top "store:parca+http://$at#shop$hour"
fails 'refused' top "store:parca+http://127.0.0.1:1#shop$hour"
done_testing
