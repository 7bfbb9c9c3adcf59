#!/bin/sh
# t230-names.t - symbolization: sources of names, and messages
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2034 # read by lib.sh
names=yes
. "${top_srcdir:?}/tests/cli/lib.sh"
unset PPROF_BINARY_PATH PPROF_TOOLS DEBUGINFOD_URLS
export HOME="$tmp/home" XDG_CACHE_HOME="$tmp/cache"

make="${PYTHON3:-python3} $top_srcdir/tests/symbol/make_profile.py"
if ! cp "$top_srcdir/tests/symbol/names.c" "$tmp/" || ! (cd "$tmp" && ${CC:-cc} -g -O0 -no-pie -o prog names.c) ||
	! (cd "$tmp" && ${CC:-cc} -g -O0 -fPIE -pie -o pie names.c) || ! $make "$tmp/empty.pb" 2>/dev/null ||
	! command -v nm >/dev/null; then
	echo "1..0 # SKIP no C compiler for the test's programs, no nm, or no python3"
	exit 0
fi

# address FILE SYMBOL: prints the address of the symbol
address() {
	nm "$1" | awk -v symbol="$2" '$3 == symbol { print $1 }'
}

# reports DESCRIPTION PATTERN: checks that standard error of the last run matches PATTERN
reports() {
	grep -q -e "$2" "$tmp/err" || note "$tmp/err"
	grep -q -e "$2" "$tmp/err"
	result $? "$1"
}

# rows ARG...: prints the rows of a report without its head, separated by single spaces
rows() {
	"$CPA" "$@" 2>"$tmp/err" | sed '1,/flat%/d' | sed 's/  */ /g; s/^ //'
}

# rows_are DESCRIPTION EXPECTED: checks the output of rows in $tmp/got
rows_are() {
	printf '%s\n' "$2" >"$tmp/want"
	same "$1" "$tmp/want" "$tmp/got"
}

alpha=$(address "$tmp/prog" alpha) beta=$(address "$tmp/prog" beta) work=$(address "$tmp/prog" _ZN2ns3FooIiE4workEi)
pad=$(address "$tmp/prog" _ZN4core3fmt3pad17h0123456789abcdefE) main=$(address "$tmp/prog" main)
map="400000-500000@0=$tmp/prog"
stacks="$alpha,$beta,$work*10 $beta,$work,$pad*5 $main*1"
# shellcheck disable=SC2086 # words
$make "$tmp/exec.pb" "$map" $stacks

rows top "$tmp/exec.pb" >"$tmp/got"
rows_are "names come from the program, demangled" "10 62.50% 62.50% 10 62.50% alpha
5 31.25% 93.75% 15 93.75% beta
1 6.25% 100% 1 6.25% main
0 0% 100% 5 31.25% core::fmt::pad
0 0% 100% 15 93.75% ns::Foo::work"
reports "a message counts the symbolized addresses" '^cpa: symbolized 5 of 5 addresses in 1 of 1 binary$'
[ "$(wc -l <"$tmp/err")" -eq 1 ]
result $? "symbolization prints one line"

for command in diff trend; do
	"$CPA" $command "$tmp/exec.pb" "$tmp/exec.pb" >/dev/null 2>"$tmp/err"
	[ "$(grep -c "^cpa: $tmp/exec.pb: symbolized 5 of 5 addresses in 1 of 1 binary$" "$tmp/err")" -eq 2 ]
	result $? "$command counts the symbolized addresses of each profile"
done
"$CPA" diff "$tmp/exec.pb" "$tmp/exec.pb" -- "$tmp/exec.pb" >/dev/null 2>"$tmp/err"
reports "if a side has several profiles, the message names the side" '^cpa: the base: symbolized 5 of 5 addresses in 1 of 1 binary$'

rows top -lines -symbolize=demangle=full "$tmp/exec.pb" | sed "s|$tmp/||" >"$tmp/got"
rows_are "names with lines and full signatures" "10 62.50% 62.50% 10 62.50% alpha names.c:10
5 31.25% 93.75% 15 93.75% beta names.c:15
1 6.25% 100% 1 6.25% main names.c:33
0 0% 100% 5 31.25% core::fmt::pad names.c:28
0 0% 100% 15 93.75% ns::Foo<int>::work(int) names.c:22"

rows top -symbolize=fastlocal:demangle=none -lines "$tmp/exec.pb" | head -2 >"$tmp/got"
rows_are "-symbolize=fastlocal reads symbol tables only" "10 62.50% 62.50% 10 62.50% alpha
5 31.25% 93.75% 15 93.75% beta"

# The name of an exported symbol may end in a version.
cat >"$tmp/lib.c" <<-END
	int versioned(int x) { return x + 3; }
	__asm__(".symver versioned, exported@@@V1");
