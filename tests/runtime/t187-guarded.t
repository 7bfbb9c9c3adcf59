#!/bin/sh
# t187-guarded.t - a program that uses SIGPROF in every possible way behaves the same as without cpa
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile guarded

timeout 100 ./guarded >alone 2>/dev/null
is "$?" 155 'without cpa SIGPROF ends the program'
is "$(wc -l <alone)" 59 'without cpa the program prints 59 lines'
for CPA_CPU_ENGINE in timer itimer perf; do
	export CPA_CPU_ENGINE
	rm -f p*.pb.gz
	timeout 100 "$CPA" run --quiet --hz=1000 --cpu=p.pb.gz -- ./guarded >out 2>ticks
	is "$?" 155 "$CPA_CPU_ENGINE: SIGPROF ends the program, as without cpa"
	# the number of timer ticks in half a second depends on the load of the machine
	sed 's/: wrong,/: ticks,/' alone >alone.same
	sed 's/: wrong,/: ticks,/' out >out.same
	# an event that counts the kernel can send its signal within a raw execve, whose program it ends (docs/runtime.md)
	if [ $CPA_CPU_ENGINE = perf ] && grep -q '^child 4: signal 27, status 0' out.same; then
		echo '# perf: child 4 was ended within its raw execve'
		sed -i '/^child 3/,/^child 4/{/^child 3/!d}' alone.same out.same
	fi
	diff alone.same out.same | sed 's/^/# /'
	cmp -s alone.same out.same
	ok $? "$CPA_CPU_ENGINE: handlers, timers, masks, waits and children behave the same as without cpa"
	between "$(grep -c ': wrong,' out)" 0 0 'timers of the program tick at the right rate'
	between "$(total p.pb.gz)" 1000000000 100000000000 'a program with its own handlers has a profile'
done
done_testing
