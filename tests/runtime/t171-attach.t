#!/bin/sh
# t171-attach.t - cpa record -p and sources pid: running processes are sampled and not disturbed
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile attached
trap 'kill -9 $started 2>/dev/null; rm -rf "$tmp"' EXIT
started=

begin() { # ARGUMENT...: start ./attached, until it is ready; its process is in $pid
	: >ready
	./attached "$@" >ready &
	pid=$! started="$started $!" tries=0
	until [ -s ready ] || [ $tries = 300 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
}

end() {
	kill -9 "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
}

sample() { # OPTION...: sample $pid into p.pb.gz; messages are in err, the exit status in $status
	rm -f p.pb.gz
	"$CPA" record -p "$pid" -o p.pb.gz --top=0 "$@" 2>err
	status=$?
}

number() { # REGEX: the number that it matches in the line "sampled ..."
	sed -n "s/^cpa: sampled .*$1.*/\1/p" err | tr -d ,
}

# Without perf events, wall-clock time is sampled.
begin waits
sample --wall --seconds=1
is "$status $(sed -n 's/^\(cpa: sampled 1 process, in wall-clock time\)[,;].*/\1/p' err)" \
	'0 cpa: sampled 1 process, in wall-clock time' 'wall-clock time is sampled'
between "$(share p.pb.gz wait_here)" 500000000 1500000000 'a thread that waits has its wall-clock time, at the function that waits'
between "$(share p.pb.gz wait_there)" 500000000 1500000000 'each thread that waits has it'
end

# Ctrl-C and SIGTERM end sampling; a job of a script ignores Ctrl-C unless it is reset.
for signal in INT TERM; do
	begin waits
	rm -f p.pb.gz
	env --default-signal=INT "$CPA" record -p "$pid" --wall -o p.pb.gz --top=0 2>err &
	sampler=$!
	sleep 0.7
	kill -$signal $sampler
	wait $sampler
	is "$? $([ "$(samples p.pb.gz)" -gt 0 ] && echo some) $(tail -n 1 err)" '0 some cpa: wrote p.pb.gz' "SIG$signal ends sampling and writes the profile"
	kill -0 "$pid"
	ok $? 'the process continues after sampling has ended'
	end
done

./attached count 8 >want
for how in INT KILL; do
	./attached count 60 >out &
	pid=$! started="$started $!"
	env --default-signal=INT "$CPA" record -p $pid --wall -o p.pb.gz --top=0 2>err &
	sampler=$!
	sleep 0.3
	kill -$how $sampler
	wait $sampler 2>/dev/null
	wait $pid
	is "$? $(wc -l <out) $(head -n 8 out | cmp - want 2>&1)" '7 60 ' "the output and exit status of the process are unchanged after SIG$how of cpa"
done

if [ "$(id -u)" = 0 ] && setpriv --reuid=65534 --clear-groups true 2>/dev/null; then
	chmod 755 "$tmp"
	begin waits
	mkdir -m 777 nobody
	(cd nobody && HOME=$tmp/nobody setpriv --reuid=65534 --regid=65534 --clear-groups "$CPA" record -p "$pid" --seconds=1) 2>err
	is "$? $(grep -c "^cpa: process $pid: " err) $(ls nobody)" '2 1 ' "a process of another user is refused with the reason"
	end
else
	ok 0 'a process of another user is refused # SKIP needs root and setpriv'
fi

begin shares
sample --seconds=1
if ! grep -q 'sampled .* s of CPU time in 1 process' err; then
	reason=$(sed -n 's/^cpa: \(process.*\)/\1/p' err | head -n 1 | tr '#' ' ')
	for name in 'shares of functions' 'the summary' 'new threads' 'waits' 'kernel functions' 'the scheduler' 'children' 'the end of the process' 'the cost'; do
		ok 0 "$name # SKIP ${reason:-no perf events}"
	done
	done_testing
	exit 0
fi
used() { # CPU time of the process, in clock ticks
	sed 's/.*) //' "/proc/$pid/stat" | awk '{ print $12 + $13 }'
}
before=$(used) start=$(date +%s%N)
sample --seconds=2
# the part of it while cpa sampled
used=$(awk -v a="$before" -v b="$(used)" -v hz="$(getconf CLK_TCK)" -v took="$(($(date +%s%N) - start))" -v s="$(number ' in \([0-9.]*\) s, cpa used')" \
	'BEGIN { print (b - a) / hz * (s * 1e9 < took ? s * 1e9 / took : 1) }')
heavy=$(share p.pb.gz heavy) light=$(share p.pb.gz light) total=$(total p.pb.gz)
within "$(awk -v h="${heavy:-0}" -v a="${total:-1}" 'BEGIN { print h / a * 100 }')" 75 12 'a function has its share of the CPU time'
within "$(awk -v l="${light:-0}" -v a="${total:-1}" 'BEGIN { print l / a * 100 }')" 25 35 'another function has its share too'
within "$total" "$(awk -v s="$used" 'BEGIN { printf "%d", s * 1e9 }')" 20 'the total is the CPU time of the process'
within "$total" "$(awk -v s="$(number 'of \([0-9.]*\) s of CPU time in 1 process')" 'BEGIN { printf "%d", s * 1e9 }')" 1 'the summary has the total'
between "$(number ' \([0-9.]*\) % complete')" 98 100 'the stacks are complete'
between "$(awk -v o="$(number ' cpa used \([0-9.]*\) s')" -v u="$used" 'BEGIN { print o / u * 100 }')" 0 20 'sampling costs a small part of the CPU time of the process'
is "$("$CPA" top -focus=heavy p.pb.gz 2>/dev/null | grep -c ' main$')" 1 'callers are known'
"$CPA" top --no-save -seconds=1 "pid:$pid" >out 2>err
is "$? $(grep -c ' heavy$' out)" '0 1' 'pid: is a source of reports'
end

begin threads
sample --seconds=1
# the part of a thread of 20 ms after its last sample is [cpa: not sampled]
between "$(awk -v n="$(share p.pb.gz in_new_thread)" -v a="$(total p.pb.gz)" 'BEGIN { print n / a * 100 }')" 60 100 \
	'threads that start while sampling are sampled'
end

begin waits
sample --off-cpu --seconds=1
between "$(share p.pb.gz wait_here)" 500000000 1500000000 '--off-cpu has the time that a thread waits'
end

dd if=/dev/zero of=/dev/null bs=1M 2>/dev/null &
pid=$! started="$started $!"
sample --seconds=1
"$CPA" raw -symbolize=none p.pb.gz >out 2>/dev/null
start=$(awk '$3 == "_stext" { print $1 }' /proc/kallsyms)
if grep -q 'kernel\.kallsyms' out && [ "$(echo "$start" | tr -d 0)" ]; then
	is "$(grep -c "0x$start/.*\[kernel\.kallsyms\]_stext .*\[FN\]" out)" 1 'the profile has names of kernel functions, and where the kernel was loaded'
else
	ok 0 'the profile has names of kernel functions # SKIP no kernel stacks, or hidden kernel addresses'
fi
end

sh -c 'while :; do sleep 0.05; done' &
pid=$! started="$started $!"
sample --off-cpu --follow --seconds=2
"$CPA" traces -lines p.pb.gz >out 2>/dev/null
is "$(grep -cE '^ *[0-9.]+m?s +schedule$' out)" 0 'a wait does not end in the scheduler'
between "$(share p.pb.gz __libc_start_main)" 2600000000 4400000000 'children that end soon have stacks'
end

./attached count 60 >out &
pid=$! started="$started $!"
sample
is "$status $(tail -n 1 err)" '0 cpa: wrote p.pb.gz' 'the end of the process ends sampling'
wait $pid
is "$? $(wc -l <out) $(head -n 8 out | cmp - want 2>&1)" '7 60 ' 'a process that is sampled to its end has its output and exit status'
between "$(share p.pb.gz main)" 1 1000000000000 'the samples of a process that has ended have names'
done_testing
