#!/bin/sh
# t510-locks-same.t - lock functions behave the same as without cpa, also in unusual cases
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
. "$top_srcdir/tests/runtime/locks.sh"
compile locks_same -Wno-nonnull
compile waits_same -Wno-nonnull

same() { # PROGRAM NAME
	is "$status" 0 "$1 ends the same as without cpa, $2"
	cmp -s "$1.alone" out || diff "$1.alone" out | sed 's/^/# /'
	cmp -s "$1.alone" out
	ok $? "$1 prints the same as without cpa, $2"
}
for program in locks_same waits_same; do
	"./$program" >$program.alone
	is "$?" 0 "$program runs without cpa"
	between "$(wc -l <$program.alone)" 60 1000 'without cpa a program prints its results'
	waits 1ns 1 ./$program
	same $program 'with all waits recorded'
	[ -n "$(total b.pb.gz)" ]
	ok $? 'all waits were recorded'
	is "$(share b.pb.gz cancel_in_sem)" '' 'a cancelled wait is not recorded'
	waits 10us 3 ./$program
	same $program 'with some waits recorded'
	run 1000 ./$program
	same $program 'at 1000 Hz without waits'
done
done_testing
