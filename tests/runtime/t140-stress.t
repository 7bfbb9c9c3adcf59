#!/bin/sh
# t140-stress.t - a thousand samples a second, and nothing gets stuck or crashes
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile stress
for i in 1 2 3; do
	echo "int plugin(int n) { volatile int s = 0; for (int i = 0; i < n * $i; i++) s += i; return s; }" >plugin$i.c
	${CC:-cc} -O1 -g -shared -fPIC -o plugin$i.so plugin$i.c
done
rm -f p*.pb.gz
timeout 60 "$CPA" run --hz=1000 --cpu=p.pb.gz -- ./stress "${STRESS_SECONDS:-5}" ./plugin1.so ./plugin2.so ./plugin3.so \
	>out 2>err
is "$? $(cat out)" '0 done' 'loader, memory, threads, cancellation and fork at once'
sed 's/^/# /' err
between "$(total p.pb.gz)" 1000000000 100000000000 'and a profile of it'
whole=$("$CPA" comments p.pb.gz | sed -n 's/^stacks, whole: .*(\(.*\)%).*/\1/p')
between "$whole" 99 100 'of which 99 of 100 stacks are whole'
"$CPA" comments p.pb.gz 2>&1 | sed 's/^/# /'
between "$(share p.pb.gz plugin)" 1 100000000000 'code that was loaded later has its name'

compile scribble
seed=$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')
for i in 1 2 3; do
	run 1000 ./scribble "$((seed + i))" 1
	is "$status $(cat out)" "0 truncated: no
done" "a program that writes anything into the shared memory ends as alone (seed $((seed + i)))"
	find . -name 'p*.pb.gz' | while read -r file; do
		"$CPA" raw "$file" >/dev/null 2>bad || echo "$file $(cat bad)"
	done >broken
	is "$(head -n 1 broken)" '' 'and what is written then can be read'
done
done_testing
