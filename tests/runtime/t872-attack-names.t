#!/bin/sh
# t872-attack-names.t - names of threads, profiles and labels, and paths, that are made to be something else
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/served.sh"
compile attacked -I"$top_srcdir/src/libcpaprof/api"
exec_python attack_names.py served
