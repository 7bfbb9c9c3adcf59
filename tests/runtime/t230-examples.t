#!/bin/sh
# t230-examples.t - the programs of examples/runtime build as in their README, and their profiles match it
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
library=$here/${top_builddir:-.}/src/libcpaprof
case ${top_builddir:-.} in /*) library=$top_builddir/src/libcpaprof ;; esac
for program in make pkg-config c++; do
	command -v $program >/dev/null && continue
	echo "1..0 # SKIP $program not found"
	exit
done

# as installed, except for the paths
mkdir -p examples include bin
cp -r "$top_srcdir/examples/runtime" examples
chmod -R u+w examples
ln -s "$top_srcdir/src/libcpaprof/api/cpa" include/cpa
ln -s "$CPA" bin/cpa
printf 'Name: cpaprof\nDescription: of the build tree\nVersion: 0\nLibs: -L%s -lcpaprof\nCflags: -I%s\n' \
	"$library" "$tmp/include" >cpaprof.pc
export PKG_CONFIG_PATH="$tmp" LD_LIBRARY_PATH="$library" PATH="$tmp/bin:$PATH" MAKEFLAGS=

plain() { # numbers and the columns they make are not the same each time
	sed 's/[0-9][0-9.]*\([mun]*s\|[kM]*B\|%\)*/N/g; s/  */ /g; s/( /(/g'
}
awk '/^```console of examples$/ { on = 1; next } /^```$/ { on = 0 } on' "$top_srcdir/README.md" >want
grep '^[$] ' want | cut -c 3- >commands
while IFS= read -r command; do
	printf '$ %s\n' "$command"
	sh -c "$command" 2>err </dev/null || sed 's/^/# /' err
done <commands >got
plain <want >want.plain
plain <got >got.plain
cmp -s want.plain got.plain
same=$?
[ $same = 0 ] || diff want.plain got.plain | sed 's/^/# /'
ok $same 'the output of the examples matches the README, except for numbers'
is "$(wc -l <commands)" 4 'the README has four commands'

total=$(total cpu.pb.gz)
between "$("$CPA" top -unit=ns -tagfocus=tenant=acme cpu.pb.gz 2>/dev/null |
	sed -n 's/^Showing nodes accounting for \([0-9]*\)ns.*/\1/p')" $((total * 50 / 100)) $((total * 70 / 100)) \
	'six of ten pages belong to the first tenant'
within "$("$CPA" top -unit=bytes heap.pb.gz 2>/dev/null | sed -n 's/^Showing nodes accounting for .* of \([0-9]*\)B total$/\1/p')" \
	2401920 35 'the heap profile contains the memory that the program keeps'
examples/runtime/pool
ok $? 'the example pool runs'
"$CPA" list merge mutex.pb.gz 2>/dev/null >lines
between "$(awk '$2 ~ /ms$|s$/ && /}$/' lines | wc -l)" 1 1 'all threads wait for the scope that holds the lock'
is "$("$CPA" tags cpu.pb.gz 2>/dev/null | grep -c ': merge$\|: parse$')" 2 'the CPU time of the example pool is labelled by step'
done_testing
