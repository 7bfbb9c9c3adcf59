#!/bin/sh
# t354-over-time.t - gauges and counters over time: means that are rounded once, rollouts, restarts; the examples of docs/store.md
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
export CPA_STORE="$tmp/store"
make() { "${PYTHON3:-python3}" "$top_srcdir/tests/cli/snapshots.py" "$@"; }

# has DESCRIPTION PATTERN ARG...: "cpa ARG..." succeeds and prints a line that matches PATTERN, on any output
has() {
	description=$1 pattern=$2
	shift 2
	"$CPA" "$@" >"$tmp/all" 2>&1 && grep -Eq -e "$pattern" "$tmp/all"
	status=$?
	[ $status -eq 0 ] || note "$tmp/all"
	result $status "$description"
}

# import SERVICE VERSION INSTANCE FILE...
import() {
	service=$1 version=$2 instance=$3
	shift 3
	"$CPA" store import --service="$service" --label=version="$version" --label=instance="$instance" "$@" >"$tmp/out" || exit 1
}
minutes='2026-11-22T14:00:00Z..2026-11-22T14:10:00Z'

# three goroutines in other leaves at each moment
for i in 0 1 2 3; do make "$tmp/g$i" goroutine 14:0$i "main;leaf$i=2" "main;other$i=1"; done
import gor 1 a "$tmp"/g?
has 'the mean of 3, 3, 3 and 3 is 3' ' 3 +100% +main$' top -cum "store:gor/goroutine@$minutes"
has 'series says 3' 'mean 3$' series --step=10m "store:gor/goroutine@$minutes"
has 'and of each step' '^2026-11-22T14:02:00Z,3,' series --csv --step=2m "store:gor/goroutine@$minutes"

# a rollout: 100 MiB before and after; 40 and then 20 MiB allocated, of which the new process had 10 at its first snapshot
make "$tmp/h0" heap 14:00 build=b1 "main;f=100,1000" && make "$tmp/h1" heap 14:01 build=b1 "main;f=100,1040"
make "$tmp/h2" heap 14:02 build=b2 "main;f=100,10" && make "$tmp/h3" heap 14:03 build=b2 "main;f=100,30"
import roll 1.4 a "$tmp/h0" "$tmp/h1"
import roll 1.5 a "$tmp/h2" "$tmp/h3"
for source in "store:roll/heap@$minutes" "store:roll/heap{version=1.5}@$minutes" "store:roll/heap@$minutes+keep=version" \
	"store:roll/heap@$minutes+reduce=last"; do
	has "100 MiB are in use: $source" ' 100MB +100%' top -cum "$source"
	has "series says so: $source" '(mean|total) 100MB$' series --step=10m "$source"
done
has 'each version has its share of the time' ' 50MB 50.00%  1.5$' top -cum -tagroot=version "store:roll/heap@$minutes"
has 'in series too' ',104857600,4,1,52428800,52428800,' series --csv --step=10m --by=label:version "store:roll/heap@$minutes"
has 'an increase: 1040 - 1000, and 30 of the new process' '70MB total' top -alloc_space "store:roll/heap@$minutes"
has 'a series of increases has the same total' 'total 70MB$' series --step=1m -alloc_space "store:roll/heap@$minutes"
has 'the new process began at 0' '^2026-11-22T14:02:00Z,10485760,' series --csv --step=1m -alloc_space "store:roll/heap@$minutes"
has 'the new version alone' '30MB total' top -alloc_space "store:roll/heap{version=1.5}@$minutes"
has 'and without the old one in the window' '30MB total' top -alloc_space "store:roll/heap@2026-11-22T14:02:00Z..2026-11-22T14:10:00Z"
has 'what the first snapshot had is named' 'its counters are left out: alloc_space 1048576000 bytes$' \
	top "store:roll/heap@$minutes"
has 'the restart is named' 'store: 1 restart; what a process counted after' top "store:roll/heap@$minutes"
has 'the versions are named' 'versions 1.4, 1.5$' top "store:roll/heap@$minutes"
has 'also by series' 'versions 1.4, 1.5$' series --step=10m "store:roll/heap@$minutes"

# another label of the same process: the second series continues the first
make "$tmp/m0" heap 14:00 "main;f=1,10" && make "$tmp/m1" heap 14:01 "main;f=1,12"
import same '(none)' a "$tmp/m0"
import same 1.5 a "$tmp/m1"
has 'a process that gets a version continues' ' 2MB total' top -alloc_space "store:same/heap{version=1.5}@$minutes"
"$CPA" top "store:same/heap{version=1.5}@$minutes" >"$tmp/out" 2>&1 && ! grep -e restart -e 'not counted' "$tmp/out"
result $? "and nothing is unknown of it"

# builds without a version
make "$tmp/b0" heap 14:00 build=abc "main;f=1,10" && make "$tmp/b1" heap 14:01 build=def "main;f=1,12"
"$CPA" store import --service=plain "$tmp/b0" "$tmp/b1" >"$tmp/out"
has 'builds are named if there are no versions' '; builds abc, def$' top "store:plain/heap@$minutes"
done_testing
