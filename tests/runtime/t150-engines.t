#!/bin/sh
# t150-engines.t - perf events, per-thread timers and a process timer give the same totals
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile burn
compile odd

said() { # PATTERN: what the comments say of it
	"$CPA" comments p.pb.gz | sed -n "$1"
}

for CPA_CPU_ENGINE in perf itimer; do
	export CPA_CPU_ENGINE
	for hz in 100 1000; do
		run $hz ./burn 1.5
		within "$(total p.pb.gz)" "$(cat out)" 2 "$CPA_CPU_ENGINE at $hz Hz: the time of one thread is right"
		run $hz ./burn .5 .5 .5 .5
		within "$(total p.pb.gz)" "$(cat out)" 2 "$CPA_CPU_ENGINE at $hz Hz: the time of four threads is right"
	done
	run 1000 ./burn @300 0.002
	within "$(total p.pb.gz)" "$(cat out)" 6 "$CPA_CPU_ENGINE: the time of threads that run for 2 ms is right"
	run 1000 dd if=/dev/zero of=/dev/null bs=1M count=8000
	between "$(total p.pb.gz)" 20000000 100000000000 "$CPA_CPU_ENGINE: the time of a program that is always in the kernel is right"
	is "$(samples p.pb.gz)" "$(stacks p.pb.gz)" "$CPA_CPU_ENGINE: samples/count is the number of stacks"
	run 1000 ./odd fork
	read -r child code <out
	is "$code" 7 "$CPA_CPU_ENGINE: the parent gets the exit status of its child"
	within "$(total p.pb.gz)" 400000000 5 'the profile of the parent contains only its own time'
	within "$(total "p-$child.pb.gz")" 1000000000 5 'the profile of the child contains only its own time'
	for mode in own-handler masks small-stack timers 'close-all file' 'storm 300' 'exec ./burn 0.3' 'end segv'; do
		# shellcheck disable=SC2086 # words
		./odd $mode >alone 2>/dev/null
		alone=$?
		# shellcheck disable=SC2086
		run 1000 ./odd $mode
		case $mode in exec*) out='' ;; *) out=$(cat alone) ;; esac
		case $mode in exec*) got='' ;; *) got=$(cat out) ;; esac
		is "$status $got" "$alone $out" "$CPA_CPU_ENGINE: $mode behaves the same as without cpa"
	done
done

export CPA_CPU_ENGINE=perf
run 1000 ./odd close-all file
is "$(cat file)" mine 'a program that closes all descriptors writes only to its own files'
within "$(total p.pb.gz)" 700000000 4 'the CPU time of a program that closes all descriptors is right'
run 1000 ./burn 1
if [ "$(said 's/^no perf events: \(.*\)/\1/p')" = '' ]; then
	is "$(said 's/^cpa .*pid [0-9]*, //p')" 'per-thread perf events' 'perf events are used if available'
	between "$(said 's/.* \([0-9.]*\) stacks per second.*/\1/p')" 400 1001 'perf events sample faster than kernel ticks'
	run 1000 ./odd close-all file
	is "$(said 's/^no perf events: //p')" 'Bad file descriptor' 'if a program closes the perf events, timers replace them'
	(
		# shellcheck disable=SC3045 # dash has it
		ulimit -n 200
		"$CPA" run --quiet --hz=1000 --cpu=p.pb.gz -- ./burn .3 .3 >out 2>err
	)
	is "$(said 's/^cpa .*pid [0-9]*, //p') $(said 's/^no perf events: //p')" 'per-thread timers Too many open files' \
		'a program with a low limit of open files uses timers'
	within "$(total p.pb.gz)" "$(cat out)" 2 'the CPU time of a program with a low limit of open files is right'
fi
export CPA_CPU_ENGINE=bogus
run 1000 ./burn .2
is "$(cat err)" 'cpa: CPA_CPU_ENGINE=bogus: ignored; choose timer, perf or itimer' 'an unknown engine is reported'
done_testing
