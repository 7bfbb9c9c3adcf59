#!/bin/sh
# t873-attack-rules-served.t - who may not ask a program that serves its profiles, and what nobody learns
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/served.sh"
compile attacked -I"$top_srcdir/src/libcpaprof/api"
exec_python attack_rules.py served
