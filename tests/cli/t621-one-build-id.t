#!/bin/sh
# t621-one-build-id.t - two programs with the same build id do not share cached names
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2034 # read by lib.sh
names=yes
. "${top_srcdir:?}/tests/cli/lib.sh"
unset PPROF_BINARY_PATH PPROF_TOOLS DEBUGINFOD_URLS

make="${PYTHON3:-python3} $top_srcdir/tests/symbol/make_profile.py"
build() { # NAME FUNCTION: a program whose build id was given to the linker, and a profile of its function
	printf 'volatile int n;\nvoid %s(void) { n++; }\nint main(void) { %s(); return 0; }\n' "$2" "$2" >"$tmp/$1.c"
	(cd "$tmp" && ${CC:-cc} -g -O0 -no-pie -Wl,--build-id=0x0123456789abcdef0123 -o "$1" "$1.c") &&
		address=$(nm "$tmp/$1" | awk -v name="$2" '$3 == name { print $1 }') &&
		$make "$tmp/$1.pb" "400000-500000@0=$tmp/$1" "$address*7"
}
if ! command -v nm >/dev/null || ! build one first || ! build two second; then
	echo "1..0 # SKIP no C compiler, no nm, or no python3"
	exit 0
fi
for _ in new cached; do
	for program in one:first two:second; do
		"$CPA" top "$tmp/${program%:*}.pb" >"$tmp/out" 2>"$tmp/err"
		grep -q " ${program#*:}\$" "$tmp/out"
		result $? "${program%:*} has its own function" || note "$tmp/out"
	done
done
is_cached=$(find "$XDG_CACHE_HOME/cpa/symbols" -name '*.frames' | wc -l)
[ "$is_cached" -eq 2 ]
result $? 'both are cached'
done_testing
