#!/bin/sh
# t144-record-comments.t - recordings of several processes keep the comments; programs that profile themselves
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile burn

"$CPA" record --top=0 -o p.pb.gz -- sh -c './burn 0.2; ./burn 0.2; ./burn 0.2; true' >out 2>err
comments=$("$CPA" -comments p.pb.gz)
is "$(printf '%s\n' "$comments" | sed -n 's/^cpa .*: \(.* processes\)$/\1/p')" '4 processes' 'the first comment is the number of processes'
is "$(printf '%s\n' "$comments" | grep -c '^stacks, complete: ')" 1 'there is one comment of complete stacks'
stacks=$("$CPA" top -sample_index=samples p.pb.gz 2>/dev/null | sed -n 's/^Showing nodes accounting for .* of \([0-9]*\) total$/\1/p')
within "$(printf '%s\n' "$comments" | sed -n 's/^stacks, complete: [0-9]* of \([0-9]*\) .*/\1/p')" "$stacks" 10 'it is about all stacks'
between "$(printf '%s\n' "$comments" | sed -n 's/^stacks, complete: .* (\([0-9.]*\)%)$/\1/p')" 80 100 'with their share'

built=$here/${top_builddir:-.}
case ${top_builddir:-.} in /*) built=$top_builddir ;; esac
cat >linked.c <<'EOF2'
#include <cpa/pprof.h>
#include <stdio.h>
#include <time.h>
static volatile unsigned long sink;
__attribute__((noinline)) static double spin(double seconds)
{
	struct timespec t;

	do {
		for (int i = 0; i < 20000; i++)
			sink += (unsigned long)i;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while ((double)t.tv_sec + (double)t.tv_nsec / 1e9 < seconds);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}
int main(void)
{
	if (cpa_cpu_start_path("own.pb.gz", NULL) != 0)
		return 3;
	printf("%.0f\n", spin(0.5));
	return cpa_cpu_stop() != 0 ? 4 : 0;
}
EOF2
${CC:-cc} -O1 -g -I"$top_srcdir/src/libcpaprof/api" -o linked linked.c -L"$built/src/libcpaprof" \
	-Wl,-rpath,"$built/src/libcpaprof" -lcpaprof || exit 1
"$CPA" record --top=0 -o q.pb.gz -- ./linked >out 2>err
status=$?
if ! grep -q '^cpa: sampled ' err; then
	ok 0 'a program that profiles itself # SKIP no perf events'
	done_testing
	exit 0
fi
is "$status" 0 'a program that profiles itself ends as without cpa'
within "$(total q.pb.gz)" "$(cat out)" 15 'it is recorded'
within "$(total own.pb.gz)" "$(cat out)" 15 'and writes its own profile'
done_testing
