#!/bin/sh
# t620-wrapper.t - <cpa/pprof.hpp> with all available compilers and standards
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
library=${top_builddir:?}/src/libcpaprof
source=$top_srcdir/tests/runtime/wrapper.cc

printf '#include <cpa/pprof.hpp>\nint main() { cpa::labels l{{"a", "b"}}; auto s = l.scope(); return cpa::do_(l, [] { return 0; }); }\n' >small.cc
for cxx in g++ clang++; do
	for std in 11 17 20; do
		name="$cxx -std=c++$std"
		if ! command -v $cxx >/dev/null; then
			count=$((count + 1))
			echo "ok $count - $name # SKIP $cxx not found"
			continue
		fi
		$cxx -std=c++$std -O1 -g -Wall -Wextra -Wpedantic -Wshadow -Werror -I"$top_srcdir/src/libcpaprof/api" \
			-I"$top_srcdir/tests/runtime" -o wrapper "$source" -L"$library" -lcpaprof -Wl,-rpath,"$library" -pthread 2>err
		ok $? "$name: compiles without warnings"
		sed 's/^/# /' err
		rm -f cpu.pb.gz
		./wrapper cpu.pb.gz >out 2>err
		status=$?
		[ $status = 0 ] || grep '^not ok' out err | sed 's/^/# /'
		is "$status $(grep -c '^ok' out)" "0 $(sed -n 's/^1\.\.//p' out)" "$name: all wrappers work"
		$cxx -std=c++$std -fno-exceptions -fno-rtti -Wall -Wextra -Werror -I"$top_srcdir/src/libcpaprof/api" -o small small.cc \
			-L"$library" -lcpaprof -Wl,-rpath,"$library" -pthread 2>err && ./small
		ok $? "$name: works without exceptions"
	done
done
done_testing
