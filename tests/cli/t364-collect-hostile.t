#!/bin/sh
# t364-collect-hostile.t - cpa collect and targets that are slow, silent, redirect, send too much, or lie
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
export PYTHONDONTWRITEBYTECODE=1 XDG_RUNTIME_DIR="$tmp/run" CPA_STORE="$tmp/store"
case $top_srcdir in /*) ;; *) top_srcdir=$OLDPWD/$top_srcdir ;; esac
cd "$tmp" && mkdir -m 700 run || exit 1

"${PYTHON3:-python3}" "$top_srcdir/tests/cli/hostile_targets.py" ports log 2>server &
server=$!
trap 'kill $server; rm -rf "$tmp"' EXIT
until [ -e ports ] || ! kill -0 $server; do sleep 0.1; done
read -r port other <ports || { note server && exit 1; }

modes='good labels values names silent drip endless redirect loop wrong html garbage empty cut denied missing bomb nested'
echo 'secret-token' >bearer
chmod 600 bearer
{
	printf 'kinds cpu\ncpu 1s\ntimeout 20s\nlabel env=prod\nbearer %s\n' "$tmp/bearer"
	for mode in $modes; do
		printf 'job %s\ntarget http://127.0.0.1:%s/%s/debug/pprof\n' "$mode" "$port" "$mode"
		case $mode in silent | drip) echo 'timeout 2s' ;; esac
	done
} >collect.cpa
"$CPA" collect --once collect.cpa >out 2>err
is_equal $? 2 'targets that fail are an error'
grep -q 'cpa: 14 targets failed' err
result $? 'only the targets that misbehave fail' || note err

"$CPA" store ls | awk 'NR > 1 { print $1, $2, $3, $4 }' >got
printf '%s cpu 1 1\n' good labels names values >want
same 'profiles are stored under the names of the configuration alone' want got
"$CPA" store ls --labels | sed 's/.* //; 1d' | sort -u >got
echo "env=prod,instance=127.0.0.1:$port" >want
same 'labels of a target do not become labels of the series' want got

reasons() { # the states in the log, without times and ports
	sed -n 's/^time=[^ ]* target="[^"]*" kind=cpu //p' err | sed "s/:$port//g; s/http fetch: Get [^ ]* //" | sort
}
reasons >got
for reason in 'server response: 403' 'state=missing' 'redirects to another server' 'stopped after 10 redirects' \
	'more than 33554432 bytes' 'inflates to more than' 'another kind of profile' 'compression is nested' 'not a profile: neither' \
	'a web page' 'an empty answer' 'closed the connection early' 'no complete answer within'; do
	grep -q "$reason" got
	result $? "the log has the reason: $reason"
done
[ "$(grep -c 'no complete answer within' got)" = 2 ]
result $? 'slow and silent targets end at their time limit' || note got

# 200 of the 1,000,001 values would fit into the default limit twice
total() { # SERVICE: the number of samples, and of tenants
	"$CPA" top -sample_index=samples "store:$1@all" 2>/dev/null | sed -n 's/.*Total samples = \([0-9]*\).*/\1/p'
	"$CPA" tags -sample_index=samples "store:$1@all" 2>/dev/null | sed -n 's/^ *[0-9]* *([^)]*): \(.*\)/\1/p' | sort -u | wc -l
}
is_equal "$(total values | xargs)" '1000001 101' 'a million values are a hundred and "other"; the total is the same'
is_equal "$(total names | xargs)" '20000 0' 'twenty thousand names are none'
is_equal "$(total labels | xargs)" '3 1' 'labels with the names of labels of the series are removed'

grep -c "^1 " log >got
is_equal "$(cat got)" 0 'no request is sent to another server'
[ "$(du -sk "$CPA_STORE" | cut -f 1)" -lt 2000 ]
result $? 'the store stays small'
: "$other"
done_testing
