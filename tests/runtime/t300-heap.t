#!/bin/sh
# t300-heap.t - at rate 1 every object is counted, by whatever call it came and went
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
. "${top_srcdir:?}/tests/runtime/heap.sh"
compile_c heap_exact.cc exact
compile_c heap_load.c load

heap 1 exact
is "$status" 0 'all calls give what they give alone'
is "$(grep -c '^a_' out)" 22 'and all are made'
exact 'all objects and bytes of all calls are counted, and which of them live'
kept=$(awk '/^a_/ { n += $4 } END { print n }' out)
is "$(fact live)" "$(awk '$1 == "row" { n += $6 } END { print n }' out)" 'what lives is what rows say is in use'
between "$(fact live)" "$kept" $((kept + 20)) 'and is what the program keeps, and little of the libraries'
is "$(fact told) $(fact full) $(fact held)" '0 0 0' 'and nothing is lost'

heap 0 exact
is "$status $(grep -c ^row out) $(fact told)" '0 0 0' 'without a rate there are no samples'

heap 1 load leak 1000000
exact 'a million objects, of which 3 of 100 are kept'
heap 1 load odd x
is "$(grep -v '^row\|^process' out)" "$(./load odd x)" 'handlers, and destructors behind our end, may allocate'
awk '$1 == "row" && ($4 < 0 || $5 < 0) { bad = 1 } END { exit bad }' out
ok $? 'and nothing in use is below 0'
heap 1 load threads 2
is "$status $(seen a_thread | cut -d ' ' -f 3-)" '0 0 0' 'eight threads that free for each other leave nothing'

heap 1 load fork x
exact 'fork: parent and child have their own objects, and what is inherited is freed in silence'
is "$(grep -c ^process out)" 2 'and tables of their own'

for rate in 1 4096; do
	heap $rate load storm 100
	is "$status $(grep bad out)" '0 0 bad' "at rate $rate 100 children of a busy process allocate and free"
done
done_testing
