#!/bin/sh
# t500-locks.t - who waits, who made them wait, and who made threads
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
. "$top_srcdir/tests/runtime/locks.sh"
compile locks -Wall

waits 1ns 1 ./locks hold
is "$status" 0 'the program ends as it does alone'
within "$(share m.pb.gz holder_unlock)" "$(said holder_unlock)" 10 \
	'100 holds of 10 ms that five wait for are charged to where the holder unlocks'
within "$(share b.pb.gz waiter_lock)" "$(said waiter_lock)" 10 'and in the block profile to where they lock'
within "$(total m.pb.gz)" "$(share b.pb.gz waiter_lock)" 1 'what holders are charged with is what others waited'
within "$(share m.pb.gz pthread_mutex_unlock 1)" "$(total m.pb.gz)" 1 'stacks of holders begin with the unlock'
if command -v go >/dev/null; then
	is "$(pprof_total m.pb.gz)" "$(total m.pb.gz)" 'pprof reads the same total'
	is "$(pprof_total b.pb.gz)" "$(total b.pb.gz)" 'of both profiles'
fi

waits 1ns 4 ./locks hold
within "$(share m.pb.gz holder_unlock)" "$(said holder_unlock)" 30 \
	'one wait of four stands for four: within three standard errors'
is "$(($(counts m.pb.gz main) % 4))" 0 'and is counted so'

waits 1ns 1 ./locks chain
for i in 0 1 2 3; do
	within "$(share m.pb.gz holder_$i)" "$(said holder_$i)" 5 \
		"holder $i of a chain is charged with what those behind it waited for it, and no more"
	is "$(counts m.pb.gz holder_$i)" 1 "and let one thread in"
done
is "$(share m.pb.gz holder_4)" '' 'the last one is charged with nothing'

waits 1ns 1 ./locks many
within "$(share b.pb.gz many_lock)" "$(said many_lock)" 20 '6000 mutexes, four times in the same memory: waits are seen'
within "$(total m.pb.gz)" "$(share b.pb.gz many_lock)" 1 'their charges are the waits'
between "$(share m.pb.gz pthread_mutex_unlock)" "$(($(total m.pb.gz) * 9 / 10))" "$(total m.pb.gz)" \
	'nearly all of them at unlocks'

waits 1ns 1 ./locks reader
within "$(share b.pb.gz writer_lock)" "$(said writer_lock)" 5 'a writer waits for readers'
within "$(share b.pb.gz late_reader)" "$(said late_reader)" 5 'a reader waits for the writer'
within "$(share m.pb.gz reader_unlock)" "$(said reader_unlock)" 5 'the readers are charged with the one'
within "$(share m.pb.gz writer_unlock)" "$(said writer_unlock)" 5 'the writer is charged with the other'

waits 1ms 1 ./locks bias
for name in wait_10_us wait_300_us wait_20_ms wait_1_s; do
	within "$(share b.pb.gz $name)" "$(said $name)" 5 "at a rate of 1 ms $name has its time within 5 %"
	within "$(counts b.pb.gz $name)" "$(said count_$name)" 5 "and its number"
done

waits 1ns 1 ./locks create
is "$(counts c.pb.gz create_three)" 21 'each thread is counted where pthread_create was called'
is "$(counts c.pb.gz create_c11)" 4 'or thrd_create'
is "$(counts c.pb.gz main)" 25 'and one that could not be made is not'
done_testing
