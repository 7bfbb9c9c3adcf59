#!/bin/sh
# t871-attack-run.t - floods against cpa run --enable-profiling
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/served.sh"
compile attacked -I"$top_srcdir/src/libcpaprof/api"
exec_python attack_flood.py run
