#!/bin/sh
# labels.t - cpa traces, tags and comments print the same as pprof, for every test profile
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/compat/pprof.sh"

for file in *.* edge/*; do
	case $file in *.md) continue ;; esac
	while IFS= read -r args; do
		# shellcheck disable=SC2086 # the words of a command line
		"$pprof" -symbolize=none $args "$file" >"$tmp/want" 2>/dev/null
		want=$?
		# shellcheck disable=SC2086
		"$CPA" -symbolize=none $args "$file" >"$tmp/got" 2>"$tmp/err"
		got=$?
		compare_outputs "${args#-} $file"
	done <<-'END'
		-traces
		-traces -addresses
		-traces -lines -noinlines
		-traces -files -unit=ms
		-traces -mean
		-traces -sample_index=0 -divide_by=7
		-tags
		-tags -mean -unit=kb
		-tags -sample_index=0 -divide_by=7
		-comments
	END
done
done_testing
