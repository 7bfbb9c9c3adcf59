#!/bin/sh
# bounded.t - a test that hangs fails, and what a test leaves behind is ended
# SPDX-License-Identifier: Apache-2.0
count=0
is() { # GOT WANTED DESCRIPTION
	count=$((count + 1))
	if [ "$1" = "$2" ]; then echo "ok $count - $3"; else echo "not ok $count - $3 ($1, not $2)"; fi
}
: "${top_builddir:?}"
bounded=$top_builddir/tests/unit/bounded

"$bounded" 60 sh -c 'exit 3' >/dev/null
is $? 3 'the status is that of the test'

pipe=$(mktemp -u) && mkfifo "$pipe" && exec 3<>"$pipe" && rm "$pipe"
"$bounded" 20 cat <&3 >/dev/null
is $? 0 'standard input is at its end'

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

# A process that is left behind holds the pipe that its reader waits on.
began=$(date +%s)
lines=$("$bounded" 60 sh -c 'echo ok 1; sleep 100 & setsid sleep 100 &' | grep -c '^ok 1$')
is "$lines" 1 'what a test prints is passed on'
is $((($(date +%s) - began) / 30)) 0 'what is left behind is ended with the test'

said=$("$bounded" 1 sh -c 'trap "" TERM; echo $$; sleep 100 & wait')
is $? 99 'a test that hangs is an error'
is "$(echo "$said" | grep -c '^Bail out! it did not end within 1 s$')" 1 'and it is told why'
is "$(echo "$said" | grep -c '^# process [0-9]*: sleep 100')" 1 'and what it was at'
kill -0 "$(echo "$said" | head -1)" 2>/dev/null
is $? 1 'and nothing of it is left'
echo "1..$count"
