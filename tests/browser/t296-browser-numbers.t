#!/bin/sh
# t296-browser-numbers.t - every surface has the same numbers for random functions of random profiles
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/browser/browser.sh"

# NUMBERS=2000 asks more questions; SEED=N repeats a round; PPROF=FILE is another pprof than that of Go.
PATH=$PATH:/usr/local/go/bin
[ -n "${PPROF:-}" ] || PPROF=$(HOME=$users_home XDG_CACHE_HOME=$users_cache go tool -n pprof 2>/dev/null)
[ -x "$PPROF" ] || PPROF=
export CPA PPROF PPROF_TMPDIR="$tmp"
browser one_number.py "$tmp" "${NUMBERS:-300}" ${SEED:+"$SEED"}
