#!/bin/sh
# t870-attack-served.t - floods against a program that serves its profiles
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/served.sh"
compile attacked -I"$top_srcdir/src/libcpaprof/api"
exec_python attack_flood.py served
