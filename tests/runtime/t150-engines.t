#!/bin/sh
# t150-engines.t - events of the kernel, timers, one timer for all: each has the same totals
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile burn
compile odd

said() { # PATTERN: what the comments say of it
	"$CPA" comments p.pb.gz | sed -n "$1"
}

stacks() {
	said 's/.* \([0-9.]*\) stacks per second.*/\1/p'
}

for CPA_CPU_ENGINE in perf itimer; do
	export CPA_CPU_ENGINE
	for hz in 100 1000; do
		run $hz ./burn 1.5
		within "$(total p.pb.gz)" "$(cat out)" 2 "$CPA_CPU_ENGINE at $hz Hz: one thread has its time"
		run $hz ./burn .5 .5 .5 .5
		within "$(total p.pb.gz)" "$(cat out)" 2 "$CPA_CPU_ENGINE at $hz Hz: four threads have it"
	done
	run 1000 ./burn @300 0.002
	within "$(total p.pb.gz)" "$(cat out)" 6 "$CPA_CPU_ENGINE: threads of 2 ms have it"
	run 1000 dd if=/dev/zero of=/dev/null bs=1M count=8000
	between "$(total p.pb.gz)" 20000000 100000000000 "$CPA_CPU_ENGINE: a program that is in the kernel all the time has it"
	run 1000 ./odd fork
	read -r child code <out
	is "$code" 7 "$CPA_CPU_ENGINE: the parent sees how its child ended"
	within "$(total p.pb.gz)" 400000000 5 'the parent has its own time'
	within "$(total "p-$child.pb.gz")" 1000000000 5 'the child has its own'
	for mode in own-handler masks small-stack timers 'close-all file' 'storm 300' 'exec ./burn 0.3' 'end segv'; do
		# shellcheck disable=SC2086 # words
		./odd $mode >alone 2>/dev/null
		alone=$?
		# shellcheck disable=SC2086
		run 1000 ./odd $mode
		case $mode in exec*) out='' ;; *) out=$(cat alone) ;; esac
		case $mode in exec*) got='' ;; *) got=$(cat out) ;; esac
		is "$status $got" "$alone $out" "$CPA_CPU_ENGINE: $mode is as alone"
	done
done

export CPA_CPU_ENGINE=perf
run 1000 ./odd close-all file
is "$(cat file)" mine 'a program that closes all files writes into its own'
within "$(total p.pb.gz)" 700000000 4 'and has its time'
run 1000 ./burn 1
if [ "$(said 's/^no events: \(.*\)/\1/p')" = '' ]; then
	is "$(said 's/^cpa .*pid [0-9]*, //p')" 'events of threads' 'events are used when they can be had'
	between "$(stacks)" 400 1001 'and give more stacks than the tick of the kernel'
	run 1000 ./odd close-all file
	is "$(said 's/^no events: //p')" 'Bad file descriptor' 'a program that closes them gets timers'
	(
		# shellcheck disable=SC3045 # dash has it
		ulimit -n 200
		"$CPA" run --hz=1000 --cpu=p.pb.gz -- ./burn .3 .3 >out 2>err
	)
	is "$(said 's/^cpa .*pid [0-9]*, //p') $(said 's/^no events: //p')" 'timers of threads Too many open files' \
		'a program that may open few files has timers'
	within "$(total p.pb.gz)" "$(cat out)" 2 'and its time'
fi
export CPA_CPU_ENGINE=bogus
run 1000 ./burn .2
is "$(cat err)" 'cpa: CPA_CPU_ENGINE: bogus is none of timer, perf, itimer' 'an engine that is none is told'
done_testing
