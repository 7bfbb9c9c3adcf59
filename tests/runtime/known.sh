# shellcheck shell=sh
# known.sh - run a Python test of a program with known profiles, linked and under cpa run
# SPDX-License-Identifier: Apache-2.0
#
# Source it after served.sh: it builds ./known in its folder.
# shellcheck disable=SC2154 # built, libs: set by served.sh
compile known -I"${top_srcdir:?}/src/libcpaprof/api"
export top_srcdir
