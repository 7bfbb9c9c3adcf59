#!/bin/sh
# t900-week.t - a week of stored profiles: a regression, a leak and a contention are found later
# SPDX-License-Identifier: Apache-2.0
# The profiles are captures of real programs; only their times are those of a week. CPU: testdata/gate, a Go program whose
# function score.Grade is 1.5 times as slow from day 4 on. Heap and mutex: week.c, captured here.
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile week
export CPA_STORE="$tmp/store" TZ=UTC PYTHONDONTWRITEBYTECODE=1
DAY=86400 start=$(date -u -d 2026-11-16 +%s)

retime() { # [FROM TO TIME_S]...: copies of profiles with these times
	"${PYTHON3:-python3}" "$top_srcdir/tests/cli/retime.py" "$@"
}

# Six captures of each day, two of each instance; version 2.0 is deployed on day 4.
set --
for day in 0 1 2 3 4 5 6; do
	side=base version=1.0
	[ $day -lt 3 ] || side=slow version=2.0
	for i in 1 2 3 4 5 6; do
		folder=$version-$((i % 3))
		mkdir -p $folder
		time=$((start + day * DAY + i * 7200 + day * 60))
		set -- "$@" "$top_srcdir/testdata/gate/$side-$i.pb.gz" $folder/$day-$i.pb.gz $time
	done
done
retime "$@"
for folder in [12].0-?; do
	"$CPA" store import --service=mill --label=version="${folder%-?}" --label=instance="mill-${folder#*-}" "$folder"
done >out 2>err
is "$(sort out | uniq -c | sed 's/^ *//' | tr '\n' ';')" '3 imported 6 profiles;3 imported 8 profiles;' 'a week is imported'
"$CPA" gate 'store:mill{version=1.0}' -- 'store:mill{version=2.0}' >out 2>err
is "$? $(grep -c 'mill/score.mark' out)" '1 1' 'the gate between two versions finds the regression of day 4'
"$CPA" gate 'store:mill@2026-11-16' -- 'store:mill@2026-11-18' >out 2>err
is "$(sed -n 's/^cpa gate: \([A-Z]*\) .*/\1/p' out | grep -c FAIL)" 0 'between two days of one version it finds none'
"$CPA" diff -nodecount=3 'store:mill@2026-11-17' 'store:mill@2026-11-20' >out 2>err
is "$(grep -c 'mill/score.mark' out)" 1 'diff of two days names the function'

# One process that leaks each day, and whose threads wait for each other once.
mkfifo commands answers
"$CPA" run --quiet --profile-socket=./sock --mutex-fraction=1 -- ./week <commands >answers 2>run.err &
exec 8>commands 9<answers
send() { # COMMAND: wait until the program has carried it out
	echo "$1" >&8
	read -r _ <&9
}
capture() { # KIND FILE
	"$CPA" proto -o "$2" "unix:./sock:/debug/pprof/$1" >/dev/null 2>capture.err || cat capture.err
}
send calm
set --
for day in 0 1 2 3 4 5 6; do
	send leak
	capture heap heap.pb.gz
	mv heap.pb.gz now-$day.pb.gz
	set -- "$@" now-$day.pb.gz heap-$day.pb.gz $((start + day * DAY + 3600))
done
retime "$@"
"$CPA" store import --service=week --kind=heap --label=instance=one heap-?.pb.gz >out 2>err
"$CPA" trend 'store:week/heap@2026-11-16..2026-11-23+step=1d' >out 2>err
is "$(grep -c remember_orders out)" 1 'trend finds the function that leaks'
set --
for minute in 3 13 23 33 43; do
	command=calm
	[ $minute != 23 ] || command=fight
	send $command
	capture mutex mutex.pb.gz
	mv mutex.pb.gz now-$minute.pb.gz
	set -- "$@" now-$minute.pb.gz mutex-$minute.pb.gz $((start + 6 * DAY + 14 * 3600 + minute * 60))
done
retime "$@"
"$CPA" store import --service=week --kind=mutex --label=instance=one mutex-*.pb.gz >out 2>err
exec 8>&-
wait
"$CPA" series 'store:week/mutex@2026-11-22T14+step=10m' --csv >out 2>err
busiest=$(awk -F, 'NR > 1 && $2 + 0 > most { most = $2 + 0; time = $1 } END { print time }' out)
is "$busiest" '2026-11-22T14:20:00Z' 'series shows when threads waited for each other'
"$CPA" top -unit=ms 'store:week/mutex@2026-11-22T14:20..2026-11-22T14:30' >out 2>err
is "$(grep -c settle_accounts out)" 1 'top of that time names the holder'
"$CPA" top -unit=ms 'store:week/mutex@2026-11-22T14:30..2026-11-22T14:40' >out 2>err
is "$(grep -c settle_accounts out)" 0 'and not of the ten minutes after it'
"$CPA" store verify --deep >out 2>err
is "$? $(cat out)" '0 no damage found' 'the store is sound'
done_testing
