#!/bin/sh
# t851-endpoint-target.t - the server has no effect on the program
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016 # other programs expand these
. "${top_srcdir:?}/tests/runtime/lib.sh"
. "$top_srcdir/tests/runtime/endpoint.sh"
compile serves -Wall

look() { # what the kernel says that the program has; neighbours among mappings without a name may be one
	find "/proc/$pid/task" -mindepth 1 -maxdepth 1 | wc -l
	find "/proc/$pid/fd" -mindepth 1 -printf '%f %l\n' | sed 's/\[[0-9]*\]//' | sort
	sed 's/.* //; s/:[0-9a-f]*//' "/proc/$pid/maps" | sort | uniq -c | grep -v 'heap\|stack\|^ *[0-9]* *$'
	sed -n 's/^Sig\(Cgt\|Blk\|Ign\)/&/p' "/proc/$pid/status"
}

"$CPA" run --quiet --heap-rate=512kB --heap=h.pb.gz -- ./serves 600 0 0 >out 2>err &
cpa=$!
for _ in $(seq 200); do
	pid=$(sed -n 's/^ready //p' out)
	[ -n "$pid" ] && break
	sleep 0.05
done
look >without
end TERM
serve_ready --enable-profiling -- ./serves 600 0 0
look >with
diff without with >wrong
is "$(cat wrong)" '' 'threads, descriptors, mappings and signals are the same as without a server'
is "$(grep -c ^ID "/proc/$pid/timers")" 0 'the server starts no timer in the program'
for path in /heap '/threads?debug=2' '/allocs?debug=1' '/heap?seconds=1' /symbol?0x1; do
	get "$path" >/dev/null
done
look >with
diff without with >wrong
is "$(cat wrong)" '' 'threads, descriptors, mappings and signals are unchanged after requests'
is "$(get '/profile?seconds=1' cpu.pb.gz | cut -d ' ' -f 1)" 200 'an idle program can be captured'
look | grep -v ^Sig >with
grep -v ^Sig without >same
diff same with >wrong
is "$(cat wrong)" '' 'a capture of an idle program leaves only a signal handler'
end TERM

serve_ready --enable-profiling -- ./serves 600 2 0
is "$(grep -c ^ID "/proc/$pid/timers")" 0 'a busy program has no timer before a capture'
get '/profile?seconds=2' cpu.pb.gz >got &
sampled
between "$(grep -c ^ID "/proc/$pid/timers")" 1 7 'a busy program has timers during a capture'
wait $!
for _ in $(seq 100); do
	[ "$(grep -c ^ID "/proc/$pid/timers")" = 0 ] && break
	sleep 0.05
done
is "$(grep -c ^ID "/proc/$pid/timers")" 0 'a busy program has no timer after a capture'
end TERM

# programs behave the same as without cpa
printf 'int main(void) { return 0; }\n' >m.c
head -c 2000000 "$CPA" >binary
alike() { # COMMAND
	sh -c "$1" >alone 2>alone.err
	alone=$?
	"$CPA" run --quiet --enable-profiling -- sh -c "$1" >out 2>err
	status=$?
	is "$status $(cksum <out) $(sed -e 1d -e '/^cpa: most CPU time .* add --follow$/d' err)" "$alone $(cksum <alone) $(cat alone.err)" "$1"
}
alike 'sort binary'
alike 'gzip -n <binary'
alike 'python3 -c "print(sum(range(10**6)))"'
alike 'bash -c "echo \$BASHPID >/dev/null; (exit 3)"'
alike 'gcc -c -o m.o m.c && cksum m.o'
alike 'ls -l /proc/self/fd | wc -l'
alike 'cat /no/such; exit 5'
alike 'env | grep -c CPA_PROFILE'
"$CPA" run --quiet --enable-profiling -- sh -c 'kill -SEGV $$' 2>/dev/null
is "$?" 139 'a program killed by a signal keeps its status'
done_testing
