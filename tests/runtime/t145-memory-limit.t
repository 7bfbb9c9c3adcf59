#!/bin/sh
# t145-memory-limit.t - programs whose limit of memory (ulimit -v) leaves no room for the memory that they share with cpa
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile burn
limit=100000 # KiB
# shellcheck disable=SC3045 # dash has it
if ! (ulimit -v $limit && ./burn 0) >out 2>err; then
	ok 0 'a limit of memory # SKIP programs do not run with it'
	done_testing
	exit 0
fi

# shellcheck disable=SC3045 # dash has it
if (ulimit -v $limit && "$CPA" --version) >out 2>&1; then # not with AddressSanitizer
	(ulimit -v $limit && "$CPA" record --top=0 -o p.pb.gz -- ./burn 0.1) >out 2>err
	is "$? $(cat out err)" \
		'2 cpa: ./burn: cannot create shared memory: it takes 144 MiB, and the limit of memory is lower; raise it with ulimit -v' \
		'cpa itself has the limit: the message names the need'
fi
"$CPA" run --follow --cpu=r-%p.pb.gz -- sh -c "ulimit -v $limit; ./burn 0.1; ./burn 0.1" >out 2>err
is "$? $(grep -c '^cpa: programs without a profile: 2, because the limit of their memory (ulimit -v) leaves no room for the' err)" \
	'0 1' 'cpa run says how many programs have no profile, and why'

"$CPA" record --top=0 -o q.pb.gz -- sh -c "ulimit -v $limit; ./burn 0.3; sh -c './burn 0.1 0.2; true'" >out 2>err
status=$?
if grep -q 'not sampled with perf events either' err; then
	ok 0 'cpa record samples them # SKIP no perf events'
	done_testing
	exit 0
fi
is "$status $(grep -v '^cpa: wrote \|^cpa: sampled ' err)" '0 ' 'cpa record samples them with perf events: no message'
within "$(total q.pb.gz)" "$(awk '{ n += $1 } END { print n }' out)" 15 'their CPU time is complete'
done_testing
