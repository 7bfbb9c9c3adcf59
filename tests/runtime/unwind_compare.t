#!/bin/sh
# unwind_compare.t - stacks of Debian programs equal those of libunwind, up to the root
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"

if ! printf '#include <libunwind.h>\nint main(void) { return 0; }\n' | ${CC:-cc} -x c -o has - -lunwind 2>/dev/null; then
	echo '1..0 # SKIP libunwind not found: apt-get install libunwind-dev'
	exit 0
fi
compare() { # PROGRAM ARGUMENT...
	name=${1##*/}
	command -v "$1" >has || {
		count=$((count + 1))
		echo "ok $count - $name # SKIP not found"
		return
	}
	sh "$top_srcdir/tests/runtime/unwind_compare.sh" "$here" "$@" >said 2>&1
	sed 's/^/# /' said
	between "$(sed -n 's/.* equal \([0-9.]*\)%.*/\1/p' said)" 99 100 "$name: 99 of 100 stacks are equal"
	between "$(sed -n 's/.* complete \([0-9.]*\)%.*/\1/p' said)" 99 100 "$name: 99 of 100 stacks are complete"
}

compare "$("${PYTHON3:-python3}" -c 'import sys; print(sys.executable)')" -c 'import json, re
for i in range(60):
    re.findall(r"(a|b)*c", "abababc" * 2000)
    sorted(json.loads(json.dumps([{str(k): k * .7} for k in range(9000)])), key=str)'
# shellcheck disable=SC2016 # of perl
compare perl -e 'my %h; for my $i (1..3000000) { my $s = "k" . ($i * 7919 % 100003); $h{$s} .= $i; $s =~ s/(\d)(\d)/$2$1/g; }'
compare xz -9 -c "$(command -v "$CPA")"
done_testing