END
echo 'V1 { global: exported; local: *; };' >"$tmp/lib.map"
if (cd "$tmp" && ${CC:-cc} -shared -fPIC -Wl,--version-script=lib.map -o lib.so lib.c); then
	# shellcheck disable=SC2046 # words
	$make "$tmp/lib.pb" "0-100000@0=$tmp/lib.so" "$(nm "$tmp/lib.so" | awk '$3 ~ /^exported/ { print $1 }')*4"
	rows top "$tmp/lib.pb" >"$tmp/got"
	rows_are "versions of symbols are not shown" "4 100% 100% 4 100% exported"
fi

rows top -symbolize=none "$tmp/exec.pb" >"$tmp/got"
rows_are "-symbolize=none adds no names" "16 100% 100% 16 100% [prog]"
[ ! -s "$tmp/err" ]
result $? "-symbolize=none prints no message"

rows top -symbolize=nothing "$tmp/exec.pb" >/dev/null
reports "an unknown option of -symbolize is reported" 'ignoring unrecognized symbolization option: nothing$'

# A position-independent program.
address "$tmp/pie" alpha >"$tmp/alpha"
read -r low <"$tmp/alpha"
offset=$(readelf -lW "$tmp/pie" | awk '$1 == "LOAD" && / E / { print $2 }')
$make "$tmp/pie.pb" "$(printf '%x' $((0x555555554000 + offset)))-555555600000@$offset=$tmp/pie" \
	"$(printf '%x' $((0x555555554000 + 0x$low)))"
rows top "$tmp/pie.pb" >"$tmp/got"
rows_are "a position-independent program has names" "1 100% 100% 1 100% alpha"

# A profile without mappings.
$make "$tmp/bare.pb" "$alpha,$beta*3"
rows top "$tmp/bare.pb" >/dev/null
reports "a profile without mappings has no names without the program" 'Main binary filename not available: pass the binary before'
rows top "$tmp/prog" "$tmp/bare.pb" >"$tmp/got"
rows_are "a profile without mappings has names if the program is given" "3 100% 100% 3 100% alpha
0 0% 100% 3 100% beta"

# An address outside its mapping has no name and does not affect the other addresses.
$make "$tmp/stray.pb" "$map" "!7f0000000010*1" "$alpha*2"
rows top "$tmp/stray.pb" >"$tmp/got"
rows_are "an address outside its mapping has no name, even if it is the first" "2 66.67% 66.67% 2 66.67% alpha
1 33.33% 100% 1 33.33% [prog]"

# Missing binaries.
$make "$tmp/gone.pb" "$map" "7f0000000000-7f0000100000@0=/gone/libfoo.so#abcdef" "7f0000400000-7f0000500000@0=[vdso]" \
	"$alpha*2" 7f0000000010*3 7f0000400010*1
rows top "$tmp/gone.pb" >"$tmp/got"
rows_are "addresses of a missing binary have no names" "3 50.00% 50.00% 3 50.00% [libfoo.so]
2 33.33% 83.33% 2 33.33% alpha
1 16.67% 100% 1 16.67% [[vdso]]"
reports "the message names the missing binary" 'in 1 of 2 binaries; libfoo.so (build ID abcdef): .*; -v shows the paths searched$'
rows top -v "$tmp/gone.pb" >/dev/null
reports "-v prints the paths searched" '^cpa: /gone/libfoo.so: stat /gone/libfoo.so: no such file'
mkdir -p "$tmp/binaries" && cp "$tmp/prog" "$tmp/binaries/libfoo.so"
PPROF_BINARY_PATH="$tmp/binaries" "$CPA" top "$tmp/gone.pb" >/dev/null 2>"$tmp/err"
reports "a binary with another build ID is skipped" 'Ignoring local file .*/libfoo.so: build-id mismatch (abcdef != '

# Addresses outside all binaries, and a binary without symbols.
$make "$tmp/nowhere.pb" "$map" 10000-20000@0= "$alpha*2" 10010*3
"$CPA" top "$tmp/nowhere.pb" >/dev/null 2>"$tmp/err"
reports "addresses outside all binaries are only counted" '^cpa: symbolized 1 of 2 addresses in 1 of 1 binary, 1 outside any binary$'
"$CPA" symbolize -o "$tmp/nowhere.pb.gz" "$tmp/nowhere.pb" 2>/dev/null
"$CPA" top "$tmp/nowhere.pb.gz" >/dev/null 2>"$tmp/err"
[ ! -s "$tmp/err" ]
result $? "addresses outside all binaries are not reported if all binaries have names"
$make "$tmp/uncovered.pb" "$map" 400010 400020*3
"$CPA" top --no-cache "$tmp/uncovered.pb" >/dev/null 2>"$tmp/err"
reports "addresses outside all symbols are counted" ' 0 of 2 addresses in 1 of 1 binary; prog[^:;]*: no name for 2 addresses; -v shows'
if command -v strip >/dev/null && strip -o "$tmp/stripped" "$tmp/prog"; then
	$make "$tmp/stripped.pb" "400000-500000@0=$tmp/stripped" "$alpha"
	"$CPA" top --no-cache "$tmp/stripped.pb" >/dev/null 2>"$tmp/err"
	reports "a stripped binary is reported" ' 0 of 1 address in 1 of 1 binary; stripped: no names in it, and .*; -v shows the paths searched'
