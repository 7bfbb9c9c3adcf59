#!/bin/sh
# code.t - disasm and weblist print the same as pprof with the same objdump
# SPDX-License-Identifier: Apache-2.0
#
# The reference is google/pprof, since the pprof of Go prints Go assembler. PPROF_ITSELF names the program; see
# docs/differences.md for the version.
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/asm.sh"

pprof=${PPROF_ITSELF:-$(command -v pprof)}
if [ -z "$pprof" ] || ! command -v llvm-objdump >/dev/null || ! command -v llvm-symbolizer >/dev/null; then
	echo '1..0 # SKIP pprof itself, llvm-objdump or llvm-symbolizer not found: go install github.com/google/pprof@latest'
	exit 0
fi
export PPROF_BINARY_PATH=/nonexistent PPROF_TMPDIR="$tmp"

# Code before the tested code: pprof does not show the first 500 bytes of a mapping.
i=0
while [ $i -lt 100 ]; do
	i=$((i + 1))
	echo "int pad_$i(int n) { return n * $i + n / $i; }"
done >"$tmp/pad.c"

# compare FILE OPTION...: compare the page or listing of pprof and cpa; only our pages have a content security policy
compare() {
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

# compare_code FILE: compare the instructions and their values on the page of a recursive program. Values of lines and
# functions differ: pprof adds up their instructions, and a sample may be in several instructions.
compare_code() {
	"$pprof" -weblist=. -output="$tmp/want.html" "$1" 2>"$tmp/err"
	"$CPA" -weblist=. -symbolize=none -output="$tmp/got.html" "$1" 2>>"$tmp/err"
	for page in want got; do
		sed -n 's/\(<span class=line>[^<]*<.span> <span class=[a-z]*>\) *[^ ]* *[^ ]* /\1/; /class=line/,$p' \
			"$tmp/$page.html" | sed '/^ *Total: /d' >"$tmp/$page"
	done
	sed -n 's/.*(flat, cum) *\([0-9.]*\)%.*/\1/p' "$tmp/got.html" >"$tmp/share"
	[ -s "$tmp/want" ] && [ -s "$tmp/share" ] && awk '$1 > 100 { exit 1 }' "$tmp/share" && cmp -s "$tmp/want" "$tmp/got"
	same=$?
	[ $same -eq 0 ] || diff "$tmp/want" "$tmp/got" | head -n 20 >"$tmp/diff"
	[ $same -eq 0 ] || note "$tmp/diff"
	result $same "${1##*/} -weblist of recursive calls: same instructions, nothing over 100 %"
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
		compare "$prog.pb.gz" -disasm=prog_work
		compare "$prog.pb.gz" -disasm=. -intel_syntax
		[ "$bias" -ne 0 ] || compare "$prog.pb.gz" "-disasm=0x$work"
		compare "$prog.pb.gz" -weblist=prog_work
		compare "$prog.pb.gz" -weblist=. -intel_syntax
		sed 's/@ \(0x.*\)$/@ \1 \1 '"$(printf '0x%x' $((0x$work + bias + 1)))"' \1/' "$prog.heap" >"$prog-again.heap"
		"$pprof" -proto -output="$prog-again.pb.gz" "$prog-again.heap" 2>"$tmp/err" || continue
		compare_code "$prog-again.pb.gz"
	done
done
done_testing
