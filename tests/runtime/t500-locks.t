#!/bin/sh
# t500-locks.t - block, mutex and threadcreate profiles
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
. "$top_srcdir/tests/runtime/locks.sh"
compile locks -Wall

waits 1ns 1 ./locks hold
is "$status" 0 'the program ends the same as without cpa'
within "$(share m.pb.gz holder_unlock)" "$(said holder_unlock)" 10 \
	'100 holds of 10 ms with five waiting threads are charged to the unlock of the holder'
within "$(share b.pb.gz waiter_lock)" "$(said waiter_lock)" 10 'the block profile charges 100 waits of 10 ms to the lock calls of the waiting threads'
within "$(total m.pb.gz)" "$(share b.pb.gz waiter_lock)" 1 'holders are charged with the waiting time of others'
within "$(share m.pb.gz pthread_mutex_unlock 1)" "$(total m.pb.gz)" 1 'the leaf of stacks of holders is the unlock function'
if command -v go >/dev/null; then
	is "$(pprof_total m.pb.gz)" "$(total m.pb.gz)" 'pprof reads the same total'
	is "$(pprof_total b.pb.gz)" "$(total b.pb.gz)" 'pprof reads the same total from the block profile'
fi

waits 1ns 4 ./locks hold
within "$(share m.pb.gz holder_unlock)" "$(said holder_unlock)" 30 \
	'at a rate of one in four, the scaled wait time is within three standard errors'
is "$(($(counts m.pb.gz main) % 4))" 0 'counts of sampled waits are scaled'

waits 1ns 1 ./locks chain
for i in 0 1 2 3; do
	within "$(share m.pb.gz holder_$i)" "$(said holder_$i)" 5 \
		"holder $i of a chain is charged only with the waits of its successors"
	is "$(counts m.pb.gz holder_$i)" 1 "holder $i of a chain has one contention"
done
is "$(share m.pb.gz holder_4)" '' 'the last holder is not charged'

waits 1ns 1 ./locks many
within "$(share b.pb.gz many_lock)" "$(said many_lock)" 20 'waits for 6000 mutexes, four times in the same memory, are recorded'
within "$(total m.pb.gz)" "$(share b.pb.gz many_lock)" 1 'waits for 6000 mutexes are charged in both profiles'
between "$(share m.pb.gz pthread_mutex_unlock)" "$(($(total m.pb.gz) * 9 / 10))" "$(total m.pb.gz)" \
	'nearly all waits for mutexes are charged to unlocks'

waits 1ns 1 ./locks reader
within "$(share b.pb.gz writer_lock)" "$(said writer_lock)" 5 'the wait of a writer for readers is recorded'
within "$(share b.pb.gz late_reader)" "$(said late_reader)" 5 'the wait of a reader for a writer is recorded'
within "$(share m.pb.gz reader_unlock)" "$(said reader_unlock)" 5 'readers are charged with the wait of the writer'
within "$(share m.pb.gz writer_unlock)" "$(said writer_unlock)" 5 'the writer is charged with the wait of the reader'

waits 1ms 1 ./locks bias
for name in wait_10_us wait_300_us wait_20_ms wait_1_s; do
	within "$(share b.pb.gz $name)" "$(said $name)" 5 "at a rate of 1 ms the time of $name is right within 5 %"
	within "$(counts b.pb.gz $name)" "$(said count_$name)" 5 "at a rate of 1 ms the count of $name is right within 5 %"
done

waits 1ns 1 ./locks create
is "$(counts c.pb.gz create_three)" 21 'threads are counted in the function that calls pthread_create'
is "$(counts c.pb.gz create_c11)" 4 'threads are counted in the function that calls thrd_create'
is "$(counts c.pb.gz main)" 25 'failed calls that create threads are not counted'
done_testing
