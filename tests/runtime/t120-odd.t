#!/bin/sh
# t120-odd.t - programs that do unusual things behave the same as without cpa, and are profiled
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile odd
compile burn

alike() { # NAME MODE...: output and exit status are the same as without cpa
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

alike 'a program with its own handler and timer of SIGPROF behaves the same as without cpa' own-handler
alike 'a program that blocks SIGPROF behaves the same as without cpa' masks
alike 'a program that closes all descriptors writes to its next file' close-all file
is "$(cat file)" mine 'a program that closes all descriptors finds only its own output in its file'
about p.pb.gz 700000000 5 'a program that closes all descriptors is profiled to its end'
alike 'a program has no more open files, threads and heap memory than without cpa' fds
alike 'handlers run on small alternate stacks' small-stack

run 1000 ./odd same-ticks
between "$(share p.pb.gz spin)" 450000000 600000000 'a program whose timers send signals at the same ticks is sampled in the interrupted code'
between "$(share p.pb.gz tick)" 0 25000000 'a handler that was entered but has not run yet is not sampled'
alike 'threads that have ended leave no timers' timers
if command -v strace >/dev/null; then
	"$CPA" run --quiet --hz=1000 --follow --cpu=q.pb.gz -- strace -qq -f -o calls sleep 1
	# the program sleep uses CPU time before and after it sleeps, and may get signals at those times
	is "$(grep 'clock_nanosleep(' calls | grep -c ') = 0$') $(grep -c 'clock_nanosleep.*ERESTART\|restart_syscall' calls)" '1 0' \
		'a sleeping program gets no signals'
fi

for how in _exit abort segv term kill; do
	alike "a program that ends by $how has the same status as without cpa" end $how
	about p.pb.gz 600000000 5 'a program that ends by a call or a signal has a complete profile'
done

run 1000 ./odd fork
read -r child code <out
is "$code" 7 'fork: the parent gets the exit status of its child'
about p.pb.gz 400000000 5 'fork: the profile of the parent contains only its own CPU time'
about "p-$child.pb.gz" 1000000000 5 'fork: the child has its own profile'
alike 'fork: 1000 children one after the other behave the same as without cpa' storm 1000

run 1000 ./odd raw-block
between "$(share p.pb.gz '[cpa: signal blocked]')" 980000000 1020000000 \
	'CPU time used with the signal blocked is in a pseudo frame'
about p.pb.gz 1400000000 3 'CPU time used with the signal blocked is not lost'
run 1000 ./odd raw-thread
about p.pb.gz 1000000000 3 'a thread created without our wrapper is found when it uses CPU time'
between "$(share p.pb.gz count_twice)" 300000000 1000000000 'stacks of a thread created without our wrapper are sampled after the thread is found'
run 1000 ./odd deep
is "$("$CPA" comments p.pb.gz | sed -n 's/^stacks, truncated at the depth limit: \([0-9]*\) .*/\1/p')" \
	"$("$CPA" top -sample_index=samples -focus='^deep$' p.pb.gz 2>/dev/null | sed -n 's/^Showing nodes accounting for \([0-9]*\),.*/\1/p')" \
	'stacks deeper than the limit are truncated, and a comment has their number'
within "$(share p.pb.gz deep)" "$(total p.pb.gz)" 1 'truncated stacks keep their leaves'

run 1000 ./odd exec ./burn 0.5
is "$status" 0 'exec: the new program runs'
about p.pb.gz 500000000 5 'exec: the new program has a profile'
between "$(total p-*-1.pb.gz)" 280000000 320000000 \
	'exec: the program that called exec has a profile'
run 1000 sh -c './burn 0.5; exit 9'
is "$status $(find . -name 'p-*' | wc -l)" '9 0' 'programs started by the program are not profiled without --follow'
"$CPA" run --quiet --hz=1000 --follow --cpu=p.pb.gz -- sh -c './burn 0.5; exit 9' >out
about p-*.pb.gz 500000000 5 'programs started by the program are profiled with --follow'
is "$("$CPA" run --quiet --cpu=p.pb.gz -- sh -c 'env | grep -c -e CPA_ -e LD_PRELOAD')" 0 \
	'programs started by the program find no variables of cpa in their environment'

seq 1 300000 | shuf >numbers 2>/dev/null
sort -n numbers >sorted
run 1000 sort -n numbers
cmp -s out sorted
ok $? 'a profiled sort has the right output'
is "$status" 0 'a profiled sort exits with status 0'
done_testing
