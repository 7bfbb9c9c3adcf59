#!/bin/sh
# frames.t - cpa finds the same functions, files, lines and inlined calls as llvm-symbolizer
# SPDX-License-Identifier: Apache-2.0
# Compares 1500 addresses of each of several programs, in several languages and by several compilers.
. "${top_srcdir:?}/tests/cli/lib.sh"

PATH=$PATH:/usr/local/go/bin:/root/.cargo/bin
symbolizer=$(command -v llvm-symbolizer) || symbolizer=$(command -v llvm-symbolizer-14) || {
	echo '1..0 # SKIP llvm-symbolizer not found, so frames are not compared with it; install llvm to do so'
	exit 0
}
command -v "${PYTHON3:=python3}" >"$tmp/which" || {
	echo '1..0 # SKIP python3 not found, which reads what llvm-symbolizer prints'
	exit 0
}
dump=${top_builddir:?}/tests/symbol/frames_dump
[ -x "$dump" ] || make -C "$top_builddir" tests/symbol/frames_dump >"$tmp/make" 2>&1
symbol=$top_srcdir/tests/symbol

# agrees NAME COMPILER...: build with "-o $tmp/NAME" appended, and compare
agrees() {
	name=$1 && shift
	if ! command -v "$1" >"$tmp/which"; then
		result 0 "$name # SKIP $1 not found"
		return
	fi
	(cd "$tmp" && "$@" -o "$tmp/$name") >"$tmp/log" 2>&1 || {
		note "$tmp/log"
		result 1 "$name: it cannot be built"
		return
	}
	"$PYTHON3" "$symbol/frames_compare.py" "$dump" "$symbolizer" "$tmp/$name" 1500 >"$tmp/out" 2>&1
	status=$?
	cat "$tmp/out"
	result "$status" "$name: 1500 addresses as in llvm-symbolizer"
}

c() { # NAME COMPILER OPTION...: src/base with these options
	name=$1 compiler=$2 && shift 2
	agrees "$name" "$compiler" -w -D_GNU_SOURCE -I"$top_srcdir/src" -I"$top_builddir" "$@" \
		"$symbol/frames.c" "$top_srcdir"/src/base/*.c -lpcre2-8 -lpthread -lm
}
c c-pie gcc -O2 -g -pie -fPIE
c c-no-pie gcc -O2 -g -no-pie
c c-dwarf4 gcc -O2 -gdwarf-4
c c-clang clang -O2 -g
for cxx in g++ clang++; do
	agrees "cc-$cxx" $cxx -O2 -g "$symbol/frames.cc"
	agrees "cc-$cxx-4" $cxx -O1 -gdwarf-4 -ffunction-sections -Wl,--gc-sections "$symbol/frames.cc"
	agrees "cc-$cxx-split" $cxx -O2 -g -gsplit-dwarf "$symbol/frames.cc"
done
agrees cc-lto g++ -O2 -g -flto "$symbol/frames.cc"
agrees cc-compressed g++ -O2 -g -gz "$symbol/frames.cc"
export RUSTUP_HOME="${RUSTUP_HOME:-$users_home/.rustup}"
agrees rust rustc -g -O "$symbol/frames.rs"
agrees rust-debug rustc -g "$symbol/frames.rs"
cat >"$tmp/build-go" <<-END
	#!/bin/sh
	exec go build "\$@" "$symbol/frames.go"
END
chmod +x "$tmp/build-go"
if command -v go >"$tmp/which"; then
	agrees go "$tmp/build-go"
else
	result 0 'go # SKIP go not found'
fi
done_testing
