#!/bin/sh
# t412-trace-sched.t - the timeline of a program shows what the scheduler did with its threads
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile switches
compile limits
trace=${CPA%/src/cpa}/tests/runtime/trace_file
library=${CPA%/cpa}/libcpaprof/libcpaprof.so

traced() { # FILE PREFIX...: trace the program; each word of PREFIX comes before the command
	file=$1
	shift
	"$@" "$trace" "$library" 250 9 "$file" ./switches 1 >said 2>err
}

other() { # FILE KEY: a value of otherData; empty if it is missing
	zcat "$1" | sed -n "s/^\"$2\":\(.*[^,}]\)[,}]*\$/\1/p"
}

traced t.json.gz
is "$?" 0 'a program is traced until its end, and no perf event is left open'
why=$(other t.json.gz switches_not_seen)
if [ -z "$why" ]; then
	"${PYTHON3:-python3}" -B "$top_srcdir/tests/runtime/sched_check.py" t.json.gz said >checked 2>&1
	ok $? 'the file has the view of the scheduler'
	while read -r how name; do
		[ "$how" != measured ] || echo "# measured: see there"
		[ "$how" != skip ] || name="${name%: *} # SKIP ${name##*: }"
		[ "$how" = good ] || [ "$how" = skip ]
		ok $? "$name"
	done <checked
else
	ok 0 "the file has the view of the scheduler # SKIP perf events: $why"
fi

if ./limits deny perf_event_open /bin/sh -c :; then
	traced t.json.gz ./limits deny perf_event_open
	is "$?" 0 'a program is traced without perf events'
	is "$(other t.json.gz switches_not_seen)" '"not permitted: errno 1"' 'the file says why switches are missing'
	is "$(other t.json.gz switches)" '' 'the file has no number of switches then'
	[ "$(zcat t.json.gz | grep -c '"wait: sleep"')" -gt 0 ]
	ok $? 'polls see waits then'
else
	ok 0 'a program is traced without perf events # SKIP no seccomp filters'
fi
done_testing
