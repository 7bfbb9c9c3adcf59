#!/bin/sh
# t222-disasm-long.t - cpa disasm cuts long functions to the code around their samples, and joins runs of objdump
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/asm.sh"

cat >"$tmp/long.c" <<'END'
#ifdef __x86_64__
#define NOP "nopl 0(%rax,%rax,1)\n"
#define ZEROS ".zero 10\n"
#else
#define NOP "nop\n"
#define ZEROS ".zero 16\n"
#endif
__attribute__((noinline)) int fits(int n) { __asm__ volatile(".rept 1900\n" NOP ".endr"); return n + 1; }
__attribute__((noinline)) int zeros(int n) { __asm__ volatile(NOP ZEROS NOP); return n + 2; }
__attribute__((noinline)) int medium(int n) { __asm__ volatile(".rept 4000\n" NOP ".endr"); return n + 3; }
__attribute__((noinline)) int large(int n) { __asm__ volatile(".rept 120000\n" NOP ".endr"); return n + 4; }
int main(int argc, char **argv) { (void)argv; return fits(argc) + zeros(argc) + medium(argc) + large(argc) + medium(2); }
END
# shellcheck disable=SC2086 # a command line
${CC:-cc} -O1 -g -fno-pie -no-pie -o "$tmp/long" "$tmp/long.c" 2>"$tmp/cc" || note "$tmp/cc"
objdump -d --no-show-raw-insn "$tmp/long" | sed -n 's/^ *\([0-9a-f]*\):\t.*/\1/p' >"$tmp/all"

# nth FUNCTION N...: prints the addresses of instructions of a function, the first is 1
nth() {
	nth_of=$(address "$tmp/long" "$1")
	shift
	sed -n "/^$nth_of\$/,\$p" "$tmp/all" >"$tmp/from"
	for n; do sed -n "${n}p" "$tmp/from"; done
}
# disasm REGEX OPTION...: prints the instructions of the function
disasm() {
	"$CPA" disasm "$@" -symbolize=local -tools="$tmp/gnu" "$tmp/heap" 2>"$tmp/err" | sed '1,3d'
}

# shellcheck disable=SC2046 # words
profile "$tmp/long" 0 $(nth medium 1000 1100 1400) $(nth fits 5) $(nth zeros 2) $(nth large 4) >"$tmp/heap"
disasm '^medium$' >"$tmp/out"
[ "$(sed -n 's/.*: \.\.\. //p' "$tmp/out" | head -n 2 | tr '\n' ' ')" = \
	'935 instructions without samples 171 instructions without samples ' ]
result $? "omitted instructions before and between samples are counted" || note "$tmp/out"
[ "$(grep -vc '\.\.\.' "$tmp/out")" -eq $((64 + 101 + 64 + 129)) ]
result $? "64 instructions on each side of a sample are shown" || note "$tmp/out"
disasm '^medium$' --all >"$tmp/whole"
[ "$(wc -l <"$tmp/whole")" -gt 4000 ] && ! grep -q '\.\.\.' "$tmp/whole"
result $? "--all shows all instructions"
[ "$(wc -l <"$tmp/whole")" -eq "$(awk '/\.\.\./ { n += $5; next } { n++ } END { print n }' "$tmp/out")" ]
result $? "the instructions shown and left out are all of them"
grep -v '\.\.\.' "$tmp/out" | sed 's/ *;.*//' >"$tmp/shown"
sed 's/ *;.*//' "$tmp/whole" | grep -F -x -f "$tmp/shown" >"$tmp/should"
same "the instructions shown are those of --all" "$tmp/should" "$tmp/shown"
disasm '^fits$' | grep -q '\.\.\.'
result $((! $?)) "a function of less than 2000 instructions is whole"
unsampled=$(nth medium 3000)
"$CPA" disasm "0x$unsampled" -symbolize=local -tools="$tmp/gnu" "$tmp/heap" 2>/dev/null | grep -q " $unsampled: "
result $? "an address that is asked for is shown without samples"
"$CPA" disasm '^medium$' --json -symbolize=local -tools="$tmp/gnu" "$tmp/heap" 2>/dev/null | grep -q '"instruction": "... 171 instructions without samples"'
result $? "JSON has a row for omitted instructions"

