#!/bin/sh
# t100-cpu.t - the CPU time in a profile is the CPU time that the program used
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile burn

for hz in 100 250 1000; do
	run $hz ./burn 4
	within "$(total p.pb.gz)" "$(cat out)" 2 "at $hz Hz the CPU time of one thread is right within 2 %"
	run $hz ./burn 2 2
	within "$(total p.pb.gz)" "$(cat out)" 2 "at $hz Hz the CPU time of two threads is right within 2 %"
	run $hz ./burn .5 .5 .5 .5 .5 .5 .5 .5
	within "$(total p.pb.gz)" "$(cat out)" 2 "at $hz Hz the CPU time of eight threads is right within 2 %"
	agree "pprof reads the same total at $hz Hz"
done

run 1000 ./burn 1 - - - - - -
within "$(total p.pb.gz)" "$(cat out)" 2 'sleeping threads add no CPU time'

run 1000 ./burn 2
stacks=$("$CPA" comments p.pb.gz | sed -n 's/.* \([0-9.]*\) stacks per second.*/\1/p')
between "$stacks" 20 1001 \
	'at 1000 Hz there are as many stacks as the tick of the kernel allows'
is "$(samples p.pb.gz)" "$(stacks p.pb.gz)" 'samples/count is the number of stacks'
within "$(share p.pb.gz spin)" "$(total p.pb.gz)" 2 'all of the CPU time is in the function that uses it'
within "$(share p.pb.gz main)" "$(total p.pb.gz)" 2 'the cumulative CPU time of main is the total'

run 100 ./burn @500 0.002
within "$(total p.pb.gz)" "$(cat out)" 30 'the CPU time of 500 threads of 2 ms each is within three standard errors'
run 1000 ./burn @500 0.002
within "$(total p.pb.gz)" "$(cat out)" 5 'at 1000 Hz the CPU time of 500 threads of 2 ms each is right within 5 %'

# each timer counts as a pending signal
for limit in 5 30; do
	rm -f p.pb.gz
	# shellcheck disable=SC2046 # fifty arguments
	prlimit --sigpending=$limit "$CPA" run --quiet --hz=1000 --cpu=p.pb.gz -- ./burn $(seq 50 | sed "s/.*/.06/") >out 2>err
	within "$(total p.pb.gz)" "$(cat out)" 2 "with only $limit timers the CPU time of 50 threads is right within 2 %"
done

run 1000 ./burn 1.8 0.2
is "$(cat err)" '' 'cpa prints nothing'
run 1000 sleep 1
between "$(total p.pb.gz)" 0 20000000 'the only samples of a sleeping program are from its start'
done_testing
