#!/bin/sh
# t400-threads.t - dumps of threads have the right stacks and do not disturb the threads
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile waits
compile depths
compile interrupted
dump=${CPA%/src/cpa}/tests/runtime/threads_dump
library=${CPA%/cpa}/libcpaprof/libcpaprof.so

begin() { # PROGRAM [ARGUMENT]...: start it, until it is ready; its process is in $pid
	"$@" >ready &
	pid=$!
	tries=0
	until [ -s ready ] || [ $tries = 300 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
}

end() {
	kill -KILL "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	rm -f ready
}

threads_in() { # FUNCTION: how many threads have it in their stack, as the dump in out says
	awk -v f="$1" '/^[0-9]+ threads?,/ { n = $1; in_it = 0 } $1 == f && !in_it { in_it = 1; sum += n }
		END { print sum + 0 }' out
}

kinds='nanosleep poll epoll mutex cond sem read'

all_kinds() { # N: each kind has N threads, the last one less 1
	seen=
	for kind in $kinds; do
		seen="$seen$kind $(threads_in "wait_$kind") "
	done
	echo "$seen"
}

wanted='nanosleep 143 poll 143 epoll 143 mutex 143 cond 143 sem 143 read 142 '
for flags in -O0 -O2 '-O2 -fno-omit-frame-pointer'; do
	# shellcheck disable=SC2086 # flags are words
	compile waits $flags
	begin ./waits 1000
	"$CPA" threads "$pid" >out 2>err
	is "$? $(cat err)" '0 ' "1000 threads are dumped ($flags)"
	is "$(all_kinds)" "$wanted" 'the stack of each of 1000 threads contains the waiting function'
	is "$(threads_in begin) $(threads_in start_thread) $(threads_in main_wait)" '1000 1000 1' 'the stack of each of 1000 threads ends at its start function'
	is "$(awk 'length > 80' out)" '' 'no line of a dump is wider than 80 columns'
	end
done

begin ./waits 50
"$CPA" threads "$pid" >out
is "$(grep -A 1 ', futex' out | grep -c "^  for a mutex held by \"waits\" $pid$") $(grep -c deadlock out)" '1 0' \
	'the holder of a mutex is shown, and waiting is not a deadlock'
end
cat >deadlock.c <<'EOF'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t lock[4] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
	PTHREAD_MUTEX_INITIALIZER };
static pthread_barrier_t all;
static void *next(void *arg)
{
	long i = (long)arg;
	char name[8] = { (char)('a' + i) };

	pthread_setname_np(pthread_self(), name);
	pthread_mutex_lock(&lock[i]);
	pthread_barrier_wait(&all);
	pthread_mutex_lock(&lock[i == 3 ? 3 : (i + 1) % 3]); /* the last one: its own */
	return NULL;
}
int main(void)
{
	pthread_t t;

	pthread_barrier_init(&all, NULL, 5);
	for (long i = 0; i < 4; i++)
		pthread_create(&t, NULL, next, (void *)i);
	pthread_barrier_wait(&all);
	usleep(300000);
	puts("ready");
	fflush(stdout);
	pthread_mutex_lock(&lock[0]); /* waits for one of them, and none waits for it */
	return 0;
}
EOF
${CC:-cc} -O1 -g -o deadlock deadlock.c -pthread
begin ./deadlock
"$CPA" threads "$pid" >out
is "$(sed -n '/^deadlock:$/,/^$/p' out | tr -d '0-9' | sed 's/"  *waits for a mutex held by/ >/; s/"//g')" 'deadlock:
    a > b 
    b > c 
    c > a 

deadlock:
    d > d ' 'each cycle of a deadlock is shown once'
end

