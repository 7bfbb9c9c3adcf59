#!/bin/sh
# t610-custom.t - a program counts what it opens and closes, by the stack that opened it
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
	'what makes no sense is refused with the errno for it'

./custom stacks >out
is "$(grep -v '^write 0$' out)" 'count 11 1' 'a count is of the values that are in it'
is "$(held conns.pb.gz open_by_name) $(held conns.pb.gz open_by_number) $(held conns.pb.gz opener)" '4 4 3' \
	'a value that is there counts for the stack that added it'
is "$(held conns.pb.gz open_skipped) $(held conns.pb.gz main)" '0 11' 'frames that are skipped are not in it'
is "$(all_of rows.pb.gz) $(held rows.pb.gz open_by_name)" '1 1' 'profiles know nothing of each other'
is "$("$CPA" raw conns.pb.gz 2>/dev/null | sed -n '/^Samples:/{n;p;}' | tr -d ' ')" 'db.conns/count' \
	'the type of its samples has its name'
is "$(head -1 conns.txt)" 'db.conns profile: total 11' 'the text says whose it is'
is "$(grep -c '[[:space:]]open_by_name+' conns.txt) $(grep -c '[[:space:]]open_by_number+' conns.txt)" '1 1' 'and names functions'
"$CPA" raw empty.pb.gz >samples 2>&1
is "$? $(sed -n '/^Samples:/,/^Locations/p' samples | grep -c '^ *-*[0-9][0-9]*: ')" '0 0' 'a profile of nothing is one'
if command -v go >/dev/null; then
	is "$(go tool pprof -top -symbolize=none conns.pb.gz 2>/dev/null | sed -n 's/^Showing .* of \([0-9]*\) total$/\1/p')" 11 \
		'pprof reads the same'
fi

./custom delta >out
is "$(cat out)" "$(printf '%s\n' 'delta 0' -22)" 'a difference needs a time'
is "$(held delta.pb.gz open_by_number) $(held delta.pb.gz open_by_name)" '3 -1' \
	'a difference has what came, less what went'

./custom threads >out
is "$(head -1 out)" 'bad 0 count 40' 'threads that add and remove at once lose nothing, also while others fork'
is "$(all_of threads.pb.gz)" 40 'nor does the profile'

./custom fork >out
is "$(grep -v '^write 0$' out)" "$(printf '%s\n' 'child 0 there 1' 'remove 0' 'child 1' 'parent 3')" \
	'a child knows the values of its parent, and counts its own'
is "$(all_of child.pb.gz) $(held child.pb.gz open_by_number) $(all_of parent.pb.gz)" '1 1 3' 'and so do their profiles'

# under cpa run they are counted too, and the program sees the same errors
"$CPA" run --cpu=p.pb.gz -- ./custom errors >out.run 2>/dev/null
./custom errors >out
cmp -s out out.run
ok $? 'under cpa run the program finds the same'
"$CPA" run --custom=db.conns=c.pb.gz --custom=db.rows=r.pb.gz -- ./custom stacks >out.run 2>err
is "$(grep -c '^write -16$' out.run) $(grep '^count' out.run)" '4 count 11 1' 'a program whose profiles cpa run has is told so'
is "$(held c.pb.gz open_by_name) $(held c.pb.gz open_by_number) $(held c.pb.gz opener) $(all_of c.pb.gz)" '4 4 3 11' \
	'cpa run writes what the program held at its end'
"$CPA" raw r.pb.gz >samples 2>&1
is "$? $(sed -n '/^Samples:/,/^Locations/p' samples | grep -c '^ *-*[0-9][0-9]*: ')" '0 0' \
	'cpa run writes a profile of a program that holds nothing any more'
"$CPA" run --custom=db.conns=f.pb.gz -- ./custom fork >out.run 2>err
child=$(ls f-*.pb.gz)
is "$(all_of f.pb.gz) $(all_of "$child") $(held "$child" open_by_number)" '3 1 1' 'and so for the child'
done_testing
