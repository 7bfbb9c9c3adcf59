#!/bin/sh
# t110-shares.t - functions with random names and durations have the right shares
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile burn

# four functions with random names and amounts of CPU time
seed=$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')
echo "# seed $seed"
awk -v seed="$seed" 'BEGIN {
	srand(seed)
	print "#include <stdio.h>\n#include <time.h>\nstatic volatile unsigned long sink;"
	print "static long long now(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);"
	print "return t.tv_sec * 1000000000LL + t.tv_nsec; }"
	for (i = 0; i < 4; i++) {
		name[i] = "f"
		for (k = 0; k < 8; k++)
			name[i] = name[i] substr("abcdefghijklmnopqrstuvwxyz", 1 + int(rand() * 26), 1)
		ms[i] = 100 + int(rand() * 1400)
		print "__attribute__((noinline)) void " name[i] "(void) { long long end = now() + " ms[i] "000000LL;"
		print "while (now() < end) for (int i = 0; i < 5000; i++) sink += (unsigned long)i; }"
		print name[i], ms[i] >"truth"
	}
	print "int main(void) {"
	for (i = 0; i < 4; i++)
		print "\t" name[i] "();"
	print "return 0; }"
}' >shares.c
${CC:-cc} -O1 -g -o shares shares.c || exit 1
for hz in 100 1000; do
	run $hz ./shares
	all=$(total p.pb.gz) sum=$(awk '{ n += $2 } END { print n }' truth)
	while read -r function ms; do
		got=$(share p.pb.gz "$function")
		between "$(awk -v got="${got:-0}" -v all="$all" 'BEGIN { print 100 * got / all }')" \
			"$(awk -v ms="$ms" -v sum="$sum" 'BEGIN { print 100 * ms / sum - 2 }')" \
			"$(awk -v ms="$ms" -v sum="$sum" 'BEGIN { print 100 * ms / sum + 2 }')" \
			"at $hz Hz the share of a random function is right within 2 points"
	done <truth
	agree "pprof reads the same total at $hz Hz"
done
# a stripped binary, as in distributions
strip -o stripped shares
run 1000 ./stripped
is "$("$CPA" comments p.pb.gz | sed -n 's/^stacks, complete: .*(\(.*\)%).*/\1/p')" 100.00 \
	'all stacks of a stripped binary without frame pointers are complete'
done_testing
