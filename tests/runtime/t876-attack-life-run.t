#!/bin/sh
# t876-attack-life-run.t - programs that are stopped, killed, replaced, or short of everything, while cpa run serves them
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/served.sh"
compile attacked -I"$top_srcdir/src/libcpaprof/api"
exec_python attack_life.py run
