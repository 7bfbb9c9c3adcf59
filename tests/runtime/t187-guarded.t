#!/bin/sh
# t187-guarded.t - a program that uses SIGPROF itself, in all ways there are, sees what it sees alone
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile guarded

timeout 100 ./guarded >alone 2>/dev/null
is "$?" 155 'alone it ends by SIGPROF'
is "$(wc -l <alone)" 40 'and has much to say'
for CPA_CPU_ENGINE in timer itimer perf; do
	export CPA_CPU_ENGINE
	rm -f p*.pb.gz
	timeout 100 "$CPA" run --hz=1000 --cpu=p.pb.gz -- ./guarded >out 2>ticks
	is "$?" 155 "$CPA_CPU_ENGINE: it ends so"
	# how many ticks of a timer there are in half a second depends on who else wants the processors
	sed 's/: wrong,/: ticks,/' alone >alone.same
	sed 's/: wrong,/: ticks,/' out >out.same
	diff alone.same out.same | sed 's/^/# /'
	cmp -s alone.same out.same
	ok $? "$CPA_CPU_ENGINE: handlers, timers, masks, waits and children see what they see alone"
	between "$(grep -c ': wrong,' out)" 0 0 'and timers tick as often as they should'
	between "$(total p.pb.gz)" 1000000000 100000000000 'and there is a profile of it'
done
done_testing
