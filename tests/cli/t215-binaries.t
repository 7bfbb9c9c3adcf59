#!/bin/sh
# t215-binaries.t - symbols of binaries as compilers and distributions build them
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
mkdir -p "$HOME" "$tmp/bin" "$tmp/other"

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

# build NAME OPTION...: builds a program, and a profile NAME.pb of the last instructions of work_here, as if
# the program was loaded at 0x555555554000 or, with -no-pie, at its own address
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

# profile NAME FILE[#BUILD_ID]: makes the profile NAME.pb with FILE as the binary
profile() {
	start=$(printf '%x' $((base + address))) limit=$(printf '%x' $((base + address + 0x1000)))
	"$PYTHON3" "$top_srcdir/tests/symbol/make_profile.py" "$tmp/$1.pb" \
		"$start-$limit@$(printf '%x' "$offset")=$2" "$(printf '%x' $((base + at)))*5"
}

# names DESCRIPTION PATTERN ARG...: checks that the first row of cpa top matches PATTERN
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
names "a program at a fixed address has names and lines" "$full" -lines "$tmp/fixed.pb"
build joined -fPIE -pie -Wl,-z,noseparate-code
names "a program with code and headers in one segment has names and lines" "$full" -lines "$tmp/joined.pb"
build packed -fPIE -pie -gz=zlib
names "compressed debug sections are read" "$full" -lines "$tmp/packed.pb"
if (cd "$tmp/bin" && objcopy --compress-debug-sections=zstd pie zstd 2>/dev/null); then
	build zstd -fPIE -pie && (cd "$tmp/bin" && objcopy --compress-debug-sections=zstd zstd)
	names "debug sections compressed with zstd are read" "$full" -lines "$tmp/zstd.pb"
	"$PYTHON3" - "$tmp/bin/zstd" <<-'END'
		import sys
		with open(sys.argv[1], "r+b") as f:
		    file = f.read()
		    at = file.index(b"\x28\xb5\x2f\xfd")  # the first section
		    f.seek(at + 8)
		    f.write(bytes(255 - b for b in file[at + 8:at + 16]))
	END
	names "a damaged section leaves the names of the symbol table" 'work_here' "$tmp/zstd.pb"
fi
if (cd "$tmp/bin" && $CC -g -gsplit-dwarf -O1 -fPIE -pie -o split work.c 2>/dev/null); then
	build split -fPIE -pie -gsplit-dwarf
	names "split debug information is read from the .dwo file" "$full" -lines "$tmp/split.pb"
fi

build linked -fPIE -pie
cd "$tmp/bin" || exit 1
objcopy --only-keep-debug linked linked.debug
objcopy --strip-all --add-gnu-debuglink=linked.debug linked
names "the debug file of a stripped program is found by its debug link" "$full" -lines "$tmp/linked.pb"
mkdir .debug && mv linked.debug .debug/
names "the debug file is found in the folder .debug" "$full" -lines "$tmp/linked.pb"
id=$(readelf -n linked | sed -n 's/.*Build ID: //p')
dir=$tmp/root/usr/lib/debug/.build-id/$(echo "$id" | cut -c 1-2)
mkdir -p "$dir" && mv .debug/linked.debug "$dir/$(echo "$id" | cut -c 3-).debug"
names "the debug file is found by build ID below --symfs" "$full" -lines --symfs="$tmp/root" "$tmp/linked.pb"
names "a stripped program without a debug file has no function names" '\[linked\]' "$tmp/linked.pb"

if command -v xz >/dev/null; then
	build packed_names -fPIE -pie
	nm packed_names --format=posix --defined-only | awk '$2 == "T" { print $1 }' >keep
	objcopy -S --keep-symbols=keep packed_names mini && xz mini && strip packed_names
	objcopy --add-section .gnu_debugdata=mini.xz packed_names
	names "the compressed symbols of a stripped program (.gnu_debugdata) are read" 'work_here' "$tmp/packed_names.pb"
fi

profile renamed "/nowhere/linked#$id"
names "a debug file is enough when the program is missing" "$full" -lines --symfs="$tmp/root" "$tmp/renamed.pb"
profile deleted "$tmp/bin/linked (deleted)#$id"
names "a deleted program that was rebuilt is found by its build ID" "$full" -lines --symfs="$tmp/root" "$tmp/deleted.pb"
profile other "$tmp/bin/pie#deadbeef"
names "a program with another build ID is not used" '\[pie\]' "$tmp/other.pb"
grep -q 'build ID' "$tmp/err"
result $? "a mismatch of the build ID is reported"

build stripped -fPIE -pie
cp stripped "$tmp/other/stripped" && strip -g "$tmp/other/stripped" && rm stripped
export PPROF_BINARY_PATH="$tmp/nowhere:$tmp/other"
names "a program without debug information is found through PPROF_BINARY_PATH" 'work_here' "$tmp/stripped.pb"
cp "$(command -v cat)" "$tmp/other/cat.txt" && printf 'text' >"$tmp/other/stripped"
names "a file in PPROF_BINARY_PATH that is not a program is skipped" '\[stripped\]' "$tmp/stripped.pb"
done_testing
