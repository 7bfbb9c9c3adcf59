#!/bin/sh
# t179-overwrites.t - programs that overwrite shared memory, or their arguments
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
. "$top_srcdir/tests/runtime/endpoint.sh"
compile overwrites -Wall -I"$top_srcdir/src"

for value in 0xffffffff 3; do
	"$CPA" run --quiet --cpu=c.gz -- ./overwrites $value >out 2>err
	is "$? $(cat err)" '0 cpa: ./overwrites: overwrote memory that it shares with cpa; its profiles may be wrong' \
		"a counter overwritten with $value is reported as damage, and not as a number of processes"
done

serve_ready --enable-profiling -- ./overwrites title and a long list of other words
is "$(get /cmdline) $(od -An -c body | tr -d ' \n')" '200 text/plain; charset=utf-8 - server*:1' 'the padding of a title is not served'
end KILL
done_testing
