#!/bin/sh
# t530-locks-api.t - programs tell of waits, and set the rates
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
	'setting a rate gives the one before, and less than 0 only asks'
is "$(share b.pb.gz caller_is_charged)" 10000000 'a block event has its time'
is "$(share b.pb.gz caller_is_charged 1)" 10000000 'at the caller of the function that is to be skipped'
is "$(counts b.pb.gz caller_is_charged)" 10 'and its number'
is "$(share m.pb.gz tells_mutex 1)" 20000000 'a mutex event has its time where it was told'
within "$(share b.pb.gz tells_small)" 100000000 5 'a rate that was set at run time holds: 100000 of 1 us at 10 us'
within "$(counts b.pb.gz tells_small)" 100000 5 'and their number is right'
is "$(share b.pb.gz while_off)$(share m.pb.gz while_off)" '' 'rates of 0 keep nothing'

./locks_api >out
is "$?$(head -2 out | tr '\n' ' ')" '0block_rate 0 fraction 0 ' 'without cpa run nothing is on'
done_testing