fi

# Profiles that contain names.
"$CPA" symbolize -o "$tmp/named.pb.gz" "$tmp/exec.pb" 2>"$tmp/err"
result $? "symbolize writes a profile"
rows top "$tmp/exec.pb" >"$tmp/want"
mv "$tmp/prog" "$tmp/away"
rows top "$tmp/named.pb.gz" >"$tmp/got"
same "the profile has the names even without the program" "$tmp/want" "$tmp/got"
[ ! -s "$tmp/err" ]
result $? "a profile with names is not symbolized"
rows top -symbolize=force "$tmp/named.pb.gz" >/dev/null
reports "-symbolize=force symbolizes a profile with names" 'symbolized 0 of 5 addresses in 0 of 1 binary; prog: '
"$CPA" symbolize -o "$tmp/none.pb.gz" "$tmp/exec.pb" 2>"$tmp/err"
[ $? -eq 2 ] && [ -s "$tmp/none.pb.gz" ]
result $? "symbolize writes the profile and exits with 2 if no address has a name"
mv "$tmp/away" "$tmp/prog"

# A bundle needs neither the program nor its sources.
"$CPA" bundle -o "$tmp/bundle.pb.gz" "$tmp/exec.pb" 2>"$tmp/err"
reports "bundle counts lines and files" 'bundled [0-9]* lines of 1 of 1 source file'
"$CPA" list beta "$tmp/exec.pb" >"$tmp/want" 2>/dev/null
mv "$tmp/prog" "$tmp/away" && mv "$tmp/names.c" "$tmp/names.away"
"$CPA" list beta "$tmp/bundle.pb.gz" >"$tmp/got" 2>"$tmp/err"
same "list of a bundle is the same without program and sources" "$tmp/want" "$tmp/got"
grep -q 'return alpha(x) + 2;' "$tmp/got"
result $? "list of a bundle shows the source"
"$CPA" merge -o "$tmp/merged.pb.gz" "$tmp/bundle.pb.gz" "$tmp/named.pb.gz" 2>/dev/null
"$CPA" list -focus=main "beta|main" "$tmp/merged.pb.gz" 2>/dev/null | grep -q 'return pad(argc) == 0;'
result $? "merging and filtering preserve the source lines"

# builds NAME SYMBOL...: builds a program with these functions, and a profile with a sample of each
builds() {
	name=$1 && shift
	for symbol; do
		printf '.text\n.globl "%s"\n.type "%s", %%function\n"%s":\n.skip 16\n' "$symbol" "$symbol" "$symbol"
	done >"$tmp/$name.s"
	printf '.globl main\nmain:\n.skip 16\n.section .note.GNU-stack,"",%%progbits\n' >>"$tmp/$name.s"
	${CC:-cc} -no-pie -o "$tmp/$name" "$tmp/$name.s" || return 1
	for symbol; do
		echo "$(address "$tmp/$name" "$symbol")*2"
	done >"$tmp/stacks"
	# shellcheck disable=SC2046 # words
	$make "$tmp/$name.pb" "400000-500000@0=$tmp/$name" $(cat "$tmp/stacks")
}

# Compilers append suffixes to names; the suffixes differ between builds.
if builds one f.isra.0 g.cold h.part.1 k.llvm.123 _ZN2ns1aEi.isra.0.cold m.__uniq.12 _RNvCs1234_7mycrate3foo.llvm.1 \
	_ZN4core3fmt3pad17h0123456789abcdefE &&
	builds two f g h.part.2 k.llvm.456 _ZN2ns1aEi.constprop.2 m.__uniq.7 _RNvCs4321_7mycrate3foo \
		_ZN4core3fmt3pad17hfedcba9876543210E.llvm.3; then
	"$CPA" diff "$tmp/one.pb" "$tmp/two.pb" 2>"$tmp/err" | sed '1,/ name$/d' | awk '{ print $1, $2, $NF }' >"$tmp/got"
	rows_are "functions of two builds are matched without the suffixes of compilers" "2 2 core::fmt::pad
2 2 f
2 2 g
2 2 h
2 2 k
2 2 m
2 2 mycrate::foo
2 2 ns::a"
fi

done_testing