# a lock that changes hands while the threads are read one after the other
cat >contend.c <<'EOF'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *fight(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		usleep(20);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}
int main(void)
{
	pthread_t t;

	for (int i = 0; i < 16; i++)
		pthread_create(&t, NULL, fight, NULL);
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
EOF
${CC:-cc} -O1 -g -o contend contend.c -pthread
begin ./contend
for _ in 1 2 3 4 5 6 7 8 9 10; do
	"$CPA" threads "$pid"
done >out
is "$(grep -c '^process ' out) $(grep -c '^deadlock:' out)" '10 0' 'a contended lock is not a deadlock'
end

# compare with eu-stack
if command -v eu-stack >/dev/null; then
	begin ./waits 50
	"$dump" -p "$pid" | awk '$1 == "stack" { for (i = 3; i <= NF; i++) print $2, $i }' >ours
	eu-stack -p "$pid" 2>/dev/null | awk '$1 == "TID" { tid = $2 + 0; first = 1; next }
		/^#/ { a = $2; sub(/^0x0*/, "", a); print tid, a, first; first = 0 }' |
		while read -r tid address first; do
			[ "$first" = 1 ] || address=$(printf '%x' $((0x$address - 1)))
			echo "$tid $address"
		done >theirs
	sort ours >ours.sorted
	sort theirs >theirs.sorted
	is "$(wc -l <ours) $(comm -3 ours.sorted theirs.sorted | head -3)" "$(wc -l <theirs) " \
		'all stacks are equal to those of eu-stack'
	end
else
	count=$((count + 1))
	echo "ok $count - all stacks are equal to those of eu-stack # SKIP no eu-stack"
fi

begin ./depths
"$CPA" threads "$pid" >out
is "$(grep -c ' deep ' out)" 100 'a deep stack is complete'
is "$(threads_in interrupted_work) $(threads_in handler_wait)" '1 1' 'a handler on an alternate stack leads back to its thread'
end

begin ./waits 7 100 1
compile limits
if ./limits deny perf_event_open "$CPA" threads "$pid" >out; [ $? != 77 ]; then
	is "$(grep -c '^1 thread, running, .*waits' out) $(grep -c '^    \[running\]$' out)" '1 1' \
		'without perf events, a running thread of a process without our library is shown as running'
fi
"$CPA" threads "$pid" >out
if "$CPA" record -p "$pid" --seconds=1 --top=0 -o r.pb.gz 2>&1 | grep -q 'perf events'; then
	ok 0 'a running thread has a stack # SKIP perf events are not permitted'
else
	is "$(threads_in busy_loop) $(grep -c '^1 thread, running, .*waits' out)" '1 1' \
		'a running thread of a process without our library has the stack of a perf sample'
fi
kill -STOP "$pid"
sleep 0.2
"$CPA" threads "$pid" >out
is "$(grep -c '^1 thread, stopped' out) $(threads_in busy_loop) $(threads_in wait_read)" '9 1 1' \
	'threads of a stopped process have stacks'
end

began=$(date +%s)
begin ./waits 7
sleep 3
"$CPA" threads "$pid" >out
longest=$(($(date +%s) - began + 1))
if [ -r "/proc/$pid/sched" ]; then
	is "$(awk -v most="$longest" '/^1 thread, / { match($0, / for [0-9]+s,/); s = substr($0, RSTART + 5, RLENGTH - 7)
		n += s >= 2 && s <= most } END { print n }' out)" 8 'the first dump shows wait times'
else
	count=$((count + 1))
	echo "ok $count - the first dump shows wait times # SKIP no scheduler statistics"
fi
end

cp waits gone
begin ./gone 7
rm gone
"$CPA" threads "$pid" >out
is "$(threads_in start_thread) $(threads_in __libc_start_main)" '7 1' 'stacks of a deleted program are complete'
is "$(grep -c ' gone+0x' out) $(threads_in main)" '0 1' 'stacks of a deleted program have names'
end

WAITS_NAME=$(printf '\033[31m"\n\177x')
export WAITS_NAME
begin ./waits 7
unset WAITS_NAME
"$CPA" threads "$pid" >out
is "$(grep -c '[[:cntrl:]]' out) $(grep -c 'x1b.31m' out)" '0 10' 'names of threads cannot control a terminal'
end

sleep 100 &
pid=$!
sleep 0.3
"$CPA" threads "$pid" >out
is "$(head -1 out)" "process $pid (sleep): 1 thread" 'a process with one thread is dumped'
"$CPA" threads -proto -o t.pb.gz "$pid" >out
"$CPA" top t.pb.gz >out 2>err
is "$? $(grep -c '100%.* __libc_start_main$' out)" '0 1' 'a dump can be written as a profile'
end
"$CPA" threads "$pid" >out 2>err
is "$? $(cat out err)" "2 cpa: process $pid does not exist" 'a missing process is reported'
"$CPA" threads >out 2>err
is "$? $(cat out err)" '2 cpa: usage: cpa threads [OPTION]... PID | SERVER | FILE' 'cpa threads requires an argument'
"$CPA" threads 12x >out 2>err
is "$? $(cat out err)" '2 cpa: 12x: not a PID, a file or a server address' 'an argument that is not a number is refused'

