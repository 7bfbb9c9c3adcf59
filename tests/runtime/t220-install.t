#!/bin/sh
# t220-install.t - the installed library can be linked, also after a first make install; cpa run finds it; uninstall
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
built=$here/${top_builddir:-.}
case ${top_builddir:-.} in /*) built=$top_builddir ;; esac

if ! command -v pkg-config >/dev/null || ! MAKEFLAGS='' make -s -C "$built" install DESTDIR="$tmp/root" >log 2>&1; then
	sed 's/^/# /' log
	ok 1 'make install succeeds'
	done_testing
	exit
fi
ok 0 'make install succeeds'
pc=$(find "$tmp/root" -name cpaprof.pc)
libdir=$(dirname "$(dirname "$pc")")
export PKG_CONFIG_PATH="$libdir/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$tmp/root"
cpa_installed=$(find "$tmp/root" -name cpa -path '*/bin/*')

is "$(pkg-config --modversion cpaprof)" "$("$CPA" version | sed 's/^cpa //; q')" 'pkg-config reports the version of the library'
# shellcheck disable=SC2046 # flags
${CC:-cc} -O1 -g $(pkg-config --cflags cpaprof) -o linked "$top_srcdir/tests/runtime/linked.c" \
	$(pkg-config --libs cpaprof) -pthread
ok $? 'a program can be linked with the flags of pkg-config'
is "$(readelf -d linked | sed -n 's/.*NEEDED.*\[\(libcpaprof.*\)\]/\1/p')" libcpaprof.so.1 'the linked program needs the library by its soname'
export LD_LIBRARY_PATH="$libdir"
awk -f "$top_srcdir/tests/runtime/readme.awk" "$top_srcdir/README.md" >readme.c
# shellcheck disable=SC2046 # flags
${CC:-cc} -Wall -Werror -O1 -g readme.c $(pkg-config --cflags --libs cpaprof) -o readme && ./readme && [ -s cpu.pb.gz ] && [ -s heap.pb.gz ]
ok $? 'the C example of README.md builds as described there and writes two profiles'
./linked burn 1000 0.5 >out
within "$(total p.pb.gz)" "$(cat out)" 4 'the program profiles itself'
rm -f p.pb.gz
"$cpa_installed" run --hz=1000 --cpu=p.pb.gz -- ./linked end exit 0.3
is $? 3 'cpa run finds the installed library'
within "$(total p.pb.gz)" 300000000 6 'cpa run profiles with the installed library'
is "$("$CPA" raw -symbolize=none p.pb.gz | grep -c "^[0-9]*: .* $libdir/libcpaprof.so.1 ")" 1 'the profile contains the canonical path of the installed library'
is "$("$cpa_installed" run --quiet --cpu=p.pb.gz -- sh -c 'env | grep -c LD_PRELOAD')" 0 'programs do not see that the installed library was preloaded'
rm -f p.pb.gz

for flags in '' -DHEADERS; do
	if [ "$flags" ] && ! [ -e /usr/include/gperftools/profiler.h ]; then
		count=$((count + 1))
		echo "ok $count - with the headers of gperftools # SKIP not installed"
		continue
	fi
	rm -f ./*.prof ./*.heap
	# shellcheck disable=SC2046,SC2086 # flags
	${CC:-cc} -O1 -g $flags -o gperf "$top_srcdir/tests/runtime/gperf.c" $(pkg-config --libs cpaprof-gperf) &&
		./gperf >out
	is "$(cat out)" 'before: 0 0  none never
filter 0
start 1
again 0
on: 1 1 g.prof samples time
flushed 0
after: 0 0  none never
heap 1
text heap profile:
heap 0' "a program written for gperftools runs $flags"
	within "$(total g.prof)" 600000000 3 'the CPU profile of a program for gperftools is complete'
	is "$(files '*.heap')" 'heap.0001.heap heap.0002.heap ' 'heap dumps of a program for gperftools have the usual names'
	heap=$("$CPA" top -unit=bytes -sample_index=inuse_space heap.0002.heap 2>/dev/null |
		sed -n 's/^Showing nodes accounting for .* of \([0-9]*\)B total$/\1/p')
	within "$heap" 100000000 30 'heap dumps of a program for gperftools contain the memory in use'
done

unset LD_LIBRARY_PATH
left() { # FOLDER: files that make uninstall leaves there
	MAKEFLAGS='' make -s -C "$built" uninstall "$2" >log 2>&1 || cat log
	find "$1" ! -type d
}
is "$(left "$tmp/root" DESTDIR="$tmp/root")" '' 'make uninstall leaves no file'

# A first install that runs ldconfig, which deletes links to missing files; -n: only of this folder, without its cache
mkdir bin prefix
printf '#!/bin/sh\nPATH=/sbin:/usr/sbin exec ldconfig -n "%s/prefix/lib"\n' "$tmp" >bin/ldconfig
chmod +x bin/ldconfig
PATH=$tmp/bin:$PATH MAKEFLAGS='' make -s -C "$built" install prefix="$tmp/prefix" >log 2>&1
ok $? 'make install into an empty prefix succeeds'
${CC:-cc} -o readme readme.c -Iprefix/include -Lprefix/lib -lcpaprof -Wl,-rpath,"$tmp/prefix/lib" && ./readme
ok $? 'the C example of README.md links with -lcpaprof after a first make install'
is "$(find prefix -xtype l)" '' 'no link names a missing file'
is "$(left prefix prefix="$tmp/prefix")" '' 'make uninstall leaves no file in the prefix'
done_testing
