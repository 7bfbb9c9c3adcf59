#!/bin/sh
# t360-asm.t - the Assembly view, and instructions in the Source view: a program built here, compared with disasm
# SPDX-License-Identifier: Apache-2.0

# shellcheck source=SCRIPTDIR/lib.sh
. "${top_srcdir:?}/tests/shell/lib.sh"
# shellcheck source=SCRIPTDIR/../cli/asm.sh
. "$top_srcdir/tests/cli/asm.sh"

work=$(address "$tmp/prog" prog_work)
idle=$(address "$tmp/prog" prog_idle)
main=$(address "$tmp/prog" main)
objdump -d --no-show-raw-insn --start-address="0x$work" --stop-address="0x$(after "$tmp/prog" prog_work)" "$tmp/prog" |
	sed -n 's/^ *\([0-9a-f]*\):.*/\1/p' >"$tmp/addrs"
third=$(sed -n 3p "$tmp/addrs")
# Line numbers refer to asm.c. A loop in prog_work ends with a jump back.
jump=$(objdump -d --no-show-raw-insn --start-address="0x$work" --stop-address="0x$(after "$tmp/prog" prog_work)" "$tmp/prog" |
	sed -n 's/^ *\([0-9a-f]*\):[[:space:]]*j[a-z]* *\([0-9a-f]*\) <.*/\1 \2/p' | head -n 1)
profile "$tmp/prog" 0 "$work" "$third" "$idle" "$main" >"$tmp/heap"

# asm KEYS ARG...: like play, with the profile and the binary of the test program
asm() {
	keys=$1
	shift
	play "$keys" -symbolize=local --size=110x50 -tools="$tmp/gnu" "$@" "$tmp/heap" 2>"$tmp/err"
}
# says TEXT KEYS ARG...: TEXT is on the screen after KEYS
says() {
	text=$1
	shift
	asm "$@" >"$tmp/out"
	grep -qF -e "$text" "$tmp/out"
	found=$?
	[ "$found" -eq 0 ] || note "$tmp/out"
	result "$found" "\"$text\" is shown after $1"
}

rows() { # flat, cum, address, instruction
	sed -n 's/ *[█│]$//; s/^ *\([^ ]*\) *\([^ ]*\) [ ▏▎▍▌▋▊▉█░]* \([0-9a-f]*\)[ └┌│][ ─>]\([a-z]*\) *\([^ ]*\).*/\1 \2 \3 \4 \5/p'
}
"$CPA" disasm prog_work -symbolize=local -tools="$tmp/gnu" "$tmp/heap" 2>/dev/null |
	sed -n '4,$s/^ *\([^ ]*\) *\([^ ]*\) *\([0-9a-f]*\): \([a-z]*\) *\([^ ;]*\).*/\1 \2 \3 \4 \5/p' >"$tmp/should"
asm ': "disasm prog_work" Enter g' | sed '1,4d' | rows >"$tmp/is"
[ "$(wc -l <"$tmp/should")" -gt 5 ] && same "addresses, instructions and their values are those of disasm" "$tmp/should" "$tmp/is"
asm ': "disasm ." Enter' | sed -n 3p | grep -q '^main  1 of 3  *flat 4B 40.00%'
result $? "the function with the largest value is first"
asm ': "disasm ." Enter } }' | sed -n 3p | grep -q '^prog_work  3 of 3 '
result $? "} pressed twice goes to the third function"
asm ': "disasm ." Enter {' | sed -n 3p | grep -q '^prog_work  3 of 3 '
result $? "{ goes from the first function to the last"
asm ': "disasm ." Enter L Show j Enter' >"$tmp/out"
grep -q '^  *4B  *4B .*main$' "$tmp/out" && grep -q '^prog_idle  2 of 3' "$tmp/out"
result $? "L lists functions, Enter shows the selected one"
says 'only this function matches' ': "disasm prog_work" Enter }'
says "instruction 0x$third, 1 of 2 by flat" ': "disasm prog_work" Enter g ] ] ]'
says "instruction 0x$work, 2 of 2 by flat" ': "disasm prog_work" Enter [ n N'
says 'intel_syntax=true' ': "disasm prog_work" Enter I'
says '"zzz" does not occur in this function' ': "disasm prog_work" Enter / "zzz"'
says 'no known jump target; e shows the source' ': "disasm prog_work" Enter g Enter'

