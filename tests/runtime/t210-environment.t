#!/bin/sh
# t210-environment.t - profiles enabled by environment variables
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
built=$here/${top_builddir:-.}
case ${top_builddir:-.} in /*) built=$top_builddir ;; esac
library=$built/src/libcpaprof/libcpaprof.so
libs="-L$built/src/libcpaprof -Wl,-rpath,$built/src/libcpaprof -lcpaprof"
compile linked -I"$top_srcdir/src/libcpaprof/api"
libs=
compile burn

end() { # HOW SECONDS
	rm -f ./*.pb.gz
	timeout 60 ./linked end "$@" >out 2>err
	# shellcheck disable=SC2034
	status=$?
}

LD_PRELOAD=$library CPA_CPUPROFILE='c-%p.pb.gz' CPA_CPU_HZ=1000 ./burn 1 .5 >out 2>err
is "$? $(files 'c-*.pb.gz' | wc -w) $(stat -c %a c-*.pb.gz)" '0 1 600' \
	'a preloaded program writes a profile when it ends, with its pid in the name'
within "$(total c-*.pb.gz)" "$(cat out)" 2 'the profile of a preloaded program contains all of its CPU time'
is "$(cat err)" '' 'a preloaded program prints no message'
rm -f ./*.pb.gz

export CPA_CPUPROFILE=c.pb.gz CPA_CPU_HZ=1000
for how in exit _exit _Exit quick_exit; do
	end $how 0.3
	is "$status" 3 "$how: the status is that of the program"
	within "$(total c.pb.gz)" 300000000 4 'the profile of a program that ends by a call is complete'
done
end thread 0.3
is "$status" 0 'a program ends with its last thread'
within "$(total c.pb.gz)" 600000000 4 'the profile contains main, which ended before the last thread'

end abort 0.2
is "$status $(files '*.pb.gz')" '134 ' 'abort leaves no profile'
export CPA_FLUSH_ON_FATAL=1
end abort 0.3
is "$status" 134 'with CPA_FLUSH_ON_FATAL abort ends the program the same way'
within "$(total c.pb.gz)" 300000000 4 'with CPA_FLUSH_ON_FATAL abort leaves a profile'
end term 0.3
is "$status" 143 'with CPA_FLUSH_ON_FATAL a fatal signal ends the program the same way'
within "$(total c.pb.gz)" 300000000 4 'with CPA_FLUSH_ON_FATAL a fatal signal leaves a profile'
unset CPA_FLUSH_ON_FATAL

end fork 0.3
is "$status $(files '*.pb.gz' | wc -w)" '3 2' 'a child writes its own file'
within "$(total c.pb.gz)" 300000000 4 'the profile of the parent contains the time of the parent'
within "$(total c-*.pb.gz)" 300000000 4 'the profile of a child contains the time of the child'
CPA_FOLLOW=none end fork 0.3
is "$(files '*.pb.gz')" 'c.pb.gz ' 'with CPA_FOLLOW=none only the parent writes a file'
rm -f ./*.pb.gz
LD_PRELOAD=$library sh -c './burn 0.3 >out; ./burn 0.3 >>out; :'
is "$(files '*.pb.gz' | wc -w)" 3 'executed programs write their own files'
rm -f ./*.pb.gz
LD_PRELOAD=$library CPA_FOLLOW=none sh -c './burn 0.3 >out; :'
is "$(files '*.pb.gz')" 'c.pb.gz ' 'with CPA_FOLLOW=none executed programs write no files'

end exit 0.1
cp c.pb.gz kept
timeout 60 ./linked end exit 0.1 2>err
is "$? $(cat err)" "3 cpa: c.pb.gz: File exists" 'an existing file is kept, with a message'
cmp -s c.pb.gz kept
ok $? 'an existing file is unchanged'
CPA_LOG=off timeout 60 ./linked end exit 0.1 2>err
is "$(cat err)" '' 'CPA_LOG=off suppresses the message'
CPA_CPU_HZ=5000 end exit 0.3
is "$(cat err)" 'cpa: CPA_CPU_HZ: 5000 is not a number from 1 to 1000; ignored' 'an invalid value is reported and ignored'
within "$(total c.pb.gz)" 300000000 15 'the default replaces an invalid value'
for engine in itimer perf; do
	CPA_CPU_ENGINE=$engine end exit 0.5
	within "$(total c.pb.gz)" 500000000 4 "CPA_CPU_ENGINE=$engine gives the same total"
done
CPA_CPU_ENGINE=sundial end exit 0.1
is "$(cat err)" 'cpa: c.pb.gz: Invalid argument' 'an unknown engine is an error'
CPA_SIGNAL=SIGVTALRM end exit 0.3
within "$(total c.pb.gz)" 300000000 4 'another signal gives the same total'

rm -f ./*.pb.gz
CPA_TOGGLE_SIGNAL=USR2 ./burn 3 >out 2>err &
burning=$!
sleep 0.3
kill -USR2 $burning
wait $burning
is "$? $(files '*.pb.gz')" '140 ' 'without the library SIGUSR2 ends a program'
CPA_TOGGLE_SIGNAL=USR2 LD_PRELOAD=$library ./burn 3 >out 2>err &
burning=$!
sleep 0.5
for _ in 1 2 3; do
	kill -USR2 $burning
	sleep 0.5
done
wait $burning
is "$? $(files '*.pb.gz')" '0 c-1.pb.gz c-2.pb.gz ' \
	'with the library CPA_TOGGLE_SIGNAL starts and stops profiles, each in its own file'

rm -f ./*.pb.gz
unset CPA_CPUPROFILE CPA_CPU_HZ
CPA_GPERF_COMPAT=1 CPUPROFILE=g.prof CPUPROFILE_FREQUENCY=4000 timeout 60 ./linked end exit 0.3 2>err
is "$? $(cat err)" '3 ' 'variables of gperftools are read when CPA_GPERF_COMPAT is set'
within "$(total g.prof)" 300000000 4 'a profile named by CPUPROFILE is written'
CPA_GPERF_COMPAT=1 CPUPROFILE=g.prof timeout 60 ./linked end exit 0.2 2>err
within "$(total g.prof)" 200000000 12 'a profile named by CPUPROFILE replaces an existing file'
rm -f g.prof
CPUPROFILE=g.prof timeout 60 ./linked end exit 0.2 2>err
is "$(files g.prof)" '' 'variables of gperftools are ignored without CPA_GPERF_COMPAT'

CPA_HEAPPROFILE='h-%p.pb.gz' CPA_HEAP_RATE=1 timeout 60 ./linked end exit 0.1 2>err
is "$("$CPA" top -unit=bytes -sample_index=alloc_objects h-*.pb.gz 2>/dev/null | grep -c Showing)" 1 'a heap profile is written at the end'
done_testing
