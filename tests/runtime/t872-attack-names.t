#!/bin/sh
# t872-attack-names.t - malicious names of threads, profiles, labels and paths
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/served.sh"
compile attacked -I"$top_srcdir/src/libcpaprof/api"
exec_python attack_names.py served
