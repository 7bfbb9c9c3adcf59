#!/bin/sh
# t196-fsize.t - a limit of file sizes (RLIMIT_FSIZE): errors instead of SIGXFSZ
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
built=$here/${top_builddir:-.}
case ${top_builddir:-.} in /*) built=$top_builddir ;; esac
compile burn
libs="-L$built/src/libcpaprof -Wl,-rpath,$built/src/libcpaprof -lcpaprof"
compile linked -I"$top_srcdir/src/libcpaprof/api"

limited() { # LIMIT COMMAND...: with a limit of LIMIT bytes, which does not apply to its output
	limit=$1
	shift
	(prlimit --fsize="$limit" "$@" 2>&1; echo "status $?") | cat >out
}

limited 100:unlimited "$CPA" run --cpu=p.pb.gz -- sh -c 'exit 3'
is "$(cat out)" 'cpa: p.pb.gz: File too large
status 3' 'a profile that is too large is an error; the exit status is that of the program'
is "$(files 'p*')" '' 'nothing is left of the file'
limited 102400:unlimited "$CPA" run --cpu=p.pb.gz -- bash -c 'ulimit -f; exit 3'
is "$(grep -v '^cpa: sampled ' out)" '100
cpa: wrote p.pb.gz
status 3' 'a limit that may be raised does not apply to shared memory; the program still has it'
rm -f p.pb.gz

# without the right to raise a hard limit
drop=
[ "$(id -u)" != 0 ] || drop='setpriv --inh-caps=-sys_resource --bounding-set=-sys_resource'
# shellcheck disable=SC2086 # a command
limited 102400:102400 $drop "$CPA" run --cpu=p.pb.gz -- sh -c 'echo runs'
is "$(sed 's|: /.*/sh:|: sh:|' out)" 'cpa: sh: cannot create shared memory: the file size limit is too low; raise it with ulimit -f
status 2' 'with a limit that cannot be raised, cpa run does not start the program'
is "$(files 'p*')" '' 'no file is written then'

profile=$top_srcdir/testdata/go-cpu.pb.gz
limited 1000 "$CPA" proto -o x.pb.gz "$profile"
is "$(cat out)" 'cpa: x.pb.gz: File too large
status 2' 'a report that is too large is an error'
is "$(files 'x*')" '' 'no part of it is left'
prlimit --fsize=1000 "$CPA" top "$profile" 2>&1 >top.txt | cat >out
is "$(cat out)" 'cpa: standard output: File too large' 'standard output may be limited too'

limited 100 ./linked burn 100 .2
is "$(sed '/^[0-9]*$/d' out)" 'stop: File too large
status 1' 'a linked program gets an error'
is "$(files 'p*')" '' 'a linked program leaves no part of a profile'
(
	CPA_CPUPROFILE=$PWD/missing/p.pb.gz LD_PRELOAD=$built/src/libcpaprof/libcpaprof.so
	export CPA_CPUPROFILE LD_PRELOAD
	exec prlimit --fsize=0 ./burn .1 2>err
) | cat >out
is "$(sed 's/^[0-9][0-9]*$/CPU time/' out)" 'CPU time' 'a message to a file that is too large does not end a program'
done_testing
