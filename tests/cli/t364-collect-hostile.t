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

reason() { # SERVICE PATTERN: is the last state of the target in the log?
	grep -q "^time=[^ ]* service=\"$1\" target=\"127.0.0.1:$port\" kind=cpu .*$2" err
	result $? "$1: $2" || note err
}
reason denied 'state=refused error=.*403 Forbidden'
reason missing 'state=missing'
reason redirect 'redirects to another server'
reason loop 'stopped after 10 redirects'
reason endless 'more than 33554432 bytes'
reason bomb 'inflates to more than 268435456 bytes'
reason wrong 'another kind of profile, with sample types: alloc_objects'
reason nested 'compression is nested'
reason garbage 'not a profile'
reason html 'the server sent a web page'
reason empty 'the server sent an empty answer'
reason cut 'closed the connection early'
reason silent 'no complete answer within'
reason drip 'no complete answer within'

total() { # SERVICE: the number of samples, and of tenants
	"$CPA" top -sample_index=samples "store:$1@all" 2>/dev/null | sed -n 's/.*Total samples = \([0-9]*\).*/\1/p'
	"$CPA" tags -sample_index=samples "store:$1@all" 2>/dev/null | sed -n 's/^ *[0-9]* *([^)]*): \(.*\)/\1/p' | sort -u | wc -l
}
is_equal "$(total values | xargs)" '1000001 101' 'a million values are a hundred and "other"; the total is the same'
is_equal "$(total names | xargs)" '20000 1' 'the total of twenty thousand names is the same'
is_equal "$("$CPA" tags -sample_index=samples store:names@all 2>/dev/null | grep -c '^ *name[0-9]*:')" 100 'a hundred of the names remain'
is_equal "$(total labels | xargs)" '3 1' 'labels with the names of labels of the series are removed'

grep -c "^1 " log >got
is_equal "$(cat got)" 0 'no request is sent to another server'
[ "$(du -sk "$CPA_STORE" | cut -f 1)" -lt 2000 ]
result $? 'the store stays small'
: "$other"
done_testing
