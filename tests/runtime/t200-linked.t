#!/bin/sh
# t200-linked.t - a program that links the library profiles itself
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
built=$here/${top_builddir:-.}
case ${top_builddir:-.} in /*) built=$top_builddir ;; esac
libs="-L$built/src/libcpaprof -Wl,-rpath,$built/src/libcpaprof -lcpaprof"
compile linked -I"$top_srcdir/src/libcpaprof/api"

do_linked() { # MODE [ARGUMENT]...
	rm -f ./*.pb.gz
	timeout 120 ./linked "$@" >out 2>err
	# shellcheck disable=SC2034
	status=$?
}

ldd "$built/src/libcpaprof/libcpaprof.so" | grep -q libz
is $? 1 'the library does not depend on a shared zlib'
nm -D --defined-only "$built/src/libcpaprof/libcpaprof.so" | sed 's/.* //; s/@.*//' | grep -v '^GLIBC_' | LC_ALL=C sort >shown
grep -v '^#' "$top_srcdir/tests/runtime/exported.txt" | LC_ALL=C sort >wanted
is "$(diff wanted shown)" '' 'the library exports only its wrappers and its API'

do_linked idle
is "$(sed -n 's/idle: threads \([0-9]*\).*timers \([0-9]*\)/\1 \2/p; s/^SigCgt:\t0*$/no handlers/p; s/^cpu //p' out |
	tr '\n' ' ')" '1 0 none no handlers ' 'a program that only links the library has no thread, timer or handler of the library'
files=$(sed -n 's/.*files \([0-9]*\).*/\1/p' out)
is "$files" "$(sh -c 'set -- /proc/self/fd/*; echo $#')" 'in a program that only links the library, the library opens no file'

for hz in 100 1000; do
	do_linked burn $hz 2
	within "$(total p.pb.gz)" "$(cat out)" 2 "at $hz Hz the profile contains the CPU time between start and stop"
	agree "pprof reads the same total at $hz Hz"
	is "$(share p.pb.gz elsewhere)" '' 'a profile contains no time before its start or after its stop'
	do_linked burn $hz .5 3
	within "$(total p.pb.gz)" "$(cat out)" 2 "a profile contains the time of four threads"
	do_linked before $hz
	within "$(total p.pb.gz)" "$(cat out)" 2 'threads created before the start are included'
	is "$(share p.pb.gz elsewhere)" '' 'the time that threads used before the start is not included'
done
within "$(share p.pb.gz thread_busy)" "$(($(total p.pb.gz) - $(share p.pb.gz main)))" 2 'stacks of threads created before the start are complete'

do_linked blocked
within "$(total p.pb.gz)" "$(cat out)" 2 'the time of threads that block all signals is right'
within "$(share p.pb.gz '[cpa: signal blocked]')" "$(($(cat out) - 1000000000))" 3 'the time of threads that block all signals has no known function'

do_linked two
within "$(share p.pb.gz elsewhere)" 500000000 4 'the first of two profiles contains its own time'
is "$(share q.pb.gz elsewhere)" '' 'the second of two profiles contains no time of the first'
within "$(share q.pb.gz spin)" 500000000 4 'the second of two profiles contains its own time'

do_linked often 1000
is "$(cat out)" "$(sed -n '1{p; s/before/after/p}' out)
failed 0, bytes some, maps same" 'a thousand profiles leave no thread, file, timer or mapping'

do_linked rules
is "$(cat out)" 'stop Invalid argument
rate Invalid argument
rate Success
start Success
start Device or resource busy
rate Device or resource busy
stop Success
stop Invalid argument
start File exists
start No such file or directory
start Invalid argument
start Bad file descriptor
start Invalid argument' 'invalid calls return the matching errno'
is "$(stat -c %a p.pb.gz)" 600 'the file is private to the user'

do_linked latency 500
between "$(cat out)" 0 200 'a stop with 500 threads takes less than 200 ms'

do_linked fork
within "$(total p.pb.gz)" "$(sed -n 's/parent: //p' out)" 2 'after a fork the profile of the parent contains its own time'
is "$(share p.pb.gz elsewhere)" '' 'after a fork the profile of the parent contains no time of the child'
is "$(sed -n 's/child: \(s.*\)/\1/p' out)" 'stop Invalid argument' 'no profile is running in a fork child'
within "$(total child.pb.gz)" "$(sed -n 's/child: \([0-9]\)/\1/p' out)" 4 'a fork child can start its own profile'

do_linked hijack
is "$(cat out)" 'stop Bad file descriptor' 'a descriptor that the program replaced is not written to'
is "$(cat mine-* | sort -u)" 'of the program' 'a file opened with the number of our closed descriptor is unchanged'
do_linked fd /dev/full
is "$status $(cat out)" '0 stop No space left on device' 'a full device is reported'
mkdir open readonly
chmod 777 open
chmod 500 readonly
do_linked path open/p.pb.gz
is "$(cat out) $(find open -type f)" 'start: Operation not permitted ' 'no file is created in a world-writable folder'
if [ "$(id -u)" != 0 ]; then
	do_linked path readonly/p.pb.gz
	is "$(cat out)" 'start: Permission denied' 'no file is created in a folder without write permission'
fi
ln -s elsewhere link.pb
do_linked path link.pb
is "$(cat out) $(files elsewhere)" 'start: File exists ' 'a link is not followed'
rm -f ./*.pb.gz
prlimit --nofile=16 ./linked path 'p-%p.pb.gz' >out
is "$(cat out) $(files 'p-[0-9]*.pb.gz' | wc -w)" 'stop Success 1' 'a limit of sixteen open files is enough, and %p is the pid'

rm -f ./*.pb.gz
"$CPA" run --quiet --hz=1000 --cpu=p.pb.gz -- ./linked path q.pb.gz >out 2>err
is "$(cat out) $(files q.pb.gz)" 'start: Device or resource busy ' \
	'under cpa run the start of a profile fails with EBUSY'
done_testing
