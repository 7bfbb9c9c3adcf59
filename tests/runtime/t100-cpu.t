#!/bin/sh
# t100-cpu.t - the CPU time in a profile is the CPU time that was used
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile burn

for hz in 100 250 1000; do
	run $hz ./burn 4
	within "$(total p.pb.gz)" "$(cat out)" 2 "at $hz Hz one thread has its CPU time within 2 %"
	run $hz ./burn 2 2
	within "$(total p.pb.gz)" "$(cat out)" 2 "at $hz Hz two threads have it"
	run $hz ./burn .5 .5 .5 .5 .5 .5 .5 .5
	within "$(total p.pb.gz)" "$(cat out)" 2 "at $hz Hz eight threads have it"
	agree "pprof reads the same total at $hz Hz"
done

run 1000 ./burn 1 - - - - - -
within "$(total p.pb.gz)" "$(cat out)" 2 'threads that sleep have no CPU time'

run 1000 ./burn 2
stacks=$("$CPA" comments p.pb.gz | sed -n 's/.* \([0-9.]*\) stacks per second.*/\1/p')
between "$stacks" 20 1001 \
	'at 1000 Hz the number of stacks is what the kernel gives, and weights make up for the rest'
within "$(share p.pb.gz spin)" "$(total p.pb.gz)" 2 'the function that burns has it'
within "$(share p.pb.gz main)" "$(total p.pb.gz)" 2 'and so has main'

run 100 ./burn @500 0.002
within "$(total p.pb.gz)" "$(cat out)" 30 'threads of 2 ms are counted: 500 of them within three standard errors'
run 1000 ./burn @500 0.002
within "$(total p.pb.gz)" "$(cat out)" 5 'and within 5 % at 1000 Hz'

# timers count as signals that wait
for limit in 5 30; do
	rm -f p.pb.gz
	# shellcheck disable=SC2046 # fifty arguments
	prlimit --sigpending=$limit "$CPA" run --hz=1000 --cpu=p.pb.gz -- ./burn $(seq 50 | sed "s/.*/.06/") >out 2>err
	within "$(total p.pb.gz)" "$(cat out)" 2 "50 threads have their time with $limit timers for all"
done

run 1000 ./burn 1.8 0.2
is "$(cat err)" '' 'cpa says nothing of its own'
run 1000 sleep 1
between "$(total p.pb.gz)" 0 20000000 'a program that sleeps has no samples but of its start'
done_testing
