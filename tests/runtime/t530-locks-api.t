#!/bin/sh
# t530-locks-api.t - programs report waits and set the rates
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
. "$top_srcdir/tests/runtime/locks.sh"
built=$here/${top_builddir:-.}
case ${top_builddir:-.} in /*) built=$top_builddir ;; esac
libs="-L$built/src/libcpaprof -Wl,-rpath,$built/src/libcpaprof -lcpaprof"
compile locks_api -Wall -I"$top_srcdir/src/libcpaprof/api"

waits 1ns 1 ./locks_api
is "$status" 0 'the program ends'
is "$(tr '\n' ' ' <out)" \
	'block_rate 1 fraction 1 block_rate 1 block_rate 10000 fraction 1 block_rate 0 fraction 0 ' \
	'setting a rate returns the old rate, and a negative rate changes nothing'
is "$(share b.pb.gz caller_is_charged)" 10000000 'a block event has the reported time'
is "$(share b.pb.gz caller_is_charged 1)" 10000000 'a block event is charged to the caller of the skipped function'
is "$(counts b.pb.gz caller_is_charged)" 10 'block events are counted'
is "$(share m.pb.gz tells_mutex 1)" 20000000 'a mutex event has the reported time, in the function that reported it'
within "$(share b.pb.gz tells_small)" 100000000 5 'a rate set at run time is used: 100000 waits of 1 us at a rate of 10 us'
within "$(counts b.pb.gz tells_small)" 100000 5 'the count of waits at a rate set at run time is right'
is "$(share b.pb.gz while_off)$(share m.pb.gz while_off)" '' 'rates of 0 record nothing'

./locks_api >out
is "$?$(head -2 out | tr '\n' ' ')" '0block_rate 0 fraction 0 ' 'without cpa run all rates of waits are 0'
done_testing
