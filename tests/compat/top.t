#!/bin/sh
# top.t - cpa top prints the same as pprof -top, for every test profile and many options
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/compat/pprof.sh"

for file in *.* edge/*; do
	case $file in *.md) continue ;; esac
	while IFS= read -r args; do
		# shellcheck disable=SC2086 # the words of a command line
		"$pprof" -symbolize=none -top $args "$file" >"$tmp/want" 2>/dev/null
		want=$?
		# shellcheck disable=SC2086
		"$CPA" top -symbolize=none $args "$file" >"$tmp/got" 2>"$tmp/err"
		got=$?
		compare_outputs "top $args $file"
	done <<-'END'

		-cum
		-lines
		-addresses
		-filefunctions
		-noinlines
		-sample_index=0
		-unit=ms
		-mean
		-nodecount=10
		-nodefraction=0 -nodecount=0
	END
done
done_testing
