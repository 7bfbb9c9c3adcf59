#!/bin/sh
# t190-host.t - loader errors, locked memory and core dumps of a program are the same as without cpa
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile host

run 100 ./host dlerror
is "$(cat out)" nothing 'failed symbol lookups by the library do not appear in dlerror'
run 100 ./host dump
between "$(cut -d' ' -f1 out)" 80000 1000000 'memory is shared with cpa'
is "$(cut -d' ' -f2 out)" 0 'shared memory is excluded from core dumps'
for how in current future both touched; do
	./host lock $how >alone 2>/dev/null
	run 100 ./host lock $how
	is "$(cat out)" "$(cat alone)" "a program locks the same memory as without cpa ($how)"
	between "$(sed -n 's/ .*//p' err)" 0 2000 'memory shared with cpa is not locked'
done

./host sandbox >alone
if [ $? != 77 ]; then
	run 1000 ./host sandbox
	is "$status $(cat out)" "0 $(cat alone)" 'a program in a strict sandbox ends as usual'
	between "$(total p.pb.gz)" 50000000 20000000000 'a program in a strict sandbox is profiled'
	./host threads >alone
	for CPA_CPU_ENGINE in timer perf itimer; do
		export CPA_CPU_ENGINE
		run 1000 ./host threads
		is "$status $(cat out)" "0 $(cat alone)" "$CPA_CPU_ENGINE: threads in a sandbox end as usual"
		spent=$("$CPA" top -unit=ns -focus=start_thread p.pb.gz 2>/dev/null | sed -n 's/^Showing nodes accounting for \([0-9]*\)ns,.* of \([0-9]*\)ns total$/\1 \2/p')
		between "$(echo "$spent" | awk '{ print 100 * $1 / $2 }')" 50 80 "$CPA_CPU_ENGINE: the two threads have two thirds of the time"
	done
	unset CPA_CPU_ENGINE
fi

# without privileges the usual limit of locked memory is 8 MiB
nobody() { # KILOBYTES COMMAND...
	# shellcheck disable=SC3045 # dash has it
	(ulimit -l "$1" && shift && exec setpriv --reuid 65534 --clear-groups "$@")
}
if [ "$(id -u)" = 0 ] && chmod 777 . && nobody 8192 ./host lock current >alone 2>/dev/null &&
	nobody 8192 "$CPA" run --quiet --cpu=n.pb.gz -- true 2>/dev/null; then
	for most in 8192 512; do
		nobody $most ./host lock current >alone 2>/dev/null
		nobody $most "$CPA" run --quiet --cpu=n.pb.gz -- ./host lock current >out 2>/dev/null
		is "$(cat out)" "$(cat alone)" "a program that may lock $most kB locks the same memory as without cpa"
	done
fi
done_testing
