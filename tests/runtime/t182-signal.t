#!/bin/sh
# t182-signal.t - programs that take our signal, and libraries that own it
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile taken

for how in ignore handle; do
	run 1000 ./taken $how 0.6
	is "$status $(cat out)" '0 done' "a program that takes SIGPROF by the system call ($how) runs as alone"
	within "$(total p.pb.gz)" 1500000000 4 'and all its time is in the profile'
	between "$(share p.pb.gz work)" 1100000000 1300000000 'where it was used, by another signal'
	is "$("$CPA" comments p.pb.gz | sed -n 's/^the program took.*now/moved/p' | sed 's/ .*//')" moved 'and it is told'
done

run 1000 ./taken caught 0.4
is "$(cat out)" caught 'SIGPROF is the signal of the profiler'
for sig in SIGSTKFLT VTALRM 45; do
	CPA_SIGNAL=$sig
	export CPA_SIGNAL
	run 1000 ./taken caught 0.4
	is "$status $(cat out)" '0 left alone' "unless CPA_SIGNAL=$sig says otherwise"
	within "$(total p.pb.gz)" 700000000 4 'which works as well'
done
CPA_SIGNAL=VTALRM
"$CPA" run --signal=PWR --cpu=p.pb.gz -- sh -c 'kill -VTALRM $$' >out 2>err
is $? 154 '--signal counts for more: the other signal is still for the program'
CPA_SIGNAL=USR1
"$CPA" run --hz=1000 --cpu=p.pb.gz -- ./taken caught 0.4 >out 2>err
is "$(cat out) $(head -n 1 err)" 'caught cpa: CPA_SIGNAL: USR1 is none of PROF, VTALRM, STKFLT, PWR, or a number from 34 to 64' \
	'a signal that cannot be had is told, and the usual one used'
unset CPA_SIGNAL
for sig in SIGSTKFLT 45; do
	rm -f p.pb.gz
	"$CPA" run --signal=$sig --hz=1000 --cpu=p.pb.gz -- ./taken caught 0.4 >out 2>err
	is "$? $(cat out)" '0 left alone' "--signal=$sig leaves SIGPROF alone"
	within "$(total p.pb.gz)" 700000000 4 'and works as well'
done
for sig in USR1 33 65 9x ''; do
	"$CPA" run "--signal=$sig" -- echo ran >out 2>err
	is "$? $(cat out err)" "$([ "$sig" ] && echo "2 cpa: --signal=$sig: PROF, VTALRM, STKFLT, PWR, or a number from 34 to 64" ||
		echo '0 ran')" "--signal=$sig: $([ "$sig" ] && echo nothing is run || echo as without)"
	rm -f cpu-*.pb.gz
done

# who takes all signals takes none of ours, also not of the timer of the process, which is for any thread
CPA_CPU_ENGINE=itimer
export CPA_CPU_ENGINE
for how in wait file; do
	run 1000 ./taken $how 0.4
	is "$status $(cat out)" '0 15 done' "a thread that takes all signals ($how) gets what it gets alone"
	within "$(total p.pb.gz)" 400000000 6 'and the other one is profiled'
done
unset CPA_CPU_ENGINE
run 1000 ./taken own 0.4
is "$status $(cat out)" '0 27 done' 'a SIGPROF that the program sends comes to who waits for it'

# libraries in Go have this note
cat >note.c <<-'END'
	__asm__(".section .note.go.buildid, \"a\", %note\n.balign 4\n.long 4, 4, 4\n.asciz \"Go\\0\"\n.ascii \"abcd\"\n");
	int of_go;
END
${CC:-cc} -shared -fPIC -o libnote.so note.c
${CC:-cc} -O1 -g -o taken "$top_srcdir/tests/runtime/taken.c" -pthread -Wl,--no-as-needed -L. -lnote -Wl,-rpath,"$tmp"
run 1000 ./taken caught 0.4
is "$status $(cat out)" '0 left alone' 'with a library in Go, which profiles by SIGPROF itself, it is left alone'
within "$(total p.pb.gz)" 700000000 4 'and the program is profiled'
done_testing
