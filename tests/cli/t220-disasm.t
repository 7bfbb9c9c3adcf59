#!/bin/sh
# t220-disasm.t - cpa disasm of a small program, compared with the output of objdump
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/asm.sh"

work=$(address "$tmp/prog" prog_work)
next=$(after "$tmp/prog" prog_work)
last=$(printf '%x' $((0x$next - 1)))
objdump -d --no-show-raw-insn --start-address="0x$work" --stop-address="0x$next" "$tmp/prog" |
	sed -n 's/^ *\([0-9a-f]*\):[[:space:]]*\(.*[^[:space:]]\)[[:space:]]*$/\1: \2/p' >"$tmp/want"
third=$(sed -n '3s/:.*//p' "$tmp/want")
profile "$tmp/prog" 0 "$work" "$(printf '%x' $((0x$third + 1)))" "$last" >"$tmp/heap"

"$CPA" disasm prog -tools="$tmp/gnu" "$tmp/heap" >"$tmp/out" 2>"$tmp/err"
[ "$(sed -n 2p "$tmp/out")" = 'ROUTINE ======================== prog_work' ] &&
	[ "$(sed -n 3p "$tmp/out")" = '        6B         6B (flat, cum)   100% of Total' ] && [ ! -s "$tmp/err" ]
result $? "a matching symbol is shown with all its samples, up to the last byte"
sed -n '4,$s/^.\{21\} *\([0-9a-f]*: [^;]*[^; ]\) *\(;.*\)*$/\1/p' "$tmp/out" >"$tmp/got"
same "the instructions are those of objdump" "$tmp/want" "$tmp/got"
grep "$work: " "$tmp/out" | grep -q '^        1B         1B .*;prog_work asm\.c:[0-9]*$'
result $? "the first instruction has its sample, function and line"
grep "$third: " "$tmp/out" | grep -q '^        2B '
result $? "a sample within an instruction counts for the instruction"
tail -n 1 "$tmp/out" | grep -q '^        3B '
result $? "a sample on the last byte counts for the last instruction"
grep -q ';prog_inlined asm.c:11$' "$tmp/out"
result $? "inlined functions are shown"

