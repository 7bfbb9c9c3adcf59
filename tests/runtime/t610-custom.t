#!/bin/sh
# t610-custom.t - custom profiles count open objects by the stack that opened them
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
library=${top_builddir:?}/src/libcpaprof
libs="-L$library -lcpaprof -Wl,-rpath,$library" compile custom -I"$top_srcdir/src/libcpaprof/api"

held() { # FILE FUNCTION: how many values it holds, 0 for none
	"$CPA" top -nodecount=0 "$1" 2>/dev/null | awk -v name="$2" '$6 == name { n = $4 } END { print n + 0 }'
}

all_of() { # FILE: how many there are
	"$CPA" top "$1" 2>/dev/null | sed -n 's/^Showing nodes accounting for .* of \([0-9]*\) total$/\1/p'
}

./custom errors >out
is "$(cat out)" "$(printf '%s\n' 'new 1 lookup 1' '0 EEXIST' '0 EINVAL' '0 EINVAL' '0 EINVAL' '0 EINVAL' '0 EEXIST' \
	'0 EEXIST' '0 EINVAL' '64 0 63 1' 0 -17 0 'count 2' 0 -2 'count 1' '-1 -1' '8 allocs block' \
	"allocs block db.conns heap mutex $(printf '%063d' 0 | tr 0 n) threadcreate threads " 0)" \
	'invalid calls return the matching errno'

./custom stacks >out
is "$(grep -v '^write 0$' out)" 'count 11 1' 'the count is the number of added values'
is "$(held conns.pb.gz open_by_name) $(held conns.pb.gz open_by_number) $(held conns.pb.gz opener)" '4 4 3' \
	'a value is counted at the stack that added it'
is "$(held conns.pb.gz open_skipped) $(held conns.pb.gz main)" '0 11' 'skipped frames are left out'
is "$(all_of rows.pb.gz) $(held rows.pb.gz open_by_name)" '1 1' 'two custom profiles are independent of each other'
is "$("$CPA" raw conns.pb.gz 2>/dev/null | sed -n '/^Samples:/{n;p;}' | tr -d ' ')" 'db.conns/count' \
	'the sample type has the name of the profile'
is "$(head -1 conns.txt)" 'db.conns profile: total 11' 'the text format begins with the name of the profile'
is "$(grep -c '[[:space:]]open_by_name+' conns.txt) $(grep -c '[[:space:]]open_by_number+' conns.txt)" '1 1' 'the text format of a custom profile contains names of functions'
"$CPA" raw empty.pb.gz >samples 2>&1
is "$? $(sed -n '/^Samples:/,/^Locations/p' samples | grep -c '^ *-*[0-9][0-9]*: ')" '0 0' 'an empty profile is valid'
if command -v go >/dev/null; then
	is "$(go tool pprof -top -symbolize=none conns.pb.gz 2>/dev/null | sed -n 's/^Showing .* of \([0-9]*\) total$/\1/p')" 11 \
		'pprof reads the same total of a custom profile'
fi

./custom delta >out
is "$(cat out)" "$(printf '%s\n' 'delta 0' -22)" 'a delta profile needs a duration'
is "$(held delta.pb.gz open_by_number) $(held delta.pb.gz open_by_name)" '3 -1' \
	'a delta profile contains added minus removed values'

./custom threads >out
is "$(head -1 out)" 'bad 0 count 40' 'no value is lost by concurrent adds and removes, even during forks'
is "$(all_of threads.pb.gz)" 40 'the profile contains all values of concurrent adds'

./custom fork >out
is "$(grep -v '^write 0$' out)" "$(printf '%s\n' 'child 0 there 1' 'remove 0' 'child 1' 'parent 3')" \
	'a child inherits the values of its parent, and counts its own'
is "$(all_of child.pb.gz) $(held child.pb.gz open_by_number) $(all_of parent.pb.gz)" '1 1 3' 'the profiles of a child and its parent each contain their own values'

# under cpa run values are counted, too, and the program gets the same errors
"$CPA" run --quiet --cpu=p.pb.gz -- ./custom errors >out.run 2>/dev/null
./custom errors >out
cmp -s out out.run
ok $? 'under cpa run the program gets the same results'
"$CPA" run --quiet --custom=db.conns=c.pb.gz --custom=db.rows=r.pb.gz -- ./custom stacks >out.run 2>err
is "$(grep -c '^write -16$' out.run) $(grep '^count' out.run)" '4 count 11 1' 'under cpa run the program cannot write a profile: EBUSY'
is "$(held c.pb.gz open_by_name) $(held c.pb.gz open_by_number) $(held c.pb.gz opener) $(all_of c.pb.gz)" '4 4 3 11' \
	'cpa run writes the values at the end of the program'
"$CPA" raw r.pb.gz >samples 2>&1
is "$? $(sed -n '/^Samples:/,/^Locations/p' samples | grep -c '^ *-*[0-9][0-9]*: ')" '0 0' \
	'cpa run writes an empty profile, too'
"$CPA" run --quiet --custom=db.conns=f.pb.gz -- ./custom fork >out.run 2>err
child=$(ls f-*.pb.gz)
is "$(all_of f.pb.gz) $(all_of "$child") $(held "$child" open_by_number)" '3 1 1' 'cpa run writes a custom profile of a child'
done_testing
