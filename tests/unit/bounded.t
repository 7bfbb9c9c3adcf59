#!/bin/sh
# bounded.t - a test that hangs fails, and processes that a test leaves behind are killed
# SPDX-License-Identifier: Apache-2.0
count=0
is() { # GOT WANTED DESCRIPTION
	count=$((count + 1))
	if [ "$1" = "$2" ]; then echo "ok $count - $3"; else echo "not ok $count - $3 ($1, not $2)"; fi
}
: "${top_builddir:?}"
bounded=$top_builddir/tests/unit/bounded

"$bounded" 60 sh -c 'exit 3' >/dev/null
is $? 3 'the exit status is that of the test'

pipe=$(mktemp -u) && mkfifo "$pipe" && exec 3<>"$pipe" && rm "$pipe"
"$bounded" 20 cat <&3 >/dev/null
is $? 0 'standard input is empty'

# A run in the background starts with signals ignored, and a shell cannot reset those.
signals() { # env OPTION: signals that a test ignores and blocks when the run was started with it
	env "$1" "$bounded" 60 cat /proc/self/status | # 32 and 33 belong to libc, which ignores them in what make starts
		sed -n 's/^\(Sig[IB][gl][nk]\):[^0-9a-f]*0*\(180000000$\)*/\1 /p' | tr '\n' ' '
}
is "$(signals --ignore-signal)" 'SigBlk  SigIgn  ' 'a test starts with no signal ignored'
is "$(signals --block-signal)" 'SigBlk  SigIgn  ' 'a test starts with no signal blocked'
# shellcheck disable=SC2016 # for the inner shell
env --ignore-signal=INT,HUP "$bounded" 60 sh -c 'kill -INT $PPID && kill -HUP $PPID && sleep 0.2; exit 3' >/dev/null
is $? 3 'a signal that the run ignores does not end it'

# A process left behind holds the pipe open, so its reader would wait.
began=$(date +%s)
lines=$("$bounded" 60 sh -c 'echo ok 1; sleep 100 & setsid sleep 100 &' | grep -c '^ok 1$')
is "$lines" 1 'the output of a test is passed on'
is $((($(date +%s) - began) / 30)) 0 'processes left behind are killed when the test ends'

output=$("$bounded" 1 sh -c 'trap "" TERM; echo $$; sleep 100 & wait')
is $? 99 'a test that hangs is an error'
is "$(echo "$output" | grep -c '^Bail out! the test did not end within 1 s$')" 1 'the reason is printed'
is "$(echo "$output" | grep -c '^# process [0-9]*: sleep 100')" 1 'the processes that still run are printed'
kill -0 "$(echo "$output" | head -1)" 2>/dev/null
is $? 1 'none of its processes remain'
echo "1..$count"
