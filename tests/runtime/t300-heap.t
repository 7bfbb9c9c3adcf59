#!/bin/sh
# t300-heap.t - at rate 1 every object is counted, for all allocation functions
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
. "${top_srcdir:?}/tests/runtime/heap.sh"
compile_c heap_exact.cc exact
compile_c heap_load.c load

heap 1 exact
is "$status" 0 'all calls return the same as without the library'
is "$(grep -c '^a_' out)" 22 '22 functions made calls'
exact 'all allocated objects and bytes are counted, and also those still in use'
kept=$(awk '/^a_/ { n += $4 } END { print n }' out)
is "$(fact live)" "$(awk '$1 == "row" { n += $6 } END { print n }' out)" 'the live map and the rows have the same number of bytes in use'
between "$(fact live)" "$kept" $((kept + 20)) 'the objects in use are those that the program keeps, plus few from libraries'
is "$(fact reported) $(fact full) $(fact held)" '0 0 0' 'no event is lost'

heap 0 exact
is "$status $(grep -c ^row out) $(fact reported)" '0 0 0' 'without a rate there are no samples'

heap 1 load leak 1000000
exact 'a million objects of which 3 % are kept are counted'
heap 1 load odd x
is "$(grep -v '^row\|^process' out)" "$(./load odd x)" 'allocations in signal handlers, and in destructors that run after ours, work'
awk '$1 == "row" && ($4 < 0 || $5 < 0) { bad = 1 } END { exit bad }' out
ok $? 'no value in use is negative'
heap 1 load threads 2
is "$status $(seen a_thread | cut -d ' ' -f 3-)" '0 0 0' 'eight threads that free objects of each other leave none in use'

heap 1 load fork x
exact 'fork: parent and child count their own objects, and freed inherited ones are ignored'
is "$(grep -c ^process out)" 2 'fork: parent and child have their own tables'

for rate in 1 4096; do
	heap $rate load storm 100
	is "$status $(grep bad out)" '0 0 bad' "at rate $rate 100 children of a busy process allocate and free"
done
done_testing
