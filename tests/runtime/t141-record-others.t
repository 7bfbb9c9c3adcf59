#!/bin/sh
# t141-record-others.t - cpa record of programs that start others that cannot load the library: these are sampled with
# perf events, and each second of CPU time is counted once
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile burn
compile limits
if ! ${CC:-cc} -static -O1 -g -o static "$top_srcdir/tests/runtime/burn.c" -pthread 2>/dev/null; then
	ok 0 'a static program # SKIP cannot be linked'
	done_testing
	exit 0
fi
if ! "$CPA" record --top=0 -o p.pb.gz -- ./static 0.1 >out 2>err; then
	reason=$(sed -n 's/^cpa: //p' err | head -n 1 | tr '#' ' ')
	ok 0 "a static program # SKIP $reason"
	done_testing
	exit 0
fi

record() { # ARGUMENT...: profile in p.pb.gz, exit status in $status, the CPU time that the programs print in $used
	rm -f p.pb.gz
	"$CPA" record --top=0 -o p.pb.gz "$@" >out 2>err
	status=$?
	used=$(awk '{ n += $1 } END { print n + 0 }' out)
}

record -- sh -c './static 0.5; ./burn 0.3; ./static 0.2; exit 5'
is "$status $(grep -v '^cpa: wrote \|^cpa: sampled ' err)" '5 ' 'static programs of a shell: no message'
within "$(total p.pb.gz)" "$used" 10 'their CPU time and that of others is counted once'
between "$("$CPA" raw p.pb.gz 2>/dev/null | grep -c '/static')" 1 9 'the static program is in the profile'

record -- sh -c 'exec ./static 0.4'
is "$status $(grep -v '^cpa: wrote \|^cpa: sampled ' err)" '0 ' 'a static program in place of the shell'
within "$(total p.pb.gz)" "$used" 15 'is in the profile'

record -- sh -c 'env -i ./burn 0.4'
is "$status $(grep -v '^cpa: wrote \|^cpa: sampled ' err)" '0 ' 'a program without environment: no message'
within "$(total p.pb.gz)" "$used" 15 'is in the profile'

cat >spawn.c <<'EOF2'
#include <spawn.h>
#include <stddef.h>
#include <sys/wait.h>
extern char **environ;
int main(int argc, char **argv)
{
	int status = 0;
	pid_t pid;

	if (argc < 2 || posix_spawn(&pid, argv[1], NULL, NULL, argv + 1, environ) != 0)
		return 1;
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}
EOF2
${CC:-cc} -O1 -o spawn spawn.c
record -- ./spawn ./static 0.4
within "$(total p.pb.gz)" "$used" 15 'a static program that posix_spawn starts'

${CC:-cc} -static -O1 -o tree spawn.c 2>/dev/null
record -- sh -c './tree ./burn 0.4'
within "$(total p.pb.gz)" "$used" 15 'a program that a static program starts'

cat >self.c <<'EOF2'
#include <cpa/pprof.h>
#include <stdio.h>
#include <time.h>

int main(void)
{
	int started = cpa_cpu_start_path("self.pb.gz", NULL), stopped;
	struct timespec now = { 0 };

	while (now.tv_sec == 0 && now.tv_nsec < 400000000)
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	stopped = cpa_cpu_stop();
	printf("%d\n", started || stopped ? started : 400000000);
	return 0;
}
EOF2
built=$here/${top_builddir:-.}
case ${top_builddir:-.} in /*) built=$top_builddir ;; esac
${CC:-cc} -O1 -g -o self self.c -I"$top_srcdir/src/libcpaprof/api" -L"$built/src/libcpaprof" -Wl,-rpath,"$built/src/libcpaprof" -lcpaprof
record -- sh -c './self; ./burn 0.1'
is "$status $(head -n 1 out) $([ -s self.pb.gz ] && echo written)" '0 400000000 written' 'a program linked with the library profiles itself'
within "$(total p.pb.gz)" "$used" 15 'and is in the profile of the recording'

# shellcheck disable=SC2016 # expanded by the other shell
record -- sh -c 'i=0; while [ $i -lt 100 ]; do ./static 0.005; i=$((i + 1)); done'
between "$(awk -v got="$(total p.pb.gz)" -v used="$used" 'BEGIN { print got / used }')" 0.7 1.6 'many short static programs'
is "$(grep -v '^cpa: wrote \|^cpa: sampled \|^cpa: no stacks: ' err)" '' 'all of them were sampled'

record --follow='/burn$' -- sh -c './static 0.3; ./burn 0.3'
is "$("$CPA" raw p.pb.gz 2>/dev/null | grep -c '/static')" 0 '--follow=REGEX chooses among them too'
record --follow=none -- sh -c './static 0.3; true'
between "$(total p.pb.gz)" 0 150000000 '--follow=none samples none'

./limits deny perf_event_open ./burn 0 >out
if [ $? = 77 ]; then
	ok 0 'without perf events # SKIP system calls cannot be denied here'
else
	./limits deny perf_event_open "$CPA" record --top=0 -o p.pb.gz -- sh -c './static 0.1; ./burn 0.2' >out 2>err
	is "$? $(grep -c -e 'programs without a profile: 1, because' -e 'not sampled with perf events either: ' err)" '0 2' \
		'without perf events a message says so'
fi
if command -v valgrind >/dev/null; then
	record -- valgrind -q --tool=none ./burn 0.2
	between "$(awk -v got="$(total p.pb.gz)" -v used="$used" 'BEGIN { print got / used }')" 0.9 20 'a program under valgrind'
else
	ok 0 'a program under valgrind # SKIP valgrind not found'
fi
done_testing
