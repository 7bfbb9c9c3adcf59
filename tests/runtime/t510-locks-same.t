#!/bin/sh
# t510-locks-same.t - locks give what they give alone, in odd cases too
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
. "$top_srcdir/tests/runtime/locks.sh"
compile locks_same -Wno-nonnull

./locks_same >alone
is "$?" 0 'the program runs alone'
same() { # NAME
	is "$status" 0 "the program ends as it does alone, $1"
	cmp -s alone out || diff alone out | sed 's/^/# /'
	cmp -s alone out
	ok $? "EDEADLK, dead owners, timeouts, cancellation, forks, old conditions, C11: all is as it is alone, $1"
}
waits 1ns 1 ./locks_same
same 'with all waits kept'
between "$(share b.pb.gz ask)" 1 99999999999 'and waits were seen'
is "$(share b.pb.gz cancel_in_sem)" '' 'but none that was cancelled'
waits 10us 3 ./locks_same
same 'with some waits kept'
run 1000 ./locks_same
same 'at 1000 Hz, and no waits kept'
done_testing
