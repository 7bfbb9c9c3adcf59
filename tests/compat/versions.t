#!/bin/sh
# versions.t - script/compare-pprof lists the command lines that a version of pprof, or cpa, answers differently
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

# Programs that print what cpa prints, one of them another total in top.
printf '#!/bin/sh\nexec "%s" "$@"\n' "$CPA" >"$tmp/followed" # as cpa
printf '#!/bin/sh\n"%s" "$@" | case $* in *-top*) sed s/total/sum/ ;; *) cat ;; esac\n' "$CPA" >"$tmp/newest"
chmod +x "$tmp/followed" "$tmp/newest"
CPA=$CPA sh "$top_srcdir/tests/compat/versions.sh" "$tmp/followed" "$tmp/followed" go-mutex.pb.gz >"$tmp/out" &&
	grep -qx '10 command lines: 0 changed in pprof, 0 differ in cpa, 0 differ as in differences.txt' "$tmp/out"
result $? "nothing is listed if all programs print the same"
CPA=$CPA sh "$top_srcdir/tests/compat/versions.sh" "$tmp/followed" "$tmp/newest" go-mutex.pb.gz >"$tmp/out"
[ $? -eq 1 ] && grep -qx 'changed in pprof: -top go-mutex.pb.gz' "$tmp/out" &&
	grep -qx 'cpa differs: -top go-mutex.pb.gz' "$tmp/out" &&
	grep -q '^10 command lines: 1 changed in pprof, 1 differ in cpa' "$tmp/out"
result $? "a changed report is listed, and that cpa differs from it"
done_testing
