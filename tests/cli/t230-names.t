#!/bin/sh
# t230-names.t - names for addresses: where they come from, and what is said of it
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

# at FILE SYMBOL: its address there
at() {
	nm "$1" | awk -v symbol="$2" '$3 == symbol { print $1 }'
}

# says DESCRIPTION PATTERN: standard error of the last run has it
says() {
	grep -q -e "$2" "$tmp/err" || note "$tmp/err"
	grep -q -e "$2" "$tmp/err"
	result $? "$1"
}

# rows ARG...: the rows of a report without its head, as words
rows() {
	"$CPA" "$@" 2>"$tmp/err" | sed '1,/flat%/d' | sed 's/  */ /g; s/^ //'
}

# is DESCRIPTION EXPECTED: what rows gave
is() {
	printf '%s\n' "$2" >"$tmp/want"
	same "$1" "$tmp/want" "$tmp/got"
}

alpha=$(at "$tmp/prog" alpha) beta=$(at "$tmp/prog" beta) work=$(at "$tmp/prog" _ZN2ns3FooIiE4workEi)
pad=$(at "$tmp/prog" _ZN4core3fmt3pad17h0123456789abcdefE) main=$(at "$tmp/prog" main)
map="400000-500000@0=$tmp/prog"
stacks="$alpha,$beta,$work*10 $beta,$work,$pad*5 $main*1"
# shellcheck disable=SC2086 # words
$make "$tmp/exec.pb" "$map" $stacks

rows top "$tmp/exec.pb" >"$tmp/got"
is "names come from the program, demangled" "10 62.50% 62.50% 10 62.50% alpha
5 31.25% 93.75% 15 93.75% beta
1 6.25% 100% 1 6.25% main
0 0% 100% 5 31.25% core::fmt::pad
0 0% 100% 15 93.75% ns::Foo::work"
says "one line tells what was found" '^cpa: symbolized 5 of 5 addresses in 1 of 1 binary$'
[ "$(wc -l <"$tmp/err")" -eq 1 ]
result $? "and it is the only one"

for command in diff trend; do
	"$CPA" $command "$tmp/exec.pb" "$tmp/exec.pb" >/dev/null 2>"$tmp/err"
	[ "$(grep -c "^cpa: $tmp/exec.pb: symbolized 5 of 5 addresses in 1 of 1 binary$" "$tmp/err")" -eq 2 ]
	result $? "$command says of each profile what was found"
done
"$CPA" diff "$tmp/exec.pb" "$tmp/exec.pb" -- "$tmp/exec.pb" >/dev/null 2>"$tmp/err"
says "several profiles on a side are named as one" '^cpa: the base: symbolized 5 of 5 addresses in 1 of 1 binary$'

rows top -lines -symbolize=demangle=full "$tmp/exec.pb" | sed "s|$tmp/||" >"$tmp/got"
is "lines and full names too" "10 62.50% 62.50% 10 62.50% alpha names.c:10
5 31.25% 93.75% 15 93.75% beta names.c:15
1 6.25% 100% 1 6.25% main names.c:33
0 0% 100% 5 31.25% core::fmt::pad names.c:28
0 0% 100% 15 93.75% ns::Foo<int>::work(int) names.c:22"

rows top -symbolize=fastlocal:demangle=none -lines "$tmp/exec.pb" | head -2 >"$tmp/got"
is "fastlocal takes symbol tables only" "10 62.50% 62.50% 10 62.50% alpha
5 31.25% 93.75% 15 93.75% beta"

# The version of what a library exports may stand behind its name.
cat >"$tmp/lib.c" <<-END
	int versioned(int x) { return x + 3; }
	__asm__(".symver versioned, exported@@@V1");
END
echo 'V1 { global: exported; local: *; };' >"$tmp/lib.map"
if (cd "$tmp" && ${CC:-cc} -shared -fPIC -Wl,--version-script=lib.map -o lib.so lib.c); then
	# shellcheck disable=SC2046 # words
	$make "$tmp/lib.pb" "0-100000@0=$tmp/lib.so" "$(nm "$tmp/lib.so" | awk '$3 ~ /^exported/ { print $1 }')*4"
	rows top "$tmp/lib.pb" >"$tmp/got"
	is "versions of symbols are not shown" "4 100% 100% 4 100% exported"