# A jump can be followed, and Backspace returns from it.
from=${jump% *} to=${jump#* }
asm ": \"disasm prog_work\" Enter / \"$from\" Enter" >"$tmp/out"
grep -q " ${from}[└┌]─j" "$tmp/out" && grep -q " ${to}[└┌]>" "$tmp/out"
result $? "a line leads from the selected jump to its target"
asm ": \"disasm prog_work\" Enter / \"$from\" Enter Enter" >"$tmp/out"
asm ": \"disasm prog_work\" Enter / \"$from\" Enter Enter Backspace" >"$tmp/back"
! grep -q " ${from}[└┌]─j" "$tmp/out" && grep -q " ${from}[└┌]─j" "$tmp/back" && grep -q '(cpa) disasm prog_work' "$tmp/back"
result $? "Enter follows a jump, Backspace returns"
says 'no known jump target' ": \"disasm prog_work\" Enter / \"$from\" Enter Enter Enter"
says "(cpa) disasm 0x$work" ': "disasm ^main$" Enter / "prog_work" Enter Enter'
asm ': "disasm ^main$" Enter / "prog_work" Enter Enter' | sed -n 3p | grep -q '^prog_work '
result $? "Enter on a call goes to the called function"
says '(cpa) list ^prog_work$' ': "disasm prog_work" Enter e' -source_path="$top_srcdir/tests/symbol"
asm ': "disasm prog_work" Enter e' -source_path="$top_srcdir/tests/symbol" | grep -q 'prog_work(int n)'
result $? "key e shows the source"
says '(cpa) peek ^prog_work$' ': "disasm prog_work" Enter p'
asm ': "disasm prog_work" Enter j j : "unit=kb" Enter' | sed -n 4p | grep -q '^prog_work '
result $? "the function stays when an option changes"

# An inlined function has no symbol: its instruction with the largest value is shown inside another function.
at=$("$CPA" disasm prog_work -symbolize=local -tools="$tmp/gnu" "$tmp/heap" 2>/dev/null | sed -n 's/^ *[^ ]* *[^ ]* *\([0-9a-f]*\): .*;prog_inlined .*/\1/p' | head -n 1)
profile "$tmp/prog" 0 "$main" "$work" "$at" >"$tmp/inlined"
play ': "disasm ^prog_inlined$" Enter' -symbolize=local --size=110x24 -tools="$tmp/gnu" "$tmp/inlined" >"$tmp/out" 2>"$tmp/err"
sed -n 3p "$tmp/out" | grep -q '^prog_work ' && grep -q '^ *3B *3B .*'"$at"' .*prog_inlined asm.c:11' "$tmp/out" &&
	grep -q 'inlined everywhere; showing the function that contains most of it' "$tmp/out"
result $? "a fully inlined function is shown inside the function that contains most of it"

# Missing functions, tools and files are reported.
says 'no matches found for regexp nosuch' ': "disasm nosuch" Enter'
says 'no objdump found' ': "disasm prog_work" Enter' -tools=/nowhere
sed "s,$tmp/prog,$tmp/gone/prog," "$tmp/heap" >"$tmp/heap-gone"
play ': "disasm ." Enter' --size=200x24 "$tmp/heap-gone" 2>/dev/null | grep -q 'no machine code of prog: .*gone/prog'
result $? "a missing program is reported"
shows 'no machine code of shop' 'a' --size=200x24 go-cpu.pb.gz
mkdir "$tmp/fake"
cat >"$tmp/fake/objdump" <<END
#!/bin/sh
[ "\$1" != --version ] || { echo GNU objdump; exit 0; }
printf '%s <prog_work>:\n\033[31mred():\n/tmp/\033]0;x\007.c:5\n  %s:\tcall <\033[2J>\n  %x:\tret\n  0:\tlow\n' \
	"$work" "$work" "$((0x$work + 1))"
END
chmod +x "$tmp/fake/objdump"
play ': "disasm prog_work" Enter' -symbolize=local --size=110x24 -tools="$tmp/fake" "$tmp/heap" >"$tmp/out" 2>"$tmp/err"
grep -qF 'call   <\x1b[2J>' "$tmp/out" && ! grep -q "$(printf '\033')" "$tmp/out"
result $? "control characters in names are escaped"

# The Source view shows instructions below their source lines.
src="-source_path=$top_srcdir/tests/symbol"
# shellcheck disable=SC2086 # a command line
asm ': "list ^prog_work$" Enter a' $src >"$tmp/out"
grep -q "| $work  " "$tmp/out" && grep -q "__attribute__((noinline)) int prog_work" "$tmp/out"
result $? "key a shows instructions below their source lines"
"$CPA" disasm prog_work -symbolize=local -tools="$tmp/gnu" "$tmp/heap" 2>/dev/null | sed -n '4,$s/^ *\([^ .]*\) *\([^ .]*\) *\([0-9a-f]*\): .*/\1 \2 \3/p' |
	sort >"$tmp/should"
sed -n 's/^ *\([0-9]*B\) *\([0-9]*B\) .*| *\([0-9a-f]*\)  .*/\1 \2 \3/p' "$tmp/out" | sort -u >"$tmp/is"
same "instructions with values are those of disasm" "$tmp/should" "$tmp/is"
grep -q '| *> return x \* 3 + (x >> 2);  asm.c:11' "$tmp/out"
result $? "inlined calls precede their instructions"
# shellcheck disable=SC2086 # a command line
asm ': "list ^prog_work$" Enter a a' $src | grep -q "| $work  "
result $((! $?)) "key a pressed again hides the instructions"
# shellcheck disable=SC2086 # a command line
says "| $work  " ': "list ^prog_work$" Enter / "for" Enter Enter' $src
# shellcheck disable=SC2086 # a command line
says "(cpa) disasm 0x$work" ": \"list ^prog_work\$\" Enter a / \"$work \" Enter Enter" $src

for size in 1x1 2x2 3x3 7x4 20x5 40x10 80x1 1x24 200x60; do
	asm ': "disasm ." Enter ] ] } n N L j Enter / "j" Enter n Enter Backspace h l G g Click(0,0) Double(1,1) e' --size=$size >"$tmp/out"
	result $? "assembly is drawn at $size"
done
done_testing
