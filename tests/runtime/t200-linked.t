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
is $? 1 'the library has its own zlib'
nm -D --defined-only "$built/src/libcpaprof/libcpaprof.so" | sed 's/.* //; s/@.*//' | grep -v '^GLIBC_' | LC_ALL=C sort >shown
grep -v '^#' "$top_srcdir/tests/runtime/exported.txt" | LC_ALL=C sort >wanted
is "$(diff wanted shown)" '' 'and shows nothing but wrappers and its interface'

do_linked idle
is "$(sed -n 's/idle: threads \([0-9]*\).*timers \([0-9]*\)/\1 \2/p; s/^SigCgt:\t0*$/no handlers/p; s/^cpu //p' out |
	tr '\n' ' ')" '1 0 none no handlers ' 'one that asks for nothing has no thread, timer or handler of ours'
files=$(sed -n 's/.*files \([0-9]*\).*/\1/p' out)
is "$files" "$(sh -c 'set -- /proc/self/fd/*; echo $#')" 'and no file'

for hz in 100 1000; do
	do_linked burn $hz 2
	within "$(total p.pb.gz)" "$(cat out)" 2 "at $hz Hz what was burnt between start and stop is in the profile"
	agree "pprof reads the same total at $hz Hz"
	is "$(share p.pb.gz elsewhere)" '' 'what was burnt before and after is not'
	do_linked burn $hz .5 3
	within "$(total p.pb.gz)" "$(cat out)" 2 "and that of four threads is"
	do_linked before $hz
	within "$(total p.pb.gz)" "$(cat out)" 2 'threads that were there before have theirs in it'
	is "$(share p.pb.gz elsewhere)" '' 'but not what they did before'
done
within "$(share p.pb.gz thread_busy)" "$(($(total p.pb.gz) - $(share p.pb.gz main)))" 2 'their stacks are whole'

do_linked blocked
within "$(total p.pb.gz)" "$(cat out)" 2 'so have those that had blocked all signals before'
within "$(share p.pb.gz '[cpa: signal blocked]')" "$(($(cat out) - 1000000000))" 3 'as time of which nobody knows where'

do_linked two
within "$(share p.pb.gz elsewhere)" 500000000 4 'the first of two sessions has its own'
is "$(share q.pb.gz elsewhere)" '' 'of which nothing is in the second'
within "$(share q.pb.gz spin)" 500000000 4 'which has its own'

do_linked often 1000
is "$(cat out)" "$(sed -n '1{p; s/before/after/p}' out)
failed 0, bytes some, maps same" 'a thousand sessions leave no thread, file, timer or mapping behind'

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
start Invalid argument' 'what cannot be is refused with what errno says'
is "$(stat -c %a p.pb.gz)" 600 'the file is for nobody else'

do_linked latency 500
between "$(cat out)" 0 200 'with 500 threads a stop takes less than 200 ms'

do_linked fork
within "$(total p.pb.gz)" "$(sed -n 's/parent: //p' out)" 2 'after a fork the parent has its own time'
is "$(share p.pb.gz elsewhere)" '' 'and none of the child'
is "$(sed -n 's/child: \(s.*\)/\1/p' out)" 'stop Invalid argument' 'for which nothing is on'
within "$(total child.pb.gz)" "$(sed -n 's/child: \([0-9]\)/\1/p' out)" 4 'but which can start its own'

do_linked hijack
is "$(cat out)" 'stop Bad file descriptor' 'a descriptor that is no longer that of the file is not written to'
is "$(cat mine-* | sort -u)" 'of the program' 'and what has its number now stays as it is'
do_linked fd /dev/full
is "$status $(cat out)" '0 stop No space left on device' 'a full device is an error'
mkdir open readonly
chmod 777 open
chmod 500 readonly
do_linked path open/p.pb.gz
is "$(cat out) $(find open -type f)" 'start: Operation not permitted ' 'no file is made where everybody may change names'
if [ "$(id -u)" != 0 ]; then
	do_linked path readonly/p.pb.gz
	is "$(cat out)" 'start: Permission denied' 'nor where we may not'
fi
ln -s elsewhere link.pb
do_linked path link.pb
is "$(cat out) $(files elsewhere)" 'start: File exists ' 'a link is not followed'
rm -f ./*.pb.gz
prlimit --nofile=16 ./linked path 'p-%p.pb.gz' >out
is "$(cat out) $(files 'p-[0-9]*.pb.gz' | wc -w)" 'stop Success 1' 'sixteen files are enough, and %p is the process'

rm -f ./*.pb.gz
"$CPA" run --hz=1000 --cpu=p.pb.gz -- ./linked path q.pb.gz >out 2>err
is "$(cat out) $(files q.pb.gz)" 'start: Device or resource busy ' \
	'under cpa run the profile is that of cpa run'
done_testing
