#!/bin/sh
# t215-binaries.t - names come from binaries as compilers and distributions leave them
# SPDX-License-Identifier: Apache-2.0
: "${top_srcdir:?}" "${CC:?}"
for tool in objcopy strip nm; do
	command -v "$tool" >/dev/null || { echo "1..0 # SKIP no $tool (package binutils)" && exit 0; }
done
[ -n "${PYTHON3:-}" ] || { echo '1..0 # SKIP no python3' && exit 0; }
export names=yes
. "$top_srcdir/tests/cli/lib.sh"
: "${tmp:?}"
export HOME="$tmp/home" XDG_CACHE_HOME="$tmp/xdg"
unset DEBUGINFOD_URLS PPROF_BINARY_PATH
mkdir -p "$HOME" "$tmp/bin" "$tmp/away"

cat >"$tmp/bin/work.c" <<-'END'
	volatile int sink;
	static inline __attribute__((always_inline)) int inlined(int n)
	{
		return n * sink;
	}
	__attribute__((noinline)) int work_here(int n)
	{
		sink = n;
		return inlined(n) + 1;
	}
	int main(void)
	{
		return work_here(3);
	}
END

# build NAME OPTION...: a program, and a profile NAME.pb of the last instructions of work_here, as if
# it had been loaded at 0x555555554000 or, without -pie, where it wants to be
build() {
	name=$1
	shift
	(cd "$tmp/bin" && $CC -g -O1 -Wl,--build-id "$@" -o "$name" work.c) || exit 1
	at=$((0x$(nm "$tmp/bin/$name" | sed -n 's/ T work_here$//p') + 6)) base=0
	case $* in *no-pie*) ;; *) base=$((0x555555554000)) ;; esac
	text=$(readelf -lW "$tmp/bin/$name" | awk '$1 == "LOAD" && /R E/ { print $2, $3; exit }')
	offset=$((${text% *} & ~0xfff)) address=$((${text#* } & ~0xfff))
	profile "$name" "$tmp/bin/$name"
}

# profile NAME FILE[#BUILD_ID]: the profile, with that file
profile() {
	start=$(printf '%x' $((base + address))) limit=$(printf '%x' $((base + address + 0x1000)))
	"$PYTHON3" "$top_srcdir/tests/symbol/make_profile.py" "$tmp/$1.pb" \
		"$start-$limit@$(printf '%x' "$offset")=$2" "$(printf '%x' $((base + at)))*5"
}

# names DESCRIPTION PATTERN ARG...: the first row of cpa top matches
names() {
	words=$1 pattern=$2
	shift 2
	"$CPA" top --no-cache "$@" >"$tmp/out" 2>"$tmp/err"
	grep -q "^ *5  *100%.* $pattern" "$tmp/out"
	good=$?
	[ "$good" -eq 0 ] || { note "$tmp/out" && note "$tmp/err"; }
	result "$good" "$words"
}

full='.*work.c:[0-9]'
build pie -fPIE -pie
names "a position-independent program has names and lines" "$full" -lines "$tmp/pie.pb"
build fixed -fno-PIE -no-pie
names "a program at a fixed address has them" "$full" -lines "$tmp/fixed.pb"
build joined -fPIE -pie -Wl,-z,noseparate-code
names "a program with code and headers in one segment has them" "$full" -lines "$tmp/joined.pb"
build packed -fPIE -pie -gz=zlib
names "compressed debug sections are read" "$full" -lines "$tmp/packed.pb"
if (cd "$tmp/bin" && $CC -g -gsplit-dwarf -O1 -fPIE -pie -o split work.c 2>/dev/null); then
	build split -fPIE -pie -gsplit-dwarf
	names "split debug information is read from where it was left" "$full" -lines "$tmp/split.pb"
fi

build linked -fPIE -pie
cd "$tmp/bin" || exit 1
objcopy --only-keep-debug linked linked.debug
objcopy --strip-all --add-gnu-debuglink=linked.debug linked
names "a stripped program names its debug file" "$full" -lines "$tmp/linked.pb"
mkdir .debug && mv linked.debug .debug/
names "which may lie in .debug" "$full" -lines "$tmp/linked.pb"
id=$(readelf -n linked | sed -n 's/.*Build ID: //p')
dir=$tmp/root/usr/lib/debug/.build-id/$(echo "$id" | cut -c 1-2)
mkdir -p "$dir" && mv .debug/linked.debug "$dir/$(echo "$id" | cut -c 3-).debug"
names "or go by its build id, below --symfs" "$full" -lines --symfs="$tmp/root" "$tmp/linked.pb"
names "a program that is nowhere else has no name" '\[linked\]' "$tmp/linked.pb"

if command -v xz >/dev/null; then
	build packed_names -fPIE -pie
	nm packed_names --format=posix --defined-only | awk '$2 == "T" { print $1 }' >keep
	objcopy -S --keep-symbols=keep packed_names mini && xz mini && strip packed_names
	objcopy --add-section .gnu_debugdata=mini.xz packed_names
	names "symbols packed into a stripped program are read" 'work_here' "$tmp/packed_names.pb"
fi

profile renamed "/nowhere/linked#$id"
names "a debug file alone tells as much" "$full" -lines --symfs="$tmp/root" "$tmp/renamed.pb"
profile deleted "$tmp/bin/linked (deleted)#$id"
names "a deleted program that is there again is known by its build id" "$full" -lines --symfs="$tmp/root" "$tmp/deleted.pb"
profile other "$tmp/bin/pie#deadbeef"
names "a program with another build id is not taken" '\[pie\]' "$tmp/other.pb"
grep -q 'build ID' "$tmp/err"
result $? "and that is said"

build stripped -fPIE -pie
cp stripped "$tmp/away/stripped" && strip -g "$tmp/away/stripped" && rm stripped
export PPROF_BINARY_PATH="$tmp/nowhere:$tmp/away"
names "PPROF_BINARY_PATH leads to symbols alone" 'work_here' "$tmp/stripped.pb"
cp "$(command -v cat)" "$tmp/away/cat.txt" && printf 'text' >"$tmp/away/stripped"
names "what is no program there is passed over" '\[stripped\]' "$tmp/stripped.pb"
done_testing
