#!/bin/sh
# recorded.t - cpa prints the same as pprof did for the same command lines
# SPDX-License-Identifier: Apache-2.0
#
# RECORD=PPROF records the outputs of that program again (see script/golden).
. "${top_srcdir:?}/tests/cli/lib.sh"

here=$top_srcdir/tests/compat
export PPROF_BINARY_PATH=/nonexistent PPROF_TMPDIR="$tmp" HOME="$tmp"
while IFS= read -r args; do
	case $args in '#'*) continue ;; esac
	want=$here/recorded/$(printf '%s' "$args" | tr ' /' '._').txt
	# shellcheck disable=SC2086 # the words of a case are words of a command line
	[ -z "${RECORD:-}" ] || "$RECORD" -symbolize=none $args >"$want" 2>/dev/null
	# shellcheck disable=SC2086
	"$CPA" -symbolize=none $args >"$tmp/got" 2>"$tmp/err"
	same "cpa $args prints the same as pprof" "$want" "$tmp/got"
done <"$here/cases.txt"
done_testing
