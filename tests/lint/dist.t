#!/bin/sh
# dist.t - make dist contains every file that git tracks
# SPDX-License-Identifier: Apache-2.0
top_builddir=$(cd "${top_builddir:?}" && pwd)
cd "${top_srcdir:?}" || exit 1

if ! git ls-files --error-unmatch configure.ac >/dev/null 2>&1; then
	echo '1..0 # SKIP not a git repository'
	exit 0
fi
echo 1..1
# A folder in the list contains all of its files.
missing=$({ MAKEFLAGS='' make -s -C "$top_builddir" list-dist && echo && git ls-files -z | tr '\0' '\n'; } |
	awk '!tracked { listed[$0]; tracked = $0 == ""; next }
		{ for (name = $0; name != "" && !(name in listed); sub(/\/?[^\/]*$/, "", name)) {} if (name == "") print }')
if [ -z "$missing" ]; then
	echo 'ok 1 - make dist contains every file that git tracks'
else
	printf '%s\n' "$missing" | sed 's/^/# /'
	echo 'not ok 1 - make dist contains every file that git tracks (add it to EXTRA_DIST of a local.mk)'
fi