# The page has a link to all instructions.
"$CPA" -http=localhost:0 -no_browser -symbolize=local -tools="$tmp/gnu" "$tmp/heap" >"$tmp/url" 2>&1 &
server=$!
until url=$(sed -n 's,.*\(http://[^ /]*\).*,\1,p' "$tmp/url" | head -n 1) && [ -n "$url" ]; do sleep 0.1; done
curl -s "$url/ui/disasm?f=%5Emedium%24" >"$tmp/page"
curl -s "$url/ui/disasm?f=%5Emedium%24&all=t" >"$tmp/page-all"
kill "$server"
grep -q '171 instructions without samples' "$tmp/page" && grep -q 'all=t[^>]*>all instructions<' "$tmp/page" &&
	[ "$(grep -c '<td class="code">' "$tmp/page-all")" -gt 4000 ] && ! grep -q 'without samples' "$tmp/page-all"
result $? "the page of a long function has a link to all instructions"

# Functions near each other share a run of objdump, with the same text as from a run for each.
for tool in objdump llvm-objdump; do
	command -v "$tool" >/dev/null || continue
	mkdir "$tmp/$tool.d"
	printf '#!/bin/sh\necho "$@" >>"%s/runs"\nexec "%s" "$@"\n' "$tmp" "$(command -v "$tool")" >"$tmp/$tool.d/$tool"
	chmod +x "$tmp/$tool.d/$tool"
	for name in fits large medium zeros; do
		"$CPA" disasm "^$name\$" -symbolize=local -tools="$tmp/$tool.d" "$tmp/heap" 2>/dev/null | sed 1d
	done >"$tmp/should"
	rm "$tmp/runs"
	"$CPA" disasm . -symbolize=local -tools="$tmp/$tool.d" "$tmp/heap" 2>/dev/null | sed 1d >"$tmp/out"
	same "$tool: the text of functions that share a run" "$tmp/should" "$tmp/out"
	[ "$(grep -c disassemble "$tmp/runs")" -eq 1 ]
	result $? "$tool: near functions share a run" || note "$tmp/runs"
done

# A report of too many rows shows less around each sample.
# shellcheck disable=SC2046 # words
profile "$tmp/long" 0 $(awk -v start="$(address "$tmp/long" large)" '$0 == start { n = 1 } n && n++ % 100 == 50 { print } n > 110000 { exit }' "$tmp/all") >"$tmp/heap"
disasm '^large$' >"$tmp/out"
[ "$(grep -c '\.\.\. 35 instructions' "$tmp/out")" -gt 1000 ] && [ "$(wc -l <"$tmp/out")" -lt 100000 ]
result $? "a report of more than 100000 rows shows fewer instructions around samples" || tail -n 5 "$tmp/out"
"$CPA" disasm '^large$' --threads=1 -symbolize=local -tools="$tmp/gnu" "$tmp/heap" 2>/dev/null | sed '1,3d' >"$tmp/one"
same "the report does not depend on the number of threads" "$tmp/out" "$tmp/one"

# The command line shows how much is disassembled.
mkdir "$tmp/slow"
cat >"$tmp/slow/objdump" <<'END'
#!/bin/sh
[ "$1" != --version ] || { echo GNU objdump; exit 0; }
sleep 3
END
chmod +x "$tmp/slow/objdump"
TERM=xterm "${PYTHON3:-python3}" "$top_srcdir/tests/cli/terminal.py" 'disassembling: 0 %' "$CPA" disasm . -tools="$tmp/slow" "$tmp/heap" \
	>"$tmp/out" 2>"$tmp/err"
[ $? -eq 130 ] && [ ! -s "$tmp/out" ]
result $? "progress is shown in percent, and Ctrl-C ends the report" || note "$tmp/err"
done_testing
