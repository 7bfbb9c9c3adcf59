#!/bin/sh
# t873-attack-rules-served.t - forbidden requests to a program that serves its profiles, and information leaks
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/served.sh"
compile attacked -I"$top_srcdir/src/libcpaprof/api"
exec_python attack_rules.py served
