#!/bin/sh
# t120-odd.t - programs that do odd things do them as they would alone, and are profiled
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile odd
compile burn

alike() { # NAME MODE...: the same output and status as alone
	name=$1
	shift
	./odd "$@" >alone 2>/dev/null
	alone=$?
	run 1000 ./odd "$@"
	is "$status $(cat out)" "$alone $(cat alone)" "$name"
}

about() { # FILE NANOSECONDS PERCENT NAME
	within "$(total "$1")" "$2" "$3" "$4"
}

alike 'a program with a handler and a timer of SIGPROF sees what it sees alone' own-handler
alike 'a program that blocks SIGPROF sees what it sees alone' masks
alike 'a program that closes all files writes into its own' close-all file
is "$(cat file)" mine 'and nobody else does'
about p.pb.gz 700000000 5 'and it is profiled to its end'
alike 'a program finds no more open files, threads and bytes of heap than alone' fds
alike 'handlers run on small alternate stacks' small-stack

alike 'threads that ended leave no timers' timers
if command -v strace >/dev/null; then
	"$CPA" run --hz=1000 --follow --cpu=q.pb.gz -- strace -qq -f -o calls sleep 1
	# before and behind its sleep it uses CPU time, and may get some
	is "$(grep 'clock_nanosleep(' calls | grep -c ') = 0$') $(grep -c 'clock_nanosleep.*ERESTART\|restart_syscall' calls)" '1 0' \
		'a program that sleeps gets no signals'
fi

for how in _exit abort segv term kill; do
	alike "a program that ends by $how has the status it has alone" end $how
	about p.pb.gz 600000000 5 'and a profile that is whole'
done

run 1000 ./odd fork
read -r child code <out
is "$code" 7 'fork: the parent sees how its child ended'
about p.pb.gz 400000000 5 'fork: the parent has its own time'
about "p-$child.pb.gz" 1000000000 5 'fork: the child has a profile of its own'
alike 'fork: 1000 in a row' storm 1000

run 1000 ./odd raw-block
between "$(share p.pb.gz '[cpa: signal blocked]')" 980000000 1020000000 \
	'CPU time with the signal blocked is in a frame of its own'
about p.pb.gz 1400000000 3 'and is not lost'
run 1000 ./odd raw-thread
about p.pb.gz 1000000000 3 'a thread that no wrapper saw begin is found at work'
between "$(share p.pb.gz count_twice)" 300000000 1000000000 'and its stacks are seen from then on'
run 1000 ./odd deep
is "$("$CPA" comments p.pb.gz | sed -n 's/^stacks, cut at the limit: .*(\(.*\)%).*/\1/p')" 100.00 \
	'stacks deeper than the limit are cut, and it is told'
within "$(share p.pb.gz deep)" "$(total p.pb.gz)" 1 'and keep their leaves'

run 1000 ./odd exec ./burn 0.5
is "$status" 0 'exec: the new program runs'
about p.pb.gz 500000000 5 'exec: it has the profile'
between "$(total p-*-1.pb.gz)" 280000000 320000000 \
	'exec: what ran before has one too'
run 1000 sh -c './burn 0.5; exit 9'
is "$status $(find . -name 'p-*' | wc -l)" '9 0' 'programs that are started are left alone'
"$CPA" run --hz=1000 --follow --cpu=p.pb.gz -- sh -c './burn 0.5; exit 9' >out
about p-*.pb.gz 500000000 5 'unless they are to be followed'
is "$("$CPA" run --cpu=p.pb.gz -- sh -c 'env | grep -c -e CPA_ -e LD_PRELOAD')" 0 \
	'and find nothing of cpa in their environment'

seq 1 300000 | shuf >numbers 2>/dev/null
sort -n numbers >sorted
run 1000 sort -n numbers
cmp -s out sorted
ok $? 'sort sorts'
is "$status" 0 'and says so'
done_testing
