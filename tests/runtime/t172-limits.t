#!/bin/sh
# t172-limits.t - programs with limited rights, invalid frame pointers, or blocking calls
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile burn
compile limits
compile raised -fno-asynchronous-unwind-tables -fomit-frame-pointer

said() { # PATTERN: what the comments say of it
	"$CPA" comments p.pb.gz | sed -n "$1"
}

engine() {
	said 's/^cpa .*pid [0-9]*, //p'
}

# each denied system call disables one more mechanism
if ./limits deny timer_create ./burn 0 >out; [ $? != 77 ]; then
	run 1000 ./limits deny perf_event_open ./burn .4 .4
	within "$(total p.pb.gz)" "$(cat out)" 3 'without perf_event_open the totals are right'
	CPA_CPU_ENGINE=perf
	export CPA_CPU_ENGINE
	run 1000 ./limits deny perf_event_open ./burn .4 .4
	is "$(engine), $(said 's/^no perf events: //p')" 'per-thread timers, Operation not permitted' 'denied events are reported'
	within "$(total p.pb.gz)" "$(cat out)" 3 'timers replace denied perf events'
	unset CPA_CPU_ENGINE
	run 1000 ./limits deny process_vm_readv ./burn .4 .4
	within "$(total p.pb.gz)" "$(cat out)" 3 'without process_vm_readv the totals are right'
	run 1000 ./limits deny timer_create,perf_event_open,process_vm_readv ./burn .2 .2
	is "$status" 0 'without any timer the program runs the same as without cpa'
	is "$(engine), $(said 's/^cannot create timers: //p')" 'some threads without a timer, Operation not permitted' 'the reason for missing timers is reported'
	within "$(total p.pb.gz)" "$(cat out)" 8 'CPU time of threads is added when they end'
fi

run 1000 ./limits frame 2
is "$status $(cat out)" '0 done' 'invalid frame pointers do no harm'
within "$(share p.pb.gz with_frame)" "$(total p.pb.gz)" 5 'a function with invalid frame pointers is sampled'
run 1000 ./limits errno 1
is "$(cat out)" stays 'errno is preserved'
for n in 200 1000; do
	run 1000 ./limits deep $n 0.4
	within "$(share p.pb.gz leaf)" "$(total p.pb.gz)" 4 "the leaf of $n nested calls is kept"
done
is "$(said 's/^stacks, truncated at the depth limit: .*(\(.*\)%).*/\1/p' | sed 's/\..*//')" 100 'stacks truncated at the depth limit are reported'

run 1000 ./limits calls
# shellcheck disable=SC2046 # three words
set -- $(cat out)
sed 's/^/# EINTR in /' err
is "$1" 0 'restartable calls are not interrupted by our signal'
between "$2" 0 $((${3:-0} / 20)) 'calls that cannot be restarted are hardly ever interrupted by our signal'

# the same shares of functions as in perf
if command -v perf >/dev/null && perf record -q -e cpu-clock -F 997 -o perf.data ./burn .6 .3 >/dev/null 2>&1; then
	cat >four.c <<-'END'
		#include <time.h>
		static volatile unsigned long sink;
		static long long now(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
			return t.tv_sec * 1000000000LL + t.tv_nsec; }
		#define F(name) __attribute__((noinline)) void name(long long ms) { long long end = now() + ms * 1000000; \
			while (now() < end) for (int i = 0; i < 50000; i++) sink += (unsigned long)i; }
		F(one) F(two) F(three) F(four)
		int main(void) { for (int i = 0; i < 10; i++) { one(80); two(40); three(20); four(10); } }
	END
	${CC:-cc} -O1 -g -o four four.c
	# the true shares are known; if the shares of perf are inaccurate, repeat the measurement
	for _ in 1 2 3; do
		perf record -q -e cpu-clock:u -F 997 -o perf.data ./four >/dev/null 2>&1
		perf report -i perf.data --stdio -q -F overhead,symbol 2>perf.err |
			awk '$2 == "[.]" && $3 ~ /^(one|two|three|four)$/ { print $3 }' >theirs
		[ "$(tr '\n' ' ' <theirs)" != 'one two three four ' ] || break
		sed 's/^/# perf: /' theirs perf.err
	done
	run 1000 ./four
	"$CPA" top -nodecount=0 -trim=false p.pb.gz 2>/dev/null | awk '$6 ~ /^(one|two|three|four)$/ { print $6 }' >ours
	is "$(tr '\n' ' ' <ours)" "$(tr '\n' ' ' <theirs)" 'perf record shows the same functions in the same order'
fi

# short-lived threads
run 1000 ./burn @2000 0.002
within "$(total p.pb.gz)" "$(cat out)" 5 'the CPU time of 2000 threads of 2 ms each is right'
"$CPA" run --quiet --heap=h.pb.gz --heap-rate=1 -- ./raised >out
is "$? $(cat out)" "0 $(./raised)" 'a frame pointer into a hole between a fiber and the stack, whose limit was raised, is not followed'
run 1000 ./burn 1.8 0.2
within "$(total p.pb.gz)" "$(cat out)" 2 'the total of two threads that use 90 % and 10 % of the time is right'
run 1000 dd if=/dev/zero of=/dev/null bs=1M count=20000
within "$(total p.pb.gz)" "$(share p.pb.gz __read)" 60 'kernel time belongs to the calling function'
done_testing
