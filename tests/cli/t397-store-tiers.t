#!/bin/sh
# t397-store-tiers.t - old profiles with a reduced resolution: the same totals, and errors for the rest
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
export CPA_STORE="$tmp/store"
make() { "${PYTHON3:-python3}" "$top_srcdir/tests/cli/stored_profiles.py" "$@"; }
start=$((($(date +%s) / 86400 - 180) * 86400)) # 1h by default
day=$(date -u -d "@$start" +%Y-%m-%d)
hours="${day}T00:00:00Z..${day}T02:00:00Z"

# has DESCRIPTION PATTERN ARG...: "cpa ARG..." succeeds and prints a line that matches PATTERN, on any output
has() {
	description=$1 pattern=$2
	shift 2
	"$CPA" "$@" >"$tmp/all" 2>&1 && grep -Eq -e "$pattern" "$tmp/all"
	status=$?
	[ $status -eq 0 ] || note "$tmp/all"
	result $status "$description"
}

for instance in a b; do
	for kind in cpu heap; do
		make "$tmp/$instance-$kind" "$kind" "$start" 600 12 || exit 1
		"$CPA" store import --service=shop --label=instance=$instance "$tmp/$instance-$kind"/* >"$tmp/out" || exit 1
	done
done
# 10 + i % 5 samples of work for i = 0..11, and 5 of wait, of two instances: 2 * (141 + 60)
has 'raw samples' '^Showing nodes accounting for 402, 100%' top -sample_index=samples "store:shop@$hours"
has 'a coarser resolution of raw profiles has the same samples' 'instances, 1h, ' top -sample_index=samples "store:shop@$hours+tier=1h"
has 'a dry run says what would be done' '^downsample seg/raw/.* to 1h: 12 profiles' store gc --dry-run
has 'gc downsamples' '^downsample seg/raw/.* to 1h: 12 profiles' store gc
has 'and verify finds no damage' 'no damage found' store verify --deep
has 'the result names its resolution' '24 profiles of 2 instances, 1h, ' top "store:shop@$hours"
has 'the samples are the same' '^Showing nodes accounting for 402, 100%' top -sample_index=samples "store:shop@$hours"
# the increase from the first of 12 snapshots is not known before it: 11 * 5000 * 2; in use is the mean of 1000..12000, twice
has 'the increase of counters is the same' '^Showing nodes accounting for 107.42kB' top -alloc_space "store:shop/heap@$hours"
has 'the mean of gauges is the same' '^Showing nodes accounting for 12.70kB' top -inuse_space "store:shop/heap@$hours"
has 'series says the same' ',402,' series --csv --step=2h -sample_index=samples "store:shop@$hours"
has 'stat names the reduction' '^reduced .* retain to 1h: raw of .* 12 profiles' store stat
has 'a part of a slot is named' '01:00 UTC is left out$' top "store:shop@${day}T00:30:00Z..${day}T02:00:00Z"
fails 'no slot begins in the window; select .*00:00..01:00' top "store:shop@${day}T00:10:00Z..${day}T00:20:00Z"
fails 'values of all instances are added up .*cannot be selected or split by instance' top "store:shop{instance=a}@$hours"
fails 'cannot be selected or split by instance' top "store:shop@$hours+keep=instance"
fails 'cannot be selected or split by instance' series --by=label:instance "store:shop@$hours"
fails 'cannot be selected or split by instance' top -inuse_space "store:shop/heap{instance=a}@$hours"
fails 'reduce=last of .* needs single profiles' top "store:shop/heap@$hours+reduce=last"
fails 'is longer than the steps' series --step=10m "store:shop@$hours"
has 'the lack of addresses is named' 'named frames of a reduced resolution have no addresses$' top "store:shop@$hours"
fails 'a part of .* cannot be removed' store rm "shop@${day}T00:30:00Z..${day}T02:00:00Z"
"$CPA" store import --service=shop --label=instance=a "$tmp/a-cpu"/* >"$tmp/out" 2>&1
has 'profiles that may be in a slot are not added again' '^Showing nodes accounting for 402, 100%' top -sample_index=samples "store:shop@$hours"
has 'slots are exported' . store export "shop@$hours" -o "$tmp/shop.cpx"
has 'and imported' . store import --store="$tmp/other" "$tmp/shop.cpx"
has 'with the same samples' '^Showing nodes accounting for 402, 100%' top -sample_index=samples "store:$tmp/other#shop@$hours"
has 'again they are duplicates' . store import --store="$tmp/other" "$tmp/shop.cpx"
has 'and not counted twice' '^Showing nodes accounting for 402, 100%' top -sample_index=samples "store:$tmp/other#shop@$hours"
has 'slots are pinned' . store pin old "shop@$hours"
has 'and removed' . store rm "shop@$hours"
has 'while the pin stays' '^Showing nodes accounting for 402, 100%' top -sample_index=samples "store:shop@pin:old"

has 'plan prints bytes by kind and tier' '^cpu +raw +[0-9.]+.?B' store plan --pods=50 "$tmp/a-cpu"/*
has 'and a quota' '^quota +cap [0-9]+GiB' store plan --pods=50 --every=30s --kinds=cpu "$tmp/a-cpu"/* "$tmp/a-heap"/*
fails 'plan needs profiles of the service' store plan --pods=50
fails 'no profile of the kind heap was found' store plan --kinds=cpu,heap "$tmp/a-cpu"/*
mkdir -p "$tmp/www/debug/pprof"
cp "$(find "$tmp/a-heap" -type f | sort | head -n 1)" "$tmp/www/debug/pprof/heap"
"${PYTHON3:-python3}" -u -m http.server --bind 127.0.0.1 --directory "$tmp/www" 0 >"$tmp/port" 2>&1 &
server=$!
until port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$tmp/port") && [ -n "$port" ]; do sleep 0.1; done
has 'plan measures a server' '^heap: 4 profiles of ' store plan --kinds=heap --measure="127.0.0.1:$port"
fails '404' store plan --kinds=heap,block --measure="127.0.0.1:$port"
kill "$server"
fails 'pods=0: not a number' store plan --pods=0 x
fails '1 profiles of the kind cpu; at least 4 are needed' store plan "$tmp/a-cpu/000.pb.gz"
done_testing
