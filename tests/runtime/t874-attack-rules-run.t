#!/bin/sh
# t874-attack-rules-run.t - who may not ask cpa run --enable-profiling, and what nobody learns
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/served.sh"
compile attacked -I"$top_srcdir/src/libcpaprof/api"
exec_python attack_rules.py run