fi

rows top -symbolize=none "$tmp/exec.pb" >"$tmp/got"
is "none looks nowhere" "16 100% 100% 16 100% [prog]"
[ ! -s "$tmp/err" ]
result $? "and says nothing"

rows top -symbolize=nothing "$tmp/exec.pb" >/dev/null
says "words that it does not have are told" 'ignoring unrecognized symbolization option: nothing$'

# A program that is loaded anywhere.
at "$tmp/pie" alpha >"$tmp/alpha"
read -r low <"$tmp/alpha"
offset=$(readelf -lW "$tmp/pie" | awk '$1 == "LOAD" && / E / { print $2 }')
$make "$tmp/pie.pb" "$(printf '%x' $((0x555555554000 + offset)))-555555600000@$offset=$tmp/pie" \
	"$(printf '%x' $((0x555555554000 + 0x$low)))"
rows top "$tmp/pie.pb" >"$tmp/got"
is "a program that was loaded elsewhere has its names" "1 100% 100% 1 100% alpha"

# A profile that knows nothing of mappings.
$make "$tmp/bare.pb" "$alpha,$beta*3"
rows top "$tmp/bare.pb" >/dev/null
says "a profile without mappings asks for the program" 'Main binary filename not available: give the binary in front'
rows top "$tmp/prog" "$tmp/bare.pb" >"$tmp/got"
is "and has names when it is given" "3 100% 100% 3 100% alpha
0 0% 100% 3 100% beta"

# What is not there.
$make "$tmp/gone.pb" "$map" "7f0000000000-7f0000100000@0=/gone/libfoo.so#abcdef" "7f0000400000-7f0000500000@0=[vdso]" \
	"$alpha*2" 7f0000000010*3 7f0000400010*1
rows top "$tmp/gone.pb" >"$tmp/got"
is "what is not found stays as it is" "3 50.00% 50.00% 3 50.00% [libfoo.so]
2 33.33% 83.33% 2 33.33% alpha
1 16.67% 100% 1 16.67% [[vdso]]"
says "the line names it" 'in 1 of 2 binaries; libfoo.so (build ID abcdef): .*; -v tells where it was looked for$'
rows top -v "$tmp/gone.pb" >/dev/null
says "-v tells the places" '^cpa: /gone/libfoo.so: stat /gone/libfoo.so: no such file'
mkdir -p "$tmp/binaries" && cp "$tmp/prog" "$tmp/binaries/libfoo.so"
PPROF_BINARY_PATH="$tmp/binaries" "$CPA" top "$tmp/gone.pb" >/dev/null 2>"$tmp/err"
says "a binary with another build id is passed over" 'Ignoring local file .*/libfoo.so: build-id mismatch (abcdef != '

# Addresses of no binary, and a binary without names.
$make "$tmp/nowhere.pb" "$map" 10000-20000@0= "$alpha*2" 10010*3
"$CPA" top "$tmp/nowhere.pb" >/dev/null 2>"$tmp/err"
says "addresses that no binary has are only counted" '^cpa: symbolized 1 of 2 addresses in 1 of 1 binary, 1 in none$'
"$CPA" symbolize -o "$tmp/nowhere.pb.gz" "$tmp/nowhere.pb" 2>/dev/null
"$CPA" top "$tmp/nowhere.pb.gz" >/dev/null 2>"$tmp/err"
[ ! -s "$tmp/err" ]
result $? "nothing is said of them when all binaries have names"
if command -v strip >/dev/null && strip -o "$tmp/bald" "$tmp/prog"; then
	$make "$tmp/bald.pb" "400000-500000@0=$tmp/bald" "$alpha"
	"$CPA" top --no-cache "$tmp/bald.pb" >/dev/null 2>"$tmp/err"
	says "a stripped binary is told" ' 0 of 1 address in 1 of 1 binary; bald: it has no names, nor .*; -v tells '
