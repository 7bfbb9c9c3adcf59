#!/bin/sh
# t378-store-modes.t - files of a new store can be opened by their user only, from the first moment and with any umask
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
cd "$tmp" || exit 1
"${PYTHON3:-python3}" "$top_srcdir/tests/cli/stored_profiles.py" in cpu 1795780800 10 2

# import DIE_AT: imports into the new store "store", and ends at a change; prints files that others can open
import() {
	rm -rf store && mkdir -m 755 store # folders of cpa have mode 700
	(umask "$2" && CPA_STORE_DIE_AT=$1 "$CPA" store import --store=store --service=a in >/dev/null 2>&1)
	done=$?
	find store -type f -perm /077
}

# Builds without --enable-dev cannot be made to end at a change.
CPA_STORE_DIE_AT=1 "$CPA" store import --store=first --service=a in >/dev/null 2>&1
has_faults=$?
grep -q '^DEV_CFLAGS = -Werror' "${top_builddir:?}/Makefile"
is_equal "$((has_faults == 0))" "$?" 'CPA_STORE_DIE_AT ends a process in builds with --enable-dev only'

for mask in 0 022 0777; do
	at=0 done=1 open=
	while [ "$done" -ne 0 ] && [ "$at" -lt 300 ]; do
		at=$((at + 1))
		import "$at" "$mask" >found
		open="$open$(cat found)"
	done
	is_equal "$open" '' "no file can be opened by others with umask $mask, whenever the process ends"
	is_equal "$done" 0 "the store is complete after $at changes"
done
rm -f store/index.db
chmod 750 store
"$CPA" store repair --store=store >out 2>&1 || note out
is_equal "$(find store -name index.db -perm 640)" store/index.db 'after a repair, the group of a store may read it'
is_equal "$(find store -type f -perm /027)" '' 'but others may not'

done_testing
