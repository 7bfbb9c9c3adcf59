#!/bin/sh
# t450-sessions.t - recordings of CPU time on demand: totals are right, all resources are freed, waiting threads are not disturbed
# SPDX-License-Identifier: Apache-2.0

. "$top_srcdir/tests/runtime/lib.sh"
cd "$here" || exit 1
case $top_builddir in /*) ;; *) top_builddir=$here/$top_builddir ;; esac
cd "$tmp" || exit 1
compile paced
library=$top_builddir/src/libcpaprof/libcpaprof.so

sessions() { # [OPTION]... PROGRAM...: run them; the results are in found
	timeout 60 "$top_builddir/tests/runtime/sessions" -l "$library" "$@" >found 2>err
	status=$?
}

value() { # KEY LINE: of the first line that begins so
	sed -n "s/^$2 .*\\b$1=\\([-0-9.]*\\).*/\\1/p" found | head -1
}

sum() { # KEY: over all sessions
	sed -n "s/^session .*\\b$1=\\([-0-9]*\\).*/\\1/p" found | awk '{ n += $1 } END { print n + 0 }'
}

near() { # PERCENT MS NAME: total is what was used, but for so much, and so many ms
	awk -v got="$(sum total)" -v want="$(sum used)" -v percent="$1" -v ms="$2" \
		'BEGIN { d = got - want; d = d < 0 ? -d : d; exit !(d <= want * percent / 100 + ms * 1e6) }'
	close=$?
	[ $close = 0 ] || grep ^session found | sed 's/^/# /'
	measured $close "$3" "got $(sum total), not $(sum used)"
}

same_as_before() { # NAME: timers, files and mappings are as they were
	is "$(grep ^after found | sed 's/after //')" "$(grep ^before found | sed 's/before //')" "$1"
}

for n in 1 8 50; do
	sessions -n 2 -s 600 -g 200 ./paced $n 1000 1000
	is "$status $(grep -c ^session found)" "0 2" "$n busy threads: two recordings"
	near 3 15 "totals of $n busy threads match the CPU clock of the process"
	between "$(sum samples)" 1 100000 "busy threads were sampled"
	same_as_before "no timer, file or mapping is left"
	is "$(grep ^interrupted found)" "interrupted 0" "no call of busy threads was interrupted"
done

sessions -n 2 -s 1500 -g 0 ./paced 8 1000 100000
near 3 20 "threads that run 1 % of the time: the total is right to about a period"
between "$(sed -n 's/^interrupted //p' found)" 0 2 "at most one call of threads that run 1 % of the time is interrupted per recording"

sessions -n 2 -s 300 ./paced 4 0 100000000
is "$(value timers before) $(sum timers) $(value timers after)" "0 0 0" "an idle process has no timers during a recording"
is "$(sum total) $(grep ^interrupted found)" "0 interrupted 0" "an idle process gets no signal during a recording"

sessions -n 200 -s 8 -g 2 -z 100 -z 1000 -z 37 ./paced 4 1000 1000
is "$status $(grep -c ^session found)" "0 200" "200 recordings at three rates succeed"
is "$(value files after) $(value maps after)" "$(value files before) $(value maps before)" "200 recordings leave no file and no mapping"
between "$(value timers after)" 0 "$((4 + 2))" "200 recordings leave at most one timer per thread"

for engine in perf itimer; do
	sessions -e $engine -n 2 -s 400 -g 200 ./paced 4 1000 1000
	near 3 15 "$engine: the totals are right"
	same_as_before "$engine: no timer, file or mapping is left"
done

sessions -n 2 -s 500 -g 200 -z 1000 ./paced churn
near 8 10 "the time of threads that start and end during a recording is right"
is "$(value files after) $(value maps after)" "$(value files before) $(value maps before)" "threads that start and end during a recording leave no file and no mapping"

sessions -n 1 -s 500 ./paced fork
is "$status" 0 "children started during a recording, and programs they execute, end normally"
between "$(sed -n 's/^done //p' found)" 2 1000 "children started during a recording are profiled"

sessions -d stop -n 1 -s 300 ./paced 2 1000 1000
is "$status" 0 "a recording of a stopped process ends"

sessions -d kill -n 1 -s 1000 ./paced 2 1000 1000
is "$status $(sed -n 's/^done //p' found)" "137 1" "a process killed during a recording is reported once"
between "$(sum samples)" 1 100000 "the samples of a process killed while pinned are available"

done_testing