fi

# Profiles with names in them.
"$CPA" symbolize -o "$tmp/named.pb.gz" "$tmp/exec.pb" 2>"$tmp/err"
result $? "symbolize writes a profile"
rows top "$tmp/exec.pb" >"$tmp/want"
mv "$tmp/prog" "$tmp/away"
rows top "$tmp/named.pb.gz" >"$tmp/got"
same "with the names of the program that is gone" "$tmp/want" "$tmp/got"
[ ! -s "$tmp/err" ]
result $? "nothing is looked up for it"
rows top -symbolize=force "$tmp/named.pb.gz" >/dev/null
says "unless it is forced" 'symbolized 0 of 5 addresses in 0 of 1 binary; prog: '
"$CPA" symbolize -o "$tmp/none.pb.gz" "$tmp/exec.pb" 2>"$tmp/err"
[ $? -eq 2 ] && [ -s "$tmp/none.pb.gz" ]
result $? "symbolize exits with 2 when nothing could be named, but writes"
mv "$tmp/away" "$tmp/prog"

# A bundle needs neither the program nor its sources.
"$CPA" bundle -o "$tmp/bundle.pb.gz" "$tmp/exec.pb" 2>"$tmp/err"
says "bundle counts lines and files" 'bundled [0-9]* lines of 1 of 1 source file'
"$CPA" list beta "$tmp/exec.pb" >"$tmp/want" 2>/dev/null
mv "$tmp/prog" "$tmp/away" && mv "$tmp/names.c" "$tmp/names.away"
"$CPA" list beta "$tmp/bundle.pb.gz" >"$tmp/got" 2>"$tmp/err"
same "list of a bundle is the same without program and sources" "$tmp/want" "$tmp/got"
grep -q 'return alpha(x) + 2;' "$tmp/got"
result $? "and shows the source"
"$CPA" merge -o "$tmp/merged.pb.gz" "$tmp/bundle.pb.gz" "$tmp/named.pb.gz" 2>/dev/null
"$CPA" list -focus=main "beta|main" "$tmp/merged.pb.gz" 2>/dev/null | grep -q 'return pad(argc) == 0;'
result $? "merging and filters keep the lines"

# builds NAME SYMBOL...: a program with these functions, and a profile with a sample of each
builds() {
	name=$1 && shift
	for symbol; do
		printf '.text\n.globl "%s"\n.type "%s", %%function\n"%s":\n.skip 16\n' "$symbol" "$symbol" "$symbol"
	done >"$tmp/$name.s"
	printf '.globl main\nmain:\n.skip 16\n.section .note.GNU-stack,"",%%progbits\n' >>"$tmp/$name.s"
	${CC:-cc} -no-pie -o "$tmp/$name" "$tmp/$name.s" || return 1
	for symbol; do
		echo "$(at "$tmp/$name" "$symbol")*2"
	done >"$tmp/stacks"
	# shellcheck disable=SC2046 # words
	$make "$tmp/$name.pb" "400000-500000@0=$tmp/$name" $(cat "$tmp/stacks")
}

# What compilers put behind a name differs from build to build.
if builds one f.isra.0 g.cold h.part.1 k.llvm.123 _ZN2ns1aEi.isra.0.cold m.__uniq.12 _RNvCs1234_7mycrate3foo.llvm.1 \
	_ZN4core3fmt3pad17h0123456789abcdefE &&
	builds two f g h.part.2 k.llvm.456 _ZN2ns1aEi.constprop.2 m.__uniq.7 _RNvCs4321_7mycrate3foo \
		_ZN4core3fmt3pad17hfedcba9876543210E.llvm.3; then
	"$CPA" diff "$tmp/one.pb" "$tmp/two.pb" 2>"$tmp/err" | sed '1,/ name$/d' | awk '{ print $1, $2, $NF }' >"$tmp/got"
	is "functions of two builds meet, whatever compilers put behind their names" "2 2 core::fmt::pad
2 2 f
2 2 g
2 2 h
2 2 k
2 2 m
2 2 mycrate::foo
2 2 ns::a"
fi

done_testing
