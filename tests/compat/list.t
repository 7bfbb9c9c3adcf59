#!/bin/sh
# list.t - list prints the same as pprof, for every test profile
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/compat/pprof.sh"

# Functions of Go's standard library are not compared: cpa finds their sources, pprof does not.
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
		-list=shop -source_path=make/shop
		-list=^main -source_path=make -trim_path=/src
		-list=shop|tally|grid -source_path=make -noinlines -cum -trim_path=/src
		-list=leaf|work|f1 -source_path=make -unit=auto -trim_path=/src
		-list=tally|Field -source_path=none:make/tally:make/grid -trim_path=/src
		-list=^[a-z]*$ -source_path=none -focus=main -sample_index=0 -trim_path=/usr:shop
	END
done
done_testing
