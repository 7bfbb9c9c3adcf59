#!/bin/sh
# t510-locks-same.t - locks give what they give alone, in odd cases too
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
. "$top_srcdir/tests/runtime/locks.sh"
compile locks_same -Wno-nonnull
compile waits_same -Wno-nonnull

same() { # PROGRAM NAME
	is "$status" 0 "$1 ends as it does alone, $2"
	cmp -s "$1.alone" out || diff "$1.alone" out | sed 's/^/# /'
	cmp -s "$1.alone" out
	ok $? "and gives what it gives alone"
}
for program in locks_same waits_same; do
	"./$program" >$program.alone
	is "$?" 0 "$program runs alone"
	between "$(wc -l <$program.alone)" 60 1000 'and has much to say'
	waits 1ns 1 ./$program
	same $program 'with all waits kept'
	[ -n "$(total b.pb.gz)" ]
	ok $? 'and waits were seen'
	is "$(share b.pb.gz cancel_in_sem)" '' 'but none that was cancelled'
	waits 10us 3 ./$program
	same $program 'with some waits kept'
	run 1000 ./$program
	same $program 'at 1000 Hz, and no waits kept'
done
done_testing
