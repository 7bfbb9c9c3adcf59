#!/bin/sh
# t410-trace.t - the timeline of a program shows when its threads ran and waited
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile timeline
trace=${CPA%/src/cpa}/tests/runtime/trace_file
library=${CPA%/cpa}/libcpaprof/libcpaprof.so

check() { # FILE [SAID]: a line of trace_check.py is a test
	"${PYTHON3:-python3}" -B "$top_srcdir/tests/runtime/trace_check.py" "$@" >checked 2>&1
	ok $? 'the file is valid gzip, JSON and UTF-8'
	while read -r how name; do
		[ "$how" != measured ] || echo "# measured: see there"
		[ "$how" = good ]
		ok $? "$name"
	done <checked
}

"$trace" "$library" 250 3.5 t.json.gz ./timeline 3 >said 2>err
is "$?" 0 'a program is traced until its end'
check t.json.gz said
between "$(wc -c <t.json.gz)" 1000 200000 'the file of a trace is small'

"$trace" "$library" 100 1 t.json.gz ./timeline 2 300 >said 2>err
is "$?" 0 'a program with 300 threads is traced for a part of its time'
check t.json.gz
is "$(zcat t.json.gz | grep -c '"thread_name".*"idle"')" 300 'a trace contains all 300 threads'
done_testing
