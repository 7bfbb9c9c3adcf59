#!/bin/sh
# t520-locks-cxx.t - waits of C++ threads
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
. "$top_srcdir/tests/runtime/locks.sh"
if ! ${CXX:-c++} -std=c++17 -O1 -g -o locks_cxx "$top_srcdir/tests/runtime/locks_cxx.cc" -pthread 2>err; then
	echo "1..0 # SKIP no C++ compiler"
	exit 0
fi

waits 1ns 1 ./locks_cxx
is "$status" 0 'the program ends the same as without cpa'
for name in waits_for_mutex waits_for_shared waits_for_condition waits_a_while; do
	between "$(said $name)" 30000000 1000000000 "$name waits"
	within "$(share b.pb.gz $name)" "$(said $name)" 5 "the block profile contains the wait of $name"
done
within "$(share m.pb.gz lets_mutex_go)" "$(said waits_for_mutex)" 5 'std::mutex: the holder is charged'
within "$(share m.pb.gz lets_shared_go)" "$(said waits_for_shared)" 5 'std::shared_mutex: the holder is charged'
is "$(counts c.pb.gz makes_threads)" 5 'std::thread: threads are counted in the function that creates them'
is "$(counts c.pb.gz main)" 6 'std::thread: all threads are counted'
done_testing