"$dump" -n 3 -w 300 ./waits 14 100 1 >out
is "$(grep -c 'waited=\([6-9]..\|[1-9]...\)ms' out) $(grep -c 'running.*waited=0ms' out)" '15 1' \
	'threads that did not run since the first dump have waited since then'

running() { # WANTED OPTION...: dump until so many running threads have stacks; a busy machine may let them wait
	wanted=$1 tries=0
	shift
	until "$dump" "$@" >out; [ "$(grep -c '^thread running frames=[2-9]' out)" = "$wanted" ] || [ $tries = 39 ]; do
		tries=$((tries + 1))
	done
}

# a profiled process
running 2 -n 3 -l "$library" ./waits 70 100 2 2
is "$(grep -c '^thread running frames=[2-9]' out) $(grep -c 'no answer: signal blocked' out)" '2 2' \
	'running threads report their stacks, and threads that block the signal are marked'
between "$(awk '$1 == "dump" { print $2; exit }' out)" 0 2000 'a dump does not wait long for threads that block the signal'
running 2 -n 20 -z 100 -o p.pb.gz -l "$library" ./waits 70 100 2
is "$(grep -c '^thread [a-z]* frames=[2-9]' out)" 73 'running threads are dumped while CPU time is sampled'
"$CPA" top -unit=count -nodecount=0 p.pb.gz >out 2>/dev/null
is "$(awk '$6 ~ /^wait_/ || $6 == "busy_loop" { print $6, $4 }' out | sort | tr '\n' ' ')" \
	'busy_loop 2 wait_cond 10 wait_epoll 10 wait_mutex 10 wait_nanosleep 10 wait_poll 10 wait_read 10 wait_sem 10 ' \
	'the threads profile counts threads by function'
export WAITS_LABELS=1
running 1 -l "$library" ./waits 7 100 1
unset WAITS_LABELS
is "$(grep -c '^thread.* label=[1-9]' out)" 8 'waiting and running threads have their labels'

# effects on the program; a CPU timer alone could interrupt a call that just begins
for with in "-l $library" ''; do
	# shellcheck disable=SC2086 # options are words
	"$dump" -n 150 -w 5 -t $with ./interrupted 60 >out 2>err
	is "$? $(cat err)" '0 ' "no call is interrupted by 150 dumps (${with:-without the library})"
	is "$(grep -c 'dump.* 21 threads$' out)" 150 'each of 150 dumps contains all threads'
done

# a program that dumps itself
${CC:-cc} -O1 -g -I"$top_srcdir/src/libcpaprof/api" -o dumps_itself "$top_srcdir/tests/runtime/dumps_itself.c" "$library" -pthread
tries=0
until LD_LIBRARY_PATH=${library%/*} ./dumps_itself >out 2>err; [ "$(grep -c 'spin+' out)" = 1 ] || [ $tries = 39 ]; do
	tries=$((tries + 1))
done
is "$(grep -c '^3 @' out) $(grep -c '^# labels: {"op":"nap"}' out) $(grep -c '	nap+' out) $(grep -c '	spin+' out)" \
	'1 1 1 1' 'a program dumps its own threads'
is "$(head -1 out) $(grep -c '	ask+.*dumps_itself' out)" 'threads profile: total 5 1' 'a program that dumps itself includes the calling thread'

# a process that ends during the dump
"$dump" -n 400 -w 1 -q -l "$library" ./waits 100 0 >out 2>err
is "$? $(cat err)" '0 ' 'a process may end during its dump'
is "$(grep -c 'No such process$' out | awk '{ print ($1 > 0) }')" 1 'a process that ends during its dump is reported as ended'
"$dump" -n 400 -w 1 -q ./waits 100 0 >out 2>err
is "$? $(cat err) $(grep -c 'No such process$' out | awk '{ print ($1 > 0) }')" '0  1' 'a process without our library may end during its dump'

# a process that executes a program without our library
WAITS_EXEC=1 "$dump" -n 100 -w 5 -q -l "$library" ./waits 0 1 2 >out 2>err
is "$? $(cat err)" '0 ' 'a program without our handler gets no signal'

# a process without permission to read it
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && setpriv --reuid=65534 --clear-groups "$CPA" version >out 2>&1; then
	setpriv --reuid=65534 --clear-groups "$CPA" threads $$ >out 2>err
	is "$? $(sed 's/process [0-9]*/process/; s/ (.*//' err)" '2 cpa: process: permission denied' \
		'a process of another user cannot be dumped'
else
	count=$((count + 1))
	echo "ok $count - for a process of another user permission is denied # SKIP not root"
fi
done_testing
