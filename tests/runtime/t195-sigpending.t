#!/bin/sh
# t195-sigpending.t - programs that cannot have timers, because too many signals are pending (RLIMIT_SIGPENDING)
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
built=$here/${top_builddir:-.}
case ${top_builddir:-.} in /*) built=$top_builddir ;; esac
compile burn
compile no_timers
libs="-L$built/src/libcpaprof -Wl,-rpath,$built/src/libcpaprof -lcpaprof"
compile linked -I"$top_srcdir/src/libcpaprof/api"

engine() { # FILE
	"$CPA" comments "$1" | sed -n 's/^cpa .*pid [0-9]*, //p; s/^cannot create timers: //p' | tr '\n' ','
}
shared='per-process timer,too many pending signals (ulimit -i); threads share the timer of the process,'

# shellcheck disable=SC2046 # twenty arguments
prlimit --sigpending=0 "$CPA" run --quiet --hz=1000 --cpu=p.pb.gz -- ./burn $(seq 20 | sed "s/.*/.06/") >out 2>err
is "$? $(cat err)" '0 ' 'a program without timers ends exactly as without cpa'
within "$(total p.pb.gz)" "$(cat out)" 3 'the CPU time of its twenty threads is right'
is "$(engine p.pb.gz)" "$shared" 'its profile has the reason, and the replacement'
within "$(share p.pb.gz spin)" "$(cat out)" 10 'its profile has the functions'

rm -f p.pb.gz
timeout 60 prlimit --sigpending=0 ./linked burn 100 .5 3 >out 2>err
is "$? $(cat err)" '0 ' 'a linked program without timers profiles itself'
within "$(total p.pb.gz)" "$(cat out)" 3 'the CPU time of its four threads is right'
is "$(engine p.pb.gz)" "$shared" 'its profile has the reason too'

# interval timers survive exec
prlimit --sigpending=0 "$CPA" run --quiet --hz=1000 --cpu=p.pb.gz -- ./no_timers exec ./no_timers spin >out 2>err
is "$? $(cat out err)" '0 failed exec, then spun
spun' 'the timer does not kill a program that is executed'
prlimit --sigpending=0 "$CPA" run --quiet --hz=1000 --cpu=p.pb.gz -- ./no_timers vfork ./no_timers spin >out 2>err
is "$? $(cat out err)" '0 spun
parent' 'a child of vfork executes a program'
between "$(share p.pb.gz parent)" 150000000 400000000 'the timer of its parent still runs after that'

# the program's own interval timer
prlimit --sigpending=0 "$CPA" run --quiet --hz=1000 --cpu=p.pb.gz -- ./no_timers own >out 2>err
is "$? $(cat out err)" '0 ticks, own timer kept' "the program's own interval timer works as without cpa"
done_testing
