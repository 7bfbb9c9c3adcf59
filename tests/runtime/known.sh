# shellcheck shell=sh
# known.sh - for tests that are written in Python, of a program that knows its profiles; linked and under cpa run
# SPDX-License-Identifier: Apache-2.0
#
# Source it behind served.sh: it builds ./known in its folder.
# shellcheck disable=SC2154 # built, libs: of served.sh
compile known -I"${top_srcdir:?}/src/libcpaprof/api"
export top_srcdir
