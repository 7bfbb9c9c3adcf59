#!/bin/sh
# t182-signal.t - programs and libraries that use our signal themselves
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile taken

for how in ignore handle; do
	run 1000 ./taken $how 0.6
	is "$status $(cat out)" '0 done' "a program that handles SIGPROF by a system call ($how) runs the same as without cpa"
	within "$(total p.pb.gz)" 1500000000 4 'the profile of a program that takes SIGPROF contains all of its time'
	between "$(share p.pb.gz work)" 1100000000 1300000000 'after a program takes SIGPROF, the right function is sampled with another signal'
	is "$("$CPA" comments p.pb.gz | sed -n 's/^the program replaced our signal handler .*; now/moved/p' | sed 's/ .*//')" moved 'a replaced signal handler is reported'
done

run 1000 ./taken caught 0.4
is "$(cat out)" caught 'by default the profiler uses SIGPROF'
for sig in SIGSTKFLT VTALRM 45; do
	CPA_SIGNAL=$sig
	export CPA_SIGNAL
	run 1000 ./taken caught 0.4
	is "$status $(cat out)" '0 left alone' "CPA_SIGNAL=$sig chooses another signal"
	within "$(total p.pb.gz)" 700000000 4 'a signal chosen by CPA_SIGNAL gives the right total'
done
CPA_SIGNAL=VTALRM
"$CPA" run --quiet --signal=PWR --cpu=p.pb.gz -- sh -c 'kill -VTALRM $$' >out 2>err
is $? 154 '--signal overrides CPA_SIGNAL, whose signal is left to the program'
CPA_SIGNAL=USR1
"$CPA" run --quiet --hz=1000 --cpu=p.pb.gz -- ./taken caught 0.4 >out 2>err
is "$(cat out) $(head -n 1 err)" 'caught cpa: CPA_SIGNAL=USR1: ignored; choose PROF, VTALRM, STKFLT, PWR, or a number from 34 to 64' \
	'an invalid signal is reported, and the default is used'
unset CPA_SIGNAL
for sig in SIGSTKFLT pwr 45; do
	rm -f p.pb.gz
	"$CPA" run --quiet --signal=$sig --hz=1000 --cpu=p.pb.gz -- ./taken caught 0.4 >out 2>err
	is "$? $(cat out)" '0 left alone' "--signal=$sig leaves SIGPROF alone"
	within "$(total p.pb.gz)" 700000000 4 'a signal chosen by --signal gives the right total'
done
for sig in USR1 33 65 9x ''; do
	"$CPA" run --quiet "--signal=$sig" -- echo ran >out 2>err
	is "$? $(cat out err)" "$([ "$sig" ] && echo "2 cpa: --signal=$sig: choose PROF, VTALRM, STKFLT, PWR, or a number from 34 to 64" ||
		echo '0 ran')" "--signal=$sig: $([ "$sig" ] && echo nothing is run || echo as without)"
	rm -f cpu-*.pb.gz
done

# sigwait for all signals does not get ours, not even that of the process timer, which any thread may get
CPA_CPU_ENGINE=itimer
export CPA_CPU_ENGINE
for how in wait file; do
	run 1000 ./taken $how 0.4
	is "$status $(cat out)" '0 15 done' "a thread that waits for all signals ($how) gets the same signals as without cpa"
	within "$(total p.pb.gz)" 400000000 6 'other threads are profiled while one thread waits for all signals'
done
unset CPA_CPU_ENGINE
run 1000 ./taken own 0.4
is "$status $(cat out)" '0 27 done' 'a SIGPROF sent by the program reaches the waiting thread'

# libraries written in Go contain this note
cat >note.c <<-'END'
	__asm__(".section .note.go.buildid, \"a\", %note\n.balign 4\n.long 4, 4, 4\n.asciz \"Go\\0\"\n.ascii \"abcd\"\n");
	int of_go;
END
${CC:-cc} -shared -fPIC -o libnote.so note.c
${CC:-cc} -O1 -g -o taken "$top_srcdir/tests/runtime/taken.c" -pthread -Wl,--no-as-needed -L. -lnote -Wl,-rpath,"$tmp"
run 1000 ./taken caught 0.4
is "$status $(cat out)" '0 left alone' 'with a library written in Go, which uses SIGPROF itself, another signal is used'
within "$(total p.pb.gz)" 700000000 4 'a program with a library written in Go is profiled'
done_testing
