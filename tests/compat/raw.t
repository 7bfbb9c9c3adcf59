#!/bin/sh
# raw.t - the readers take from every test profile what go tool pprof takes
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/compat/pprof.sh"

for file in *.* edge/*; do
	case $file in *.md) continue ;; esac
	"$pprof" -symbolize=none -raw "$file" >"$tmp/want" 2>/dev/null
	want=$?
	"${top_builddir:?}/tests/compat/rawdump" "$file" >"$tmp/got" 2>"$tmp/err"
	got=$?
	against "raw $file"
done
done_testing
