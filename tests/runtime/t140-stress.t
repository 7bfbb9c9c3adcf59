#!/bin/sh
# t140-stress.t - a thousand samples a second cause no hang and no crash
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile stress
for i in 1 2 3; do
	echo "int plugin(int n) { volatile int s = 0; for (int i = 0; i < 20 * n * $i; i++) s += i; return s; }" >plugin$i.c
	${CC:-cc} -O1 -g -shared -fPIC -o plugin$i.so plugin$i.c
done
seconds=${STRESS_SECONDS:-5}

stress() { # NAME OPTION...: the program ends in time, and there is a profile
	name=$1
	shift
	rm -f ./*.pb.gz
	timeout -s KILL $((seconds * 3 + 60)) "$CPA" run --quiet --hz=1000 --cpu=p.pb.gz "$@" -- \
		./stress "$seconds" ./plugin1.so ./plugin2.so ./plugin3.so >out 2>err
	is "$? $(cat out)" '0 done' "no hang when loader, memory, threads, cancellation, signals and fork are used at once$name"
	sed 's/^/# /' err
	is "$(tr -d 'a-z ' <err | tr , '\n' | grep -c '^0*$')" 0 'all kinds of threads made progress'
	between "$(total p.pb.gz)" 1000000000 1000000000000 'a stressed program has a profile'
	whole=$("$CPA" comments p.pb.gz | sed -n 's/^stacks, complete: .*(\(.*\)%).*/\1/p')
	between "$whole" 99 100 'at least 99 % of the stacks of a stressed program are complete'
	"$CPA" comments p.pb.gz 2>&1 | sed 's/^/# /'
	between "$(share p.pb.gz plugin)" 1 1000000000000 'the profile contains functions of libraries loaded later'
}

stress ''
stress ', with the heap and waits sampled' --heap=h.pb.gz --heap-rate=4096 --block=b.pb.gz --block-rate=1us \
	--mutex=m.pb.gz --mutex-fraction=1 --threadcreate=t.pb.gz
"$CPA" raw -symbolize=none h.pb.gz >as_text 2>&1
read_status=$?
takers=$("$CPA" top -sample_index=alloc_objects h.pb.gz 2>/dev/null | grep -c ' take_memory$')
is "$read_status $takers" '0 1' 'the function that allocates is in the heap profile'
is "$("$CPA" top -sample_index=inuse_space -unit=bytes -nodecount=0 -trim=false h.pb.gz 2>/dev/null | grep -c -e ' -[0-9]*B ' -e '^ *-')" 0 \
	'no value of the heap profile is negative'
for f in b m; do
	between "$("$CPA" top -nodecount=0 -trim=false $f.pb.gz 2>/dev/null | grep -c ' take_turns$')" 1 1 "the function that waits is in the profile $f.pb.gz"
done
is "$("$CPA" top -nodecount=0 -trim=false t.pb.gz 2>/dev/null | grep -c ' make_threads$')" 1 'the profile of created threads contains the function that creates them'

compile scribble
seed=$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')
for i in 1 2 3; do
	run 1000 ./scribble "$((seed + i))" 1
	is "$status $(cat out)" "0 truncated: no
done" "a program that corrupts the shared memory ends the same as without cpa (seed $((seed + i)))"
	find . -name 'p*.pb.gz' | while read -r file; do
		"$CPA" raw "$file" >/dev/null 2>bad || echo "$file $(cat bad)"
	done >broken
	is "$(head -n 1 broken)" '' 'all profiles of a program that corrupts the shared memory can be read'
done
rm -f ./*.pb.gz
timeout 60 "$CPA" run --quiet --hz=1000 --every=500ms --cpu=pc.pb.gz --heap=ph.pb.gz --block=pb.pb.gz --mutex=pm.pb.gz \
	--threadcreate=pt.pb.gz --threads=pd.pb.gz --heap-labels -- ./scribble "$seed" 2 all >out 2>err
is "$? $(cat out)" "0 truncated: no
done" "a program that corrupts every section while all profiles are written repeatedly ends the same as without cpa (seed $seed)"
find . -name 'p*.pb.gz' | head -n 20 | while read -r file; do
	"$CPA" raw "$file" >/dev/null 2>bad || echo "$file $(cat bad)"
done >broken
is "$(head -n 1 broken)" '' 'all profiles of a program that corrupts every section can be read'
done_testing
