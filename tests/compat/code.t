#!/bin/sh
# code.t - disasm and weblist print what pprof prints, with the same objdump
# SPDX-License-Identifier: Apache-2.0
#
# It is held against pprof itself (go install github.com/google/pprof@latest), since that of Go knows Go
# programs only. PPROF_ITSELF names it.
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/asm.sh"

pprof=${PPROF_ITSELF:-$(command -v pprof)}
if [ -z "$pprof" ] || ! command -v llvm-objdump >/dev/null || ! command -v llvm-symbolizer >/dev/null; then
	echo '1..0 # SKIP pprof itself, llvm-objdump or llvm-symbolizer not found: go install github.com/google/pprof@latest'
	exit 0
fi
export PPROF_BINARY_PATH=/nonexistent PPROF_TMPDIR="$tmp"

# Code in front of what is looked at: pprof does not show the first 500 bytes of a mapping.
i=0
while [ $i -lt 100 ]; do
	i=$((i + 1))
	echo "int pad_$i(int n) { return n * $i + n / $i; }"
done >"$tmp/pad.c"

# hold FILE OPTION...: the same page or listing of both; the policy of a page is ours alone
hold() {
	file=$1
	shift
	rm -f "$tmp/want" "$tmp/page"
	"$pprof" "$@" -output="$tmp/want" "$file" 2>"$tmp/err"
	want=$?
	"$CPA" "$@" -symbolize=none -output="$tmp/page" "$file" 2>>"$tmp/err"
	got=$?
	grep -v '^  <meta http-equiv="Content-Security-Policy"' "$tmp/page" >"$tmp/got"
	[ -s "$tmp/want" ] && [ $want -eq $got ] && cmp -s "$tmp/want" "$tmp/got"
	same=$?
	[ $same -eq 0 ] || diff "$tmp/want" "$tmp/got" | head -n 20 >"$tmp/diff"
	[ $same -eq 0 ] || note "$tmp/diff"
	result $same "${file##*/} $*"
}

for compiler in gcc clang; do
	command -v $compiler >/dev/null || continue
	for flags in '-O0 -fno-pie -no-pie' '-O2 -fno-pie -no-pie' '-O2 -fpie -pie' '-Os -fpie -pie'; do
		prog=$tmp/$compiler-$(echo "$flags" | tr -d ' -')
		# shellcheck disable=SC2086 # words
		$compiler -g $flags -o "$prog" "$tmp/pad.c" "$source" 2>"$tmp/cc" || continue
		bias=0
		case $flags in *-fpie*) bias=$((0x555555554000)) ;; esac
		work=$(address "$prog" prog_work) idle=$(address "$prog" prog_idle)
		profile "$prog" "$bias" "$work" "$(printf '%x' $((0x$work + 5)))" "$idle" >"$prog.heap"
		"$pprof" -proto -output="$prog.pb.gz" "$prog.heap" 2>"$tmp/err" || continue
		hold "$prog.pb.gz" -disasm=prog_work
		hold "$prog.pb.gz" -disasm=. -intel_syntax
		[ "$bias" -ne 0 ] || hold "$prog.pb.gz" "-disasm=0x$work"
		hold "$prog.pb.gz" -weblist=prog_work
		hold "$prog.pb.gz" -weblist=. -intel_syntax
	done
done
done_testing
