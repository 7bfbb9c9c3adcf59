#!/bin/sh
# t341-asleep.t - starting and stopping CPU profiles does not wake a sleeping thread
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
built=$here/${top_builddir:-.}
case ${top_builddir:-.} in /*) built=$top_builddir ;; esac
libs="-L$built/src/libcpaprof -Wl,-rpath,$built/src/libcpaprof -lcpaprof"
compile asleep -I"$top_srcdir/src/libcpaprof/api"
timeout 60 ./asleep 5 >out 2>err
is "$? $(cat out err)" '0 0' 'a sleeping thread is not woken while profiled threads end'
done_testing
