#!/bin/sh
# calls.t - tree, peek, dot and callgrind print the same as pprof, for every test profile
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/compat/pprof.sh"

for file in *.* edge/*; do
	case $file in *.md | *.mk) continue ;; esac
	while IFS= read -r args; do
		# shellcheck disable=SC2086 # the words of a command line
		"$pprof" -symbolize=none $args "$file" >"$tmp/want" 2>/dev/null
		want=$?
		# shellcheck disable=SC2086
		"$CPA" -symbolize=none $args "$file" >"$tmp/got" 2>"$tmp/err"
		got=$?
		compare_outputs "${args#-} $file"
	done <<-'END'
		-tree
		-tree -cum -nodecount=10
		-tree -lines -nodefraction=0
		-peek=a
		-peek=main -noinlines
		-dot
		-dot -nodecount=10
		-dot -lines -nodefraction=0.02 -edgefraction=0
		-dot -addresses -nodecount=20
		-callgrind
	END
done
done_testing
