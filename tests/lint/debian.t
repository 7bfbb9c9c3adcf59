#!/bin/sh
# debian.t - debian/ names the version, packages, loaded libraries and symbols of the sources; script/check-package builds it
# SPDX-License-Identifier: Apache-2.0
cd "${top_srcdir:?}" || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
count=0
same() { # DESCRIPTION: compares the lines of the files wanted and got
	count=$((count + 1)) differ=ok
	for file in wanted got; do LC_ALL=C sort -u "$tmp/$file" >"$tmp/$file.sorted"; done
	diff "$tmp/wanted.sorted" "$tmp/got.sorted" >"$tmp/diff" && [ -s "$tmp/wanted" ] || differ='not ok'
	sed 's/^/# /' "$tmp/diff"
	echo "$differ $count - $1"
}

echo 1..4
sed -n 's/^AC_INIT(\[cpa\], \[\([^]]*\)\].*/\1/p' configure.ac >"$tmp/wanted"
sed -n '1s/^cpa (\([^)]*\)).*/\1/p' debian/changelog >"$tmp/got"
same 'debian/changelog has the version of configure.ac'

# The packages that messages of configure name, except pkg-config, which has two names.
sed -n 's/.*CPA_\(LIBRARY\|PART_LIBRARY\|PROGRAM\|MISS\)(.*, \[\([^],]*\)\])\(\], *\)*.*/\2/p' configure.ac |
	grep -v '^pkg-config$' >"$tmp/wanted"
sed -n '/^Build-Depends:/,/^[^B ]/s/^ \([a-z0-9-]*\),*$/\1/p' debian/control >"$tmp/got"
same 'debian/control has the packages that configure needs'

{
	find src viewers -name '*.c' -exec grep -ho '"lib[a-z0-9-]*\.so\.[0-9]*"' {} + | tr -d '"' | grep -v '^libcpaprof'
	echo libdebuginfod.so.1 # DEBUGINFOD_SONAME
} >"$tmp/wanted"
sed -n '/^depends =/,/^loaded =/p' debian/rules | grep -o 'lib[a-z0-9-]*\.so\.[0-9]*' >"$tmp/got"
same 'debian/rules names the libraries that cpa loads on demand'

grep '^cpa_' tests/runtime/exported.txt >"$tmp/wanted"
sed -n 's/^ \(cpa_[a-z_]*\)@Base .*/\1/p' debian/libcpaprof1.symbols >"$tmp/got"
same 'debian/libcpaprof1.symbols has the functions of cpa/pprof.h'