"$CPA" disasm "0x$work" -tools="$tmp/gnu" "$tmp/heap" >"$tmp/by-address" 2>/dev/null
same "an address selects the symbol that contains it" "$tmp/out" "$tmp/by-address"
"$CPA" -disasm=prog_w.rk\|prog -tools="objdump:$tmp/gnu,$tmp/nowhere" "$tmp/heap" >"$tmp/by-flag" 2>/dev/null
same "-tools accepts objdump:PATH" "$tmp/out" "$tmp/by-flag"
PPROF_TOOLS="$tmp/gnu" "$CPA" disasm prog "$tmp/heap" >"$tmp/by-env" 2>/dev/null
same "PPROF_TOOLS works like -tools" "$tmp/out" "$tmp/by-env"
if "$CPA" disasm prog -tools="$tmp/gnu" -intel_syntax "$tmp/heap" | grep -q ' %e'; then grep -q ' %e' "$tmp/out" && false; fi
result $? "-intel_syntax prints Intel syntax"
"$CPA" disasm prog -tools="$tmp/gnu" --json "$tmp/heap" >"$tmp/json"
[ "$(grep -c '"routine": "prog_work", "address": "0x' "$tmp/json")" -eq "$(wc -l <"$tmp/want")" ]
result $? "JSON contains a row per instruction"
if "${PYTHON3:-python3}" -c 'import jsonschema' 2>/dev/null; then
	"${PYTHON3:-python3}" - "$top_srcdir/docs/schema/report.schema.json" "$tmp/json" <<'PY'
import json, sys, jsonschema
schema, report = (json.load(open(f)) for f in sys.argv[1:])
jsonschema.Draft201909Validator(schema).validate(report)
PY
	result $? "the JSON is valid against the schema"
fi
"$CPA" disasm prog -tools="$tmp/gnu" --csv "$tmp/heap" | sed -n 2p |
	grep -q "^\"prog_work\",\"0x$work\",1,1,\".*\",\"prog_work\",\"asm.c\",[0-9]*,\"bytes\"\$"
result $? "CSV contains all columns"
"$CPA" disasm prog -tools="$tmp/gnu" --color=always "$tmp/heap" | grep -q "^.\[31m        2B .*$third: "
result $? "an instruction with a high value is coloured"

fails 'no matches found for regexp nosuch$' disasm nosuch "$tmp/heap"
inlined=$("$CPA" disasm prog -tools="$tmp/gnu" "$tmp/heap" | sed -n '/;prog_inlined asm.c/{s/^.\{21\} *\([0-9a-f]*\): .*/\1/p;q;}')
profile "$tmp/prog" 0 "$inlined" >"$tmp/heap-inlined"
"$CPA" symbolize -symbolize=local -o "$tmp/inlined.pb.gz" "$tmp/heap-inlined" 2>"$tmp/err" || note "$tmp/err"
fails 'no matches found for regexp ^prog_inlined$; it is inlined everywhere, try: cpa disasm prog_work$' disasm '^prog_inlined$' "$tmp/inlined.pb.gz"
fails 'no matches found for regexp nosuch$' disasm nosuch "$tmp/inlined.pb.gz"
fails 'no matches found for address 0x1$' disasm 0x1 "$tmp/heap"
fails "address 0x$(address "$tmp/prog" main) found in binary, but the corresponding symbols do not have samples" \
	disasm "0x$(address "$tmp/prog" main)" "$tmp/heap"
fails 'no objdump found in -tools=/nowhere; ' disasm prog -tools=/nowhere "$tmp/heap"
sed "s,$tmp/prog,$tmp/gone/prog," "$tmp/heap" >"$tmp/heap-gone"
fails 'no machine code of prog: .*gone/prog' disasm prog -symbolize=none "$tmp/heap-gone"
# Price is inlined everywhere, so no symbol has this name.
fails 'no machine code of shop (build ID b189[0-9a-f]*): stat /tmp/.*/shop: no such.*; also tried /usr/lib/debug/.build-id/b1/' \
	disasm Price go-cpu.pb.gz
fails 'no machine code: functions that match core::tuple have no addresses in the profile$' disasm core::tuple rust-cpu.pb.gz
"$CPA" disasm -v Price go-cpu.pb.gz 2>"$tmp/err"
[ "$(grep -c 'no machine code of shop' "$tmp/err")" -eq 1 ] && grep -q '/usr/lib/debug/.build-id/b1/.*: not found' "$tmp/err"
result $? "-v prints each path searched and its error" || note "$tmp/err"
fails 'parsing disasm regexp: error parsing regexp: missing closing' disasm '(' "$tmp/heap"

# A one-byte instruction at the end of a symbol is shown even without samples.
idle=$(address "$tmp/prog" prog_idle)
objdump -d --no-show-raw-insn --start-address="0x$idle" --stop-address="0x$(after "$tmp/prog" prog_idle)" "$tmp/prog" |
	sed -n 's/^ *\([0-9a-f]*\):[[:space:]].*/\1/p' >"$tmp/want"
profile "$tmp/prog" 0 "$idle" >"$tmp/heap-idle"
"$CPA" disasm prog -tools="$tmp/gnu" "$tmp/heap-idle" | sed -n '4,$s/^.\{21\} *\([0-9a-f]*\): .*/\1/p' >"$tmp/got"
same "the last instruction of a symbol is shown even without samples" "$tmp/want" "$tmp/got"

# The program is given before a profile without mappings.
"${PYTHON3:-python3}" "$top_srcdir/tests/symbol/make_profile.py" "$tmp/bare.pb" "$work*3"
"$CPA" disasm prog -tools="$tmp/gnu" "$tmp/prog" "$tmp/bare.pb" 2>"$tmp/err" | grep -q "^ *3  *3 *$work: "
result $? "the program for a profile without mappings can be given before it"

# The output of objdump contains names from the program, which may contain any bytes.
mkdir "$tmp/fake"
cat >"$tmp/fake/objdump" <<END
#!/bin/sh
[ "\$1" != --version ] || { echo GNU objdump; exit 0; }
echo "\$@" >"$tmp/args"
printf '%s <prog_work>:\n\033[31mred():\n/tmp/\033]0;x\007.c:5\n  %s:\tcall <\033[2J>\n  %x:\tret\n  0:\tlow\n' \
	"$work" "$work" "$((0x$work + 1))"
END
chmod +x "$tmp/fake/objdump"
"$CPA" disasm prog -tools="$tmp/fake" "$tmp/heap" >"$tmp/out" 2>"$tmp/err"
sed -n '4,$p' "$tmp/out" >"$tmp/got"
printf '        1B         1B %10s: %-40s;%s\n' "$work" 'call <\x1b[2J>' '\x1b[31mred \x1b]0;x\x07.c:5' >"$tmp/want"
printf '        5B         5B %10x: ret\n' $((0x$work + 1)) >>"$tmp/want"
same "control characters are escaped, and instructions outside the symbol are ignored" "$tmp/want" "$tmp/got"
grep -q -e "--start-address=0x$work --stop-address=0x$next .*prog\$" "$tmp/args"
result $? "objdump is run for the addresses of the symbol only"
cat >"$tmp/fake/objdump" <<'END'
#!/bin/sh
[ "$1" != --version ] || { echo GNU objdump; exit 0; }
echo 'format not recognized' >&2
exit 1
END
fails 'exited with status 1: format not recognized' disasm prog -tools="$tmp/fake" "$tmp/heap"

# shellcheck disable=SC2086 # a command line
if ${CC:-cc} -O1 -g -fpie -pie -o "$tmp/prog-pie" "$source" 2>"$tmp/cc"; then
	work=$(address "$tmp/prog-pie" prog_work)
	profile "$tmp/prog-pie" $((0x555555554000)) "$work" >"$tmp/heap"
	"$CPA" disasm prog -tools="$tmp/gnu" "$tmp/heap" >"$tmp/out"
	grep "$work: " "$tmp/out" | grep -q '^        1B '
	result $? "a position-independent program is shown with the addresses of its file"
	"$CPA" disasm "0x$(printf '%x' $((0x$work + 0x555555554000)))" -tools="$tmp/gnu" "$tmp/heap" >"$tmp/got"
	same "an address of the process also selects its symbol" "$tmp/out" "$tmp/got"
fi

# Symbols and lines of a stripped program come from the debug file below --symfs; objdump does not read it.
if command -v objcopy >/dev/null && command -v strip >/dev/null; then
	id=0123456789abcdef0123456789abcdef01234567
	# shellcheck disable=SC2086 # a command line
	${CC:-cc} -O1 -g -fno-pie -no-pie -Wl,--build-id=0x$id -o "$tmp/whole" "$source" 2>"$tmp/cc"
	work=$(address "$tmp/whole" prog_work)
	mkdir -p "$tmp/root/usr/lib/debug/.build-id/01" "$tmp/root$tmp"
	objcopy --only-keep-debug "$tmp/whole" "$tmp/root/usr/lib/debug/.build-id/01/${id#01}.debug"
	strip -o "$tmp/root$tmp/bare" "$tmp/whole"
	profile "$tmp/whole" 0 "$work" | sed 's/whole$/bare/' >"$tmp/heap"
	"$CPA" disasm "0x$work" -symbolize=none -tools="$tmp/gnu" --symfs="$tmp/root" "$tmp/heap" >"$tmp/out" 2>"$tmp/err"
	grep "$work: " "$tmp/out" | grep -q '^        1B         1B .*;prog_work asm\.c:[0-9]*$'
	result $? "a stripped program is shown with symbols of its debug file"
fi
done_testing
