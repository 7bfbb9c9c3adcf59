#!/bin/sh
# t192-hosts.t - programs that link the library, load it late, or contain Go code
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
built=$here/${top_builddir:-.}
case ${top_builddir:-.} in /*) built=$top_builddir ;; esac
library=$built/src/libcpaprof/libcpaprof.so
libs="-L$built/src/libcpaprof -Wl,-rpath,$built/src/libcpaprof -lcpaprof"
compile linked -I"$top_srcdir/src/libcpaprof/api"
libs=
compile burn

run 1000 ./linked end exit 0.5
is "$status $(cat err)" '3 ' 'a program that links the library ends the same under cpa run as without cpa'
within "$(total p.pb.gz)" 500000000 6 'a program that links the library is profiled only once'

CPA_CPUPROFILE=own-%p.pb.gz CPA_CPU_HZ=100 run 1000 ./linked end exit 0.5
is "$status $(cat err)" '3 ' 'a program with a profile enabled by the environment ends the same as without cpa run'
within "$(total p.pb.gz)" 500000000 6 'cpa run gets the profile'
is "$(files 'own-*')" '' 'under cpa run the library writes no profile itself'

# loaded and unloaded at run time
cat >late.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static volatile unsigned long sink;
static double cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
__attribute__((noinline)) static void spin(double s)
{
	for (double end = cpu() + s; cpu() < end;)
		for (int i = 0; i < 2000; i++)
			sink += (unsigned long)i;
}
static void *work(void *arg) { spin(0.3); free(malloc(1000)); return arg; }
static void threads(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
}
int main(int argc, char **argv)
{
	void *h = dlopen(argv[1], RTLD_NOW);
	int (*start)(const char *, const void *) = NULL, (*stop)(void) = NULL;
	int rc;
	if (argc < 3 || !h) { puts(h ? "usage" : dlerror()); return 1; }
	*(void **)&start = dlsym(h, "cpa_cpu_start_path");
	*(void **)&stop = dlsym(h, "cpa_cpu_stop");
	if (!start || !stop) { puts("no functions"); return 1; }
	rc = start(argv[2], NULL);
	printf("start %s\n", strerror(rc < 0 ? -rc : rc));
	spin(0.6);
	threads();
	rc = stop();
	printf("stop %s\n", strerror(rc < 0 ? -rc : rc));
	for (int i = 0; i < 5; i++) {
		dlclose(h);
		threads();
		h = dlopen(argv[1], RTLD_NOW);
	}
	while (h && dlclose(h) == 0 && (h = dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD)) != NULL && dlclose(h) == 0 && sink != 1) {
		sink = 1;
		h = NULL;
	}
	spin(0.1);
	threads();
	puts("done");
	return 6;
}
END
${CC:-cc} -O1 -g -w -o late late.c -pthread -ldl
rm -f ./*.pb.gz
timeout 60 ./late "$library" q.pb.gz >out 2>err
is "$? $(tr '\n' ' ' <out)$(cat err)" '6 start Success stop Success done ' \
	'a program that loads the library at run time and closes it continues'
between "$(total q.pb.gz)" 590000000 1300000000 'the profile of a program that closes the library contains at least its main thread'
run 1000 ./late "$library" q2.pb.gz
is "$status $(tr '\n' ' ' <out)$(cat err)" '6 start Device or resource busy stop Invalid argument done ' \
	'under cpa run the start of a profile fails with EBUSY'
between "$(total p.pb.gz)" 4800000000 5200000000 'cpa run records all CPU time of a program whose own profile failed'

# libraries and programs in Go
skip() { # N WHY NAME
	for i in $(seq "$1"); do
		count=$((count + 1))
		echo "ok $count - $i of $3 # SKIP $2"
	done
}
show_core() { # PROGRAM: print the registers, the stacks and the mappings of its core, if it left one
	for core in core*; do
		[ ! -f "$core" ] || gdb -nx -batch -ex 'info registers' -ex 'thread apply all bt' \
			-ex 'info proc mappings' "$1" "$core" 2>&1 | sed 's/^/# /'
		rm -f "$core"
	done
}
export GO111MODULE=off GOPROXY=off GOFLAGS=
mkdir lib
cp "$top_srcdir/tests/runtime/golib.go" lib/lib.go
if ! command -v go >/dev/null || [ "$(go env CGO_ENABLED)" != 1 ] ||
	! (cd lib && go build -buildmode=c-shared -o ../libgopart.so lib.go) 2>go.err; then
	skip 9 'no Go library can be built' 'libraries written in Go are profiled'
else
	compile gohost -ldl
	./gohost ./libgopart.so g0.prof >alone 2>err
	is "$? $(sed -n 2,3p alone | tr '\n' ' ')" '5 panics 1, receives 1 profile 1 ' 'a program that loads a library written in Go runs without cpa'
	# shellcheck disable=SC3045 # if the shell can set it
	ulimit -c unlimited 2>/dev/null
	for more in '' g.prof; do
		# shellcheck disable=SC2086 # an argument or none
		./gohost ./libgopart.so $more >alone 2>err
		# shellcheck disable=SC2086
		run 1000 ./gohost ./libgopart.so $more
		show_core ./gohost
		is "$status $(cat out)" "5 $(cat alone)" "a program that loads a library written in Go runs the same under cpa run${more:+, also when the Go part profiles itself}"
		within "$(total p.pb.gz)" "$(cat err)" 5 'the profile contains all CPU time of the program'
		between "$(share p.pb.gz 'main.own_go_work (inline)')$(share p.pb.gz main.own_go_work)" 50000000 100000000000 'functions written in Go have names'
	done
	go tool pprof -raw g.prof >raw 2>&1
	is "$? $(grep -c own_go_work raw | sed 's/[1-9][0-9]*/some/')" '0 some' 'the profile written by the Go part contains the busy function, too'
	sed 's/^func main() {}/func main() { println(go_sum(1, 1000)) }/' lib/lib.go >lib/prog.go
	(cd lib && go build -o ../goprog prog.go) 2>go.err
	run 1000 ./goprog
	is "$status $(cat err)" '2 cpa: ./goprog: cannot load the library of cpa into a Go program; use cpa record, or cpa record -p PID while it runs, or its own profiles: import net/http/pprof, then cpa top HOST:PORT' \
		'a Go program that includes C code is refused'
fi
done_testing
