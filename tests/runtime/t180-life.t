#!/bin/sh
# t180-life.t - programs that start and end in any way behave the same as without cpa and have complete profiles
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016 # other programs expand these
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile life
compile burn

alike() { # NAME WORD...
	name=$1
	shift
	"$@" >alone 2>/dev/null
	alone=$?
	"$CPA" run --quiet --hz=1000 --cpu=p.pb.gz --heap=h.pb.gz --block=b.pb.gz --follow -- "$@" >out 2>err
	is "$? $(cat out)" "$alone $(cat alone)" "$name"
}

in_use() { # FILE: bytes
	"$CPA" top -unit=B -sample_index=inuse_space "$1" 2>/dev/null |
		sed -n 's/^Showing nodes accounting for .* of \([0-9]*\)B total$/\1/p'
}

alike 'ten thousand children of a process with 8 GiB' ./life storm 10000
for how in _exit abort quick segv term kill; do
	rm -f ./*.gz
	"$CPA" run --quiet --hz=1000 --cpu=p.pb.gz --heap=h.pb.gz --heap-rate=64kB -- ./life memory $how >out 2>err
	got=$?
	./life memory $how >/dev/null 2>&1
	is "$got $(cat err)" "$? " "a program that ends by $how has its usual status"
	within "$(in_use h.pb.gz)" 65536000 12 'a program that ends by a call or a signal has a complete heap profile'
	# the program uses 600 ms; on a busy machine the last ticks may come late
	between "$(total p.pb.gz)" 400000000 660000000 'a program that ends by a call or a signal has a CPU profile up to its last 200 ms'
done

rm -f ./*.gz file
"$CPA" run --quiet --hz=1000 --cpu=p.pb.gz -- ./life daemon "$tmp/file" >out 2>err
is "$?" 0 'a program that becomes a daemon ends at once'
between "$(total p.pb.gz)" 180000000 260000000 'a program that becomes a daemon has a profile'
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ -s file ] && break
	sleep 0.5
done
is "$(cat file)" 'done' 'a daemon continues without cpa'

${CC:-cc} -static -O1 -o burn-static "$top_srcdir/tests/runtime/burn.c" -pthread 2>/dev/null
alike 'exec of a static program' sh -c 'exec ./burn-static 0.1 >/dev/null'
alike 'exec with an empty environment' sh -c 'exec env -i ./burn-static 0.1 >/dev/null'
rm -f ./*.gz
"$CPA" run --quiet --hz=1000 --cpu=p.pb.gz --follow -- ./life exec "$(command -v env)" -i ./burn 0.3 >out 2>err
is "$? $(grep -v '^cpa: programs without a profile: 1, ' err)" '0 ' 'a program that clears its environment ends the same as without cpa'
between "$(($(total p.pb.gz) - $(share p.pb.gz '[cpa: other processes]')))" 180000000 220000000 \
	'a program that clears its environment has a profile of the time before that'
between "$(share p.pb.gz '[cpa: other processes]')" 280000000 340000000 'the CPU time of the program without a profile is named'
"$CPA" run --quiet --cpu=p.pb.gz -- /no-such-program 2>err
is "$? $(cat err)" '2 cpa: /no-such-program: No such file or directory' 'a missing program is reported'
printf '#!/no/such/interpreter\n' >script && chmod +x script
"$CPA" run --quiet --cpu=p.pb.gz -- ./script 2>err
is "$? $(cat err)" '2 cpa: /no/such/interpreter: No such file or directory' 'a missing interpreter is reported'
is "$("$CPA" run --quiet --cpu=p.pb.gz -- sh -c 'trap "exit 9" TERM; kill -TERM $PPID; sleep 5 & wait' 2>&1; echo $?)" 9 \
	'a signal sent to cpa is forwarded to the program'
is "$(LD_PRELOAD=libm.so.6 ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" "$CPA" run --quiet --cpu=p.pb.gz -- sh -c 'env | grep LD_PRELOAD')" LD_PRELOAD=libm.so.6 \
	'libraries preloaded by the user are still loaded'

# cpa was killed: the program continues without timers
for engine in timer itimer; do
	CPA_CPU_ENGINE=$engine "$CPA" run --quiet --hz=1000 --cpu=p.pb.gz --heap=h.pb.gz --block=b.pb.gz -- sh -c \
		'echo $$ >pid; exec ./burn 2 2 >out; ' &
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		sleep 0.1
		grep -q signal "/proc/$(cat pid 2>/dev/null)/timers" 2>/dev/null && break
	done
	kill -KILL $!
	wait $! 2>/dev/null
	sleep 0.5
	# the timer of the waiting thread stays, because the thread does not run
	between "$(grep -c '^ID' "/proc/$(cat pid)/timers")" 0 1 "timers are deleted after cpa was killed ($engine)"
	while kill -0 "$(cat pid)" 2>/dev/null; do
		sleep 0.2
	done
	between "$(cat out)" 3990000000 4200000000 'a program continues to its end after cpa was killed'
	rm pid out
done

# a program may rebuild its environment in another order
for order in '"LD_PRELOAD=$LD_PRELOAD" "CPA_SEGMENT=$CPA_SEGMENT" Z=1' '"CPA_SEGMENT=$CPA_SEGMENT" "LD_PRELOAD=$LD_PRELOAD" Z=1' \
	'Z=1 "CPA_SEGMENT=$CPA_SEGMENT" "LD_PRELOAD=$LD_PRELOAD"'; do
	got=$("$CPA" run --quiet --cpu=p.pb.gz -- sh -c "env -i $order $(command -v env); echo \$?" 2>&1)
	is "$got" "$(printf 'Z=1\n0')" "a program that is not followed finds no variables of cpa, in the order $order"
done
# pid 1 of a container is the parent of all orphans
if unshare -pf --mount-proc true 2>/dev/null; then
	is "$(unshare -pf --mount-proc "$CPA" run --quiet --cpu=cpu.pb.gz -- sh -c 'for i in 1 2 3; do (sleep 0.2 &); done
		sleep 2
		cat /proc/[0-9]*/stat | grep -c -E " Z 1 "; exit 3'; echo $?)" '0
3' 'cpa run as pid 1 leaves no zombies'
else
	count=$((count + 1))
	echo "ok $count - cpa run as pid 1 leaves no zombies # SKIP no new namespaces"
fi
done_testing
