#!/bin/sh
# t190-host.t - a program finds itself as it is alone: what the loader says, memory that is locked or dumped
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile host

run 100 ./host dlerror
is "$(cat out)" nothing 'names that we looked for in vain are no error of the program'
run 100 ./host dump
between "$(cut -d' ' -f1 out)" 80000 1000000 'memory is shared with cpa'
is "$(cut -d' ' -f2 out)" 0 'none of it is in core dumps'
for how in current future both touched; do
	./host lock $how >alone 2>/dev/null
	run 100 ./host lock $how
	is "$(cat out)" "$(cat alone)" "what a program locks is locked ($how)"
	between "$(sed -n 's/ .*//p' err)" 0 2000 'and what is shared with cpa is not'
done

./host sandbox >alone
if [ $? != 77 ]; then
	run 1000 ./host sandbox
	is "$status $(cat out)" "0 $(cat alone)" 'a program that may do next to nothing ends as ever'
	between "$(total p.pb.gz)" 50000000 20000000000 'and is profiled'
fi

# who has no privileges may lock 8 MiB, in most places
nobody() { # KILOBYTES COMMAND...
	# shellcheck disable=SC3045 # dash has it
	(ulimit -l "$1" && shift && exec setpriv --reuid 65534 --clear-groups "$@")
}
if [ "$(id -u)" = 0 ] && chmod 777 . && nobody 8192 ./host lock current >alone 2>/dev/null &&
	nobody 8192 "$CPA" run --cpu=n.pb.gz -- true 2>/dev/null; then
	for most in 8192 512; do
		nobody $most ./host lock current >alone 2>/dev/null
		nobody $most "$CPA" run --cpu=n.pb.gz -- ./host lock current >out 2>/dev/null
		is "$(cat out)" "$(cat alone)" "a program that may lock $most kB locks what it does alone"
	done
fi
done_testing
