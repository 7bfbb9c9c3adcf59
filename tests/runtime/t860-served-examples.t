#!/bin/sh
# t860-served-examples.t - the servers of examples/serve build and work as documented
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
built=$here/${top_builddir:-.}
case ${top_builddir:-.} in /*) built=$top_builddir ;; esac
for program in make c++ "${PYTHON3:-python3}"; do
	command -v "$program" >/dev/null && continue
	echo "1..0 # SKIP $program not found"
	exit
done
mkdir bin
ln -s "$CPA" bin/cpa
export PATH="$tmp/bin:$PATH" HOME="$tmp" XDG_STATE_HOME="$tmp/state" MAKEFLAGS='' TOP_BUILDDIR="$built"

timeout 100 "$top_srcdir/examples/serve/run.sh" 2 >out 2>err
is "$?" 0 'run.sh starts a server and shows its profiles'
grep -q '(.*%): acme$' out
ok $? 'CPU time is split by tenant'
grep -q ' receipt$' out
ok $? 'the function of a leak is shown'
grep -q ' reserve$\| pthread_mutex_unlock$' out
ok $? 'the holder of a lock is shown'

cp -r "$top_srcdir/examples/serve" serve
chmod -R u+w serve
make -s -C serve "CPPFLAGS=-I$top_srcdir/src/libcpaprof/api" \
	"LDLIBS=-L$built/src/libcpaprof -lcpaprof -Wl,-rpath,$built/src/libcpaprof -pthread" search mount >err 2>&1
is "$? $(cat err)" '0 ' 'the other examples build without a warning'
serve/search 127.0.0.1:0 load >address &
search=$!
serve/mount >mounted &
mount=$!
for file in address mounted; do
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do [ -s $file ] || sleep 0.2; done
done
cpa tags -tagshow=command "$(head -1 address)/debug/pprof/profile?seconds=2" 2>err >out
commands=$(grep -c ': find$\|: add$' out)
[ "$commands" = 2 ]
measured $? 'the example search labels CPU time by command' "$commands of 2 commands have samples"
# wait until all connections are open
for _ in 1 2 3 4 5 6 7 8 9 10; do
	n=$(cpa top "$(head -1 address)/debug/pprof/connections" 2>/dev/null | sed -n 's/.* of \([0-9]*\) total$/\1/p')
	[ "$n" = 3 ] && break
	sleep 0.2
done
is "$n" 3 'the example search has a custom profile'
url=$(cat mounted)
ask() { # PATH [HEADER VALUE]: the status
	"${PYTHON3:-python3}" -c 'import http.client, sys
c = http.client.HTTPConnection(sys.argv[1].split("//")[1], timeout=30)
c.request("GET", sys.argv[2], headers=dict([sys.argv[3:]] if len(sys.argv) > 3 else []))
r = c.getresponse()
print(r.status, len(r.read()) > 0)' "$url" "$@"
}
is "$(ask /hello)" '200 True' 'the example mount answers its own requests'
is "$(ask /debug/pprof/heap?debug=1)" '200 True' 'the example mount serves /debug/pprof'
is "$(ask /debug/pprof/none)" '404 True' 'the example mount answers unknown paths with errors'
is "$(ask /debug/pprof/heap Origin http://evil.example)" '404 False' 'the example mount refuses requests from web pages'
cpa top "$url/debug/pprof/profile?seconds=1" >out 2>err
is "$?" 0 'cpa reads a profile from the example mount'
kill $search $mount
wait
done_testing
