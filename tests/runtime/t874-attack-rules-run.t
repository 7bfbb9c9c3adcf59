#!/bin/sh
# t874-attack-rules-run.t - forbidden requests to cpa run --enable-profiling, and information leaks
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/served.sh"
compile attacked -I"$top_srcdir/src/libcpaprof/api"
exec_python attack_rules.py run
