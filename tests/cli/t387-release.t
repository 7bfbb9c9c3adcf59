#!/bin/sh
# t387-release.t - releases: snapshots that a store keeps, sources release:, cpa gate --release
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/server.sh"
export CPA_STORE="$tmp/store" PYTHONDONTWRITEBYTECODE=1
server=snapshot_server.py
server_start "$TESTDATA"
cd "$tmp" || exit 1

fails 'there is no store' top release:1.0
"$CPA" store import --service=mill --label=release=1.0 "$TESTDATA"/gate/base-?.pb.gz >out
fails 'release:1.0: there is no release 1.0; cpa snapshot --release and cpa store release make one$' top release:1.0
"$CPA" store release 1.0 >out 2>&1
is_equal "$? $(cat out)" '0 release 1.0 of mill has 6 profiles; read them with release:mill@1.0' 'a release is made of stored profiles'
"$CPA" store release 1.1 'mill{release=1.0}@all' >out
fails 'release 1.2/x: a version has letters' store release 1.2/x
fails 'no profiles' store release 3
"$CPA" snapshot --release=2.4.0+b7 --service=shop --seconds=1 "http://$host/go/debug/pprof" >out 2>err 9>&-
is_equal "$? $(tail -n 1 out) $(cat err)" '0 release 2.4.0+b7 of shop has 6 profiles; read them with release:shop@2.4.0+b7 ' \
	'a snapshot is a release'
"$CPA" snapshot --release=1.0 --service=shop --seconds=1 "http://$host/go/debug/pprof" >out 2>err 9>&-

"$CPA" store ls --releases | tr -s ' ' | cut -d ' ' -f 1-3 >out
cat >want <<'END'
SERVICE RELEASE PROFILES
mill 1.0 6
shop 1.0 6
mill 1.1 6
shop 2.4.0+b7 6
END
same 'ls lists releases' want out
"$CPA" store ls >out
is_equal "$(tail -n 1 out)" '4 releases: cpa store ls --releases' 'ls says that there are some'
is_equal "$("$CPA" store ls --releases --json | grep -o '"release": "[^"]*"' | tr '\n' ' ')" \
	'"release": "1.0" "release": "1.0" "release": "1.1" "release": "2.4.0+b7" ' 'JSON lists them, too'
is_equal "$("$CPA" store ls --marks | awk 'NR > 1 { print $4, $5, $6, $7 }' | sort | tr '\n' ' ')" \
	'mill note release 1.0 mill note release 1.1 shop note release 1.0 shop note release 2.4.0+b7 ' 'each has a mark'

total() { "$CPA" top --json "$@" 2>/dev/null | sed -n 's/^  "total": \([0-9]*\),/\1/p'; }
# only the pins are left
"$CPA" store rm 'mill@all' >out && "$CPA" store rm 'shop@all' >out
fails 'several services have a release 1.0; write release:mill@1.0 or release:shop@1.0$' top release:1.0
fails 'there is no release 2.4.0 of mill; releases are mill@1.0, shop@1.0, mill@1.1, shop@2.4.0+b7$' top release:mill@2.4.0
fails 'there is no release 9; releases are' top release:9
is_equal "$(total release:mill@1.0)" "$(total "$TESTDATA"/gate/base-?.pb.gz)" 'a release has its profiles, also after removal of the others'
is_equal "$(total 'release:"2.4.0+b7"')" "$(total "$TESTDATA/go-cpu.pb.gz")" 'a version with +'
is_equal "$(total -sample_index=inuse_space 'release:shop/heap@1.0')" "$(total -sample_index=inuse_space "$TESTDATA/go-heap1.pb.gz")" 'a kind'
is_equal "$(total 'release:shop{route=/export}@1.0')" 1270000000 'labels'
is_equal "$(total "release:$CPA_STORE#mill@1.1+reduce=last")" "$(total "release:mill@1.1+reduce=last")" 'another store, and options'
is_equal "$(total "release:$CPA_STORE#1.1")" "$(total release:1.1)" 'another store without a service'
"$CPA" diff --json release:mill@1.0 "$TESTDATA/gate/slow-1.pb.gz" >out 2>err
is_equal "$? $(grep -c 'store:mill/cpu@pin:"release+1.0+mill"' out)" '0 0' 'diff'
"$CPA" gate --release=mill@1.0 "$TESTDATA"/gate/slow-?.pb.gz >out 2>err
is_equal "$? $(grep -c '^FAIL .*cum   mill/score.mark' out)" '1 1' 'a gate with a release as base'
fails 'leave out -base' gate --release=mill@1.0 -base="$TESTDATA/gate/base-1.pb.gz" "$TESTDATA/gate/slow-1.pb.gz"

# a second snapshot of a release is added, unless the store has lost the first
"$CPA" snapshot --release=1.0 --service=shop --seconds=1 "http://$host/go/debug/pprof" >out 2>err 9>&-
is_equal "$? $(grep -c 'imported 6 profiles\|release 1.0 of shop has 6' out)" '0 2' 'the same profiles again'
"$CPA" store import --service=shop --label=release=1.0 "$TESTDATA/go-heap2.pb.gz" >out
"$CPA" store release 1.0 'shop{release=1.0,version=}@all' >out 2>err
is_equal "$? $(grep -c 'the release exists and has profiles that are not selected' err)" '2 1' 'a release does not lose profiles'
"$CPA" store gc >out 2>&1
is_equal "$(total -sample_index=inuse_space 'release:shop/heap@1.0')" "$(total -sample_index=inuse_space "$TESTDATA/go-heap1.pb.gz")" 'it is unchanged'

# a release is replaced by way of another pin, which a crash may leave
"$CPA" store import --service=ship --kind=cpu --label=n=1 "$TESTDATA"/gate/base-[12].pb.gz >out
long=$(printf '1%.0s' $(seq 51)) # release+LONG+ship has 64 characters, as many as a pin can have
"$CPA" store release "$long" 'ship@all' >out 2>&1 || fail "the longest version: $(cat out)"
"$CPA" store import --service=ship --kind=cpu --label=n=1 "$TESTDATA/gate/base-3.pb.gz" >out
"$CPA" store pin new+release 'ship@all' >out
fails "replacing the release: pin 'new+release' exists; remove it with: cpa store unpin new+release" store release "$long" 'ship@all'
is_equal "$("$CPA" store ls --releases | grep -c "^ship  *$long  *2 ")" 1 'then the release is as before'
"$CPA" store unpin new+release >out
"$CPA" store release "$long" 'ship@all' >out 2>&1
is_equal "$? $("$CPA" store ls --releases | grep -c "^ship  *$long  *3 ") $("$CPA" store ls --pins | grep -c new+release)" '0 1 0' \
	'a release is replaced, and the other pin removed'
done_testing
