#!/bin/sh
# t875-attack-life-served.t - programs that serve their profiles are stopped, killed, replaced, or out of resources
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/served.sh"
compile attacked -I"$top_srcdir/src/libcpaprof/api"
exec_python attack_life.py served
