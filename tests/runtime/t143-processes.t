#!/bin/sh
# t143-processes.t - cpa record -p NAME, and -p PID --follow of a process that has started others already
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
: "${tmp:?}"
compile burn
# more than 15 characters, which the kernel does not keep in the short name
long=cpa-named-$$-with-a-long-name
cp burn "$long"
cp burn cpa-$$
cat >master <<EOF2
#!/bin/sh
./$long 30 & ./$long 30 & sh -c './cpa-$$ 30; true' & wait
EOF2
chmod +x master
./master >/dev/null &
master=$!
cleanup() {
	for pid in $(pgrep -f "^\./cpa-$$ 30") $(pgrep -f "^\./$long 30"); do kill "$pid"; done 2>/dev/null
	wait $master 2>/dev/null
	rm -rf "$tmp"
}
trap cleanup EXIT
tries=0
until pgrep -f "^\./cpa-$$ 30" >/dev/null || [ $tries = 100 ]; do
	sleep 0.1
	tries=$((tries + 1))
done
sleep 0.3

record() { # ARGUMENT...: profile in p.pb.gz, exit status in $status, the pids with samples in $pids
	rm -f p.pb.gz
	timeout 60 "$CPA" record --top=0 --seconds=1 -o p.pb.gz "$@" >out 2>err
	status=$?
	pids=$("$CPA" -tags p.pb.gz 2>/dev/null | sed -n '/^ *pid:/,/^ *process:/s/.*: \([0-9]*\)$/\1/p' | sort -n | tr '\n' ' ')
}
sorted() { printf '%s\n' "$@" | sort -n | tr '\n' ' '; }

record -p "$long"
if [ "$status" = 2 ]; then
	reason=$(sed -n 's/^cpa: //p' err | head -n 1 | tr '#' ' ')
	ok 0 "processes by name # SKIP $reason"
	done_testing
	exit 0
fi
# shellcheck disable=SC2046 # a list
longs=$(sorted $(pgrep -f "^\./$long 30"))
is "$pids" "$longs" 'all processes of a long name are sampled'
is "$(sed -n "s/^cpa: $long: //p" err | tr ',' '\n' | sort -n | tr -d '\n ')" "$(echo "$longs" | tr -d ' ')" 'a message lists them'
record -p "cpa-$$,$long"
# shellcheck disable=SC2046,SC2086 # a list
is "$pids" "$(sorted $longs $(pgrep -f "^\./cpa-$$ 30"))" 'several names'
record -p master --wall
between "$(grep -c "^cpa: master: .*$master" err)" 1 1 'a script by its name'
"$CPA" record -p "no-such-$$" -o p.pb.gz >out 2>err
is "$? $(cat out err)" "2 cpa: -p: no process is named \"no-such-$$\"" 'no process of that name'

record -p $master --follow
# shellcheck disable=SC2046,SC2086 # a list
is "$(echo " $pids" | grep -o -E " ($(sorted $longs $(pgrep -f "^\./cpa-$$ 30") | sed 's/ $//; s/ /|/g'))" | wc -l)" 3 \
	'--follow samples processes that run already, and those that they started'
record -p $master --follow --off-cpu
between "$(sed -n 's/^cpa: sampled \([0-9]*\) processes.*/\1/p' err)" 2 9 'their waits too'
record -p $master
is "$pids" '' 'without --follow they are not sampled'

# processes that start while the events are opened: all of them, each once
cat >forks.c <<'EOF2'
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
	struct timespec now = { 0 };

	usleep(200000);
	for (int i = 0; i < 80; i++) {
		if (fork() == 0) {
			sleep(2);
			while (now.tv_nsec < 20000000)
				clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
			_exit(0);
		}
		usleep(2000);
	}
	while (wait(NULL) > 0)
		continue;
	return 0;
}
EOF2
${CC:-cc} -O1 -o forks forks.c
./forks &
sleep 0.25
timeout 60 "$CPA" record --follow -p $! --top=0 -o p.pb.gz 2>err
between "$(sed -n 's/^cpa: sampled .* of \([0-9.]*\) s of CPU time in .*/\1/p' err)" 1.55 1.9 'the CPU time of processes that start meanwhile is counted once'
done_testing
