#!/bin/sh
# t321-web-sides.t - pages with a base from the command line join functions like cpa diff
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/page.sh"

# write FILE FOLDER STACK=VALUE[=LABEL]...
write() {
	file=$1
	shift
	"${PYTHON3:-python3}" "$top_srcdir/tests/cli/make_profile.py" "$tmp/$file" "$@"
}

# Two builds of a program, from different folders. slow gained samples, only the first has spare, the second extra.
write old.pb /home/one/shop 'slow;main=5' 'fold;main=5=route:a' 'spare;main=2=route:b'
write new.pb /build/ci/42/lib 'slow;main=9=route:b' 'fold;main=5' 'extra;main=2=route:a'
cd "$tmp" || exit 1

# rows FILE: name, state, before and after of each row of a difference in JSON, sorted
rows() {
	"${PYTHON3:-python3}" - "$1" <<-'END'
		import json, sys
		table = json.load(open(sys.argv[1]))
		for row in sorted(table["rows"], key=lambda r: r["name"]):
		    print(row["name"], row["flat_state"], row["flat_before"], row["flat_after"], row["cum_before"], row["cum_after"])
	END
}

"$CPA" diff --json old.pb new.pb >want.json
rows want.json >want
grep -q '^slow grew 50000000 90000000' want && grep -q '^spare gone' want && grep -q '^extra new' want
result $? "cpa diff joins functions of different folders"

for option in base diff_base; do
	page_start -$option=old.pb new.pb
	page diff.json '*/*'
	rows "$tmp/page" >got
	diff want got >differences || note differences
	cmp -s want got
	result $? "the page opened with -$option has the rows of cpa diff"
	page gate.json '*/*'
	"$CPA" gate --json -base=old.pb new.pb >want.gate
	cmp -s want.gate "$tmp/page"
	result $? "with -$option, its gate is that of cpa gate"
	page_stop
done
done_testing
