#!/bin/sh
# t142-record-outside-program.t - cpa record --off-cpu, --wall, --event and --seconds of a program that it starts
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile burn

record() { # ARGUMENT...: profile in p.pb.gz, exit status in $status
	rm -f p.pb.gz
	timeout 60 "$CPA" record --top=0 -o p.pb.gz "$@" >out 2>err
	status=$?
}
share() { # FUNCTION: its flat value in ns
	"$CPA" top -unit=ns -nodefraction=0 p.pb.gz 2>/dev/null | awk -v f="$1" 'index($0, f) { n += $1 } END { print n + 0 }'
}

record --seconds=1 -- sh -c './burn 0.3; touch started; sleep 3; ./burn 0.3; exit 3' &
pid=$!
tries=0
until [ -s p.pb.gz ] || [ $tries = 100 ]; do
	sleep 0.1
	tries=$((tries + 1))
done
kill -0 $pid 2>/dev/null
is "$? $([ -s p.pb.gz ] && echo written)" '0 written' '--seconds: the profile is written while the program runs'
wait $pid
record --seconds=3 -- sh -c './burn 0.3; sleep 4; exit 3'
is "$status" 3 'the exit status is that of the program'
within "$(total p.pb.gz)" "$(cat out)" 20 'CPU time is recorded'
record --seconds=-1 -- ./burn 0.1
is "$status $(cat out err)" '2 cpa: --seconds must be 0 to 1000000' 'a negative time is an error, and nothing runs'
record --off-cpu --heap -- ./burn 0.1
is "$status $(cat out err)" '2 cpa: --heap and --off-cpu: with the second, the program is sampled from outside' \
	'other profiles cannot be combined with it'
record --off-cpu --follow=x -- ./burn 0.1
is "$status $(cat out err)" '2 cpa: --follow=x: with --off-cpu, choose all or none' 'nor can an expression for programs'

record --off-cpu -- sh -c './burn -; exit 6'
if [ "$status" = 2 ]; then
	reason=$(sed -n 's/^cpa: //p' err | head -n 1 | tr '#' ' ')
	ok 0 "waits # SKIP $reason"
	done_testing
	exit 0
fi
is "$status" 6 '--off-cpu: the exit status is that of the program'
between "$(share nanosleep)" 900000000 1500000000 'waits of a child are recorded'
record --off-cpu -- ./burn 0
is "$status" 0 'a program that ends at once'
record --off-cpu --seconds=1 -- sh -c 'sleep 3; exit 4'
is "$status $([ -s p.pb.gz ] && echo written)" '4 written' '--off-cpu and --seconds'
between "$(share nanosleep)" 500000000 1900000000 'have the waits of the first second'
record --event=page-faults --hz=5000 -- ./burn 0.1
between "$("$CPA" top -sample_index=page-faults p.pb.gz 2>/dev/null | sed -n 's/.* of \([0-9]*\) total$/\1/p')" 20 100000 'events are counted'

# Wall-clock time of five threads: two more run than there are CPUs, one sleeps, one waits for the others.
n=$(($(nproc) + 2))
threads=$(i=0; while [ $i -lt $n ]; do echo 0.4; i=$((i + 1)); done)
cat >wall.c <<'EOF2'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	struct timespec a, b;
	char command[4096];

	snprintf(command, sizeof(command), "%s >used", argc > 1 ? argv[1] : "true");
	clock_gettime(CLOCK_MONOTONIC, &a);
	if (system(command) != 0)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("%lld\n", (b.tv_sec - a.tv_sec) * 1000000000LL + b.tv_nsec - a.tv_nsec);
	return 0;
}
EOF2
${CC:-cc} -O1 -o wall wall.c
# shellcheck disable=SC2086 # a list of threads
record --wall -- ./burn $threads
used=$(cat out)
cpu=$(share spin)
between "$(share '[ready: no CPU]')" 100000000 1e12 '--wall: time without a CPU is named'
within "$(awk -v spin="$cpu" -v clock="$(share clock_gettime)" -v rest="$(share 'cpa: not sampled')" 'BEGIN { print spin + clock + rest }')" \
	"$used" 30 'CPU time has stacks'
record --wall -- ./wall './burn 1'
within "$(total p.pb.gz)" "$(awk '{ print 3 * $1 }' out)" 10 'the sum of three processes is three times the wall-clock time'
record --wall -- ./burn -
between "$(share nanosleep)" 900000000 1300000000 'waits have stacks'
is "$(sed -n 's/.*\(wall-clock time\).*/\1/p' err)" 'wall-clock time' 'the message names the kind'
done_testing
