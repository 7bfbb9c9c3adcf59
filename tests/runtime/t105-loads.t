#!/bin/sh
# t105-loads.t - CPU time of different functions per thread, short bursts, and the kernel
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"

# the workload of script/bench prints the CPU time of each of its functions, by the clock of the thread
${CC:-cc} -O2 -g -o rt_load "$top_srcdir/tests/bench/rt_load.c" -pthread || {
	echo '1..0 # SKIP no compiler'
	exit 0
}

used() { # NAME: CPU time in ns that the program printed
	sed -n "s/^$1 //p" out
}

run 1000 ./rt_load fair 8 0.3
for i in 0 1 2 3 4 5 6 7; do
	within "$(share p.pb.gz work_$i)" "$(used work_$i)" 10 "thread $i of 8 has its CPU time within 10 %"
done
agree 'pprof reads the same total'

run 1000 ./rt_load burst 4 0.2
within "$(total p.pb.gz)" "$(used total)" 3 'bursts of one millisecond add up to the CPU time'

run 250 ./rt_load read 1
within "$(total p.pb.gz)" "$(used total)" 3 'CPU time in the kernel is included in the profile'
between "$(share p.pb.gz reads)" "$(($(used total) * 90 / 100))" "$(($(used total) * 103 / 100))" 'time in the kernel is attributed to the function that makes the system call'

run 250 ./rt_load shares 3
half=$(($(used part_50)))
within "$(share p.pb.gz part_50)" "$half" 15 'a function with half of the CPU time has half of the samples, within four standard errors'
done_testing
