#!/bin/sh
# t105-loads.t - threads with work of their own, short bursts, and the kernel: each has its CPU time
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"

# the workload of script/bench says what each of its functions used, by the clock of its thread
${CC:-cc} -O2 -g -o rt_load "$top_srcdir/tests/bench/rt_load.c" -pthread || {
	echo '1..0 # SKIP no compiler'
	exit 0
}

used() { # NAME: what the program says, in ns
	sed -n "s/^$1 //p" out
}

run 1000 ./rt_load fair 8 0.3
for i in 0 1 2 3 4 5 6 7; do
	within "$(share p.pb.gz work_$i)" "$(used work_$i)" 10 "of 8 threads number $i has its time"
done
agree 'pprof sees the same'

run 1000 ./rt_load burst 4 0.2
within "$(total p.pb.gz)" "$(used total)" 3 'bursts of a millisecond add up to what the clock says'

run 250 ./rt_load read 1
within "$(total p.pb.gz)" "$(used total)" 3 'time in the kernel adds up to what the clock says'
between "$(share p.pb.gz reads)" "$(($(used total) * 90 / 100))" "$(($(used total) * 103 / 100))" 'and is of the function that asks for it'

run 250 ./rt_load shares 3
half=$(($(used part_50)))
within "$(share p.pb.gz part_50)" "$half" 15 'half of the time is half of the samples, within four standard errors'
done_testing
