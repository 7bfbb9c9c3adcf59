#!/bin/sh
# t450-sessions.t - CPU time on demand: sums are right, nothing is left behind, and who waits is left in peace
# SPDX-License-Identifier: Apache-2.0

. "$top_srcdir/tests/runtime/lib.sh"
cd "$here" || exit 1
case $top_builddir in /*) ;; *) top_builddir=$here/$top_builddir ;; esac
cd "$tmp" || exit 1
compile paced
library=$top_builddir/src/libcpaprof/libcpaprof.so

sessions() { # [OPTION]... PROGRAM...: play them; what they found is in found
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
	is "$status $(grep -c ^session found)" "0 2" "$n threads at work: two sessions"
	near 3 15 "their sums are what the clock of the process says"
	between "$(sum samples)" 1 100000 "and threads were sampled"
	same_as_before "no timer, file or mapping is left behind"
	is "$(grep ^interrupted found)" "interrupted 0" "and no call was interrupted"
done

sessions -n 2 -s 1500 -g 0 ./paced 8 1000 100000
near 3 20 "threads that work a hundredth of the time: their sum is right, to a period or so"
between "$(sed -n 's/^interrupted //p' found)" 0 2 "no more than one of their calls is interrupted in a session"

sessions -n 2 -s 300 ./paced 4 0 100000000
is "$(value timers before) $(sum timers) $(value timers after)" "0 0 0" "a process that does nothing has no timers in a session"
is "$(sum total) $(grep ^interrupted found)" "0 interrupted 0" "and gets no signal"

sessions -n 200 -s 8 -g 2 -z 100 -z 1000 -z 37 ./paced 4 1000 1000
is "$status $(grep -c ^session found)" "0 200" "200 sessions at three rates"
is "$(value files after) $(value maps after)" "$(value files before) $(value maps before)" "leave no file and no mapping"
between "$(value timers after)" 0 "$((4 + 2))" "and at most one timer for each thread"

for engine in perf itimer; do
	sessions -e $engine -n 2 -s 400 -g 200 ./paced 4 1000 1000
	near 3 15 "$engine: the sums are right"
	same_as_before "$engine: nothing is left behind"
done

sessions -n 2 -s 500 -g 200 -z 1000 ./paced churn
near 8 10 "threads that begin and end in a session"
is "$(value files after) $(value maps after)" "$(value files before) $(value maps before)" "leave nothing behind either"

sessions -n 1 -s 500 ./paced fork
is "$status" 0 "children that begin in a session, and what they execute, end well"
between "$(sed -n 's/^done //p' found)" 2 1000 "and are profiled"

sessions -d stop -n 1 -s 300 ./paced 2 1000 1000
is "$status" 0 "a session in a process that is stopped ends"

sessions -d kill -n 1 -s 1000 ./paced 2 1000 1000
is "$status $(sed -n 's/^done //p' found)" "137 1" "a process that is killed in a session is told once"
between "$(sum samples)" 1 100000 "and what it sampled is there, for it was pinned"

done_testing
