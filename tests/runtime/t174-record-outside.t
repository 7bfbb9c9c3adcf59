#!/bin/sh
# t174-record-outside.t - cpa record of programs that cannot load the library: they are sampled with perf events
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile limits
if ! ${CC:-cc} -static -O1 -g -o static "$top_srcdir/tests/runtime/burn.c" -pthread 2>/dev/null; then
	ok 0 'a static program # SKIP cannot be linked'
	done_testing
	exit 0
fi

record() { # ARGUMENT...: profile in p.pb.gz, exit status in $status
	rm -f p.pb.gz
	"$CPA" record --top=0 -o p.pb.gz "$@" >out 2>err
	status=$?
}

name='without perf events the program is not run'
if ./limits deny perf_event_open ./static 0 >out; [ $? = 77 ]; then
	ok 0 "$name # SKIP system calls cannot be denied here"
else
	./limits deny perf_event_open "$CPA" record --top=0 -o p.pb.gz -- ./static 0.1 >out 2>err
	is "$? $(cat out) $(grep -c '^cpa: ' err)" '2  1' "$name"
fi
record --heap -- ./static 0.1
is "$status $(cat out err)" '2 cpa: ./static: only CPU time can be recorded of a program that cannot load the library of cpa' \
	'only CPU time of such a program can be recorded'
record --follow=x -- ./static 0.1
is "$status $(cat out err)" '2 cpa: --follow=x: choose all or none for a program that cannot load the library of cpa' \
	'an expression for programs to follow is refused'

record -- ./static 0.5
if [ "$status" = 2 ]; then
	reason=$(sed -n 's/^cpa: //p' err | head -n 1 | tr '#' ' ')
	ok 0 "a static program # SKIP $reason"
	done_testing
	exit 0
fi
is "$status $(grep -cvE '^cpa: (sampled|wrote) ' err)" '0 0' 'a static program is recorded'
within "$(total p.pb.gz)" "$(cat out)" 15 'the total is the CPU time of the program'
between "$(sed -n 's/.* \([0-9.]*\) % complete.*/\1/p' err)" 98 100 'stacks are complete without .eh_frame_hdr'
is "$("$CPA" top -focus='^spin$' p.pb.gz 2>/dev/null | grep -c ' main$')" 1 'callers are known'
is "$("$CPA" top p.pb.gz 2>/dev/null | sed -n 's/^File: //p')" static 'the profile is that of the program'

if ./limits deny pidfd_open ./static 0 >out; [ $? != 77 ]; then
	timeout 60 ./limits deny pidfd_open "$CPA" record --top=0 -o p.pb.gz -- ./static 0.1 >out 2>err
	is "$?" 0 'the end of the program is noticed without pidfds'
fi
strip -o stripped static && record -- ./stripped 0.3
between "$(sed -n 's/.* \([0-9.]*\) % complete.*/\1/p' err)" 98 100 'so are those of a stripped program'

printf '#!%s/static\n' "$tmp" >script
chmod +x script
record ./script 0.2
within "$(total p.pb.gz)" 200000000 40 'a script with such an interpreter is recorded'

cat >status.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	if (fork() == 0)
		execl("./static", "./static", "0.3", (char *)NULL);
	wait(NULL);
	for (char c; read(0, &c, 1) == 1;)
		putchar(c);
	printf("%d %s\n", argc, argv[1]);
	return 7;
}
EOF
${CC:-cc} -static -o status status.c
echo input | "$CPA" record --top=0 -o p.pb.gz -- ./status 'an argument' >out 2>err
is "$? $(tail -n 2 out | tr '\n' ' ')" '7 input 2 an argument ' 'input, arguments, output and exit status are those of the program'
between "$(share p.pb.gz spin)" 150000000 450000000 'a program that it starts is recorded too'
record --follow=none -- ./status x </dev/null
is "$status $(share p.pb.gz spin)" '7 ' 'but not with --follow=none'

cat >ready.c <<'EOF'
#include <stdio.h>
int main(void)
{
	puts("ready");
	fflush(stdout);
	for (volatile long i = 0;; i++)
		;
}
EOF
${CC:-cc} -static -o ready ready.c
"$CPA" record --top=0 -o p.pb.gz -- ./ready >out 2>err &
pid=$! tries=0
until [ -s out ] || [ $tries = 300 ]; do
	sleep 0.1
	tries=$((tries + 1))
done
kill -TERM $pid
wait $pid
is "$? $(tail -n 1 err)" '143 cpa: wrote p.pb.gz' 'SIGTERM is passed on to the program, and the profile is written'
cp static busy
if (exec 9>>busy && ./busy 0) >out 2>err; then
	ok 0 'a program that cannot be executed # SKIP the kernel executes a file that is written'
else
	cp p.pb.gz before.pb.gz
	(exec 9>>busy && "$CPA" record -o p.pb.gz -- ./busy 0.1) >out 2>err
	is "$? $(cat out err) $(cmp p.pb.gz before.pb.gz)" '126 cpa: ./busy: Text file busy ' \
		'a program that cannot be executed has no profile, and an earlier one is kept'
fi
"$CPA" record --top=0 -o p.pb.gz -- ./no-such-program 2>err
is "$? $(cat err)" '2 cpa: ./no-such-program: No such file or directory' 'a program that does not exist is an error'
done_testing
