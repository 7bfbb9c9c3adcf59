#!/bin/sh
# t160-loader.t - code that is loaded and unloaded while it is sampled keeps its name
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile plug

plugin() { # NUMBER: plugin-NUMBER.so, which burns CPU time in own_NUMBER
	cat >plugin.c <<-END
		#include <time.h>
		static volatile unsigned long sink;
		static long long now(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
			return t.tv_sec * 1000000000LL + t.tv_nsec; }
		__attribute__((noinline)) void own_$1(int ms) { long long end = now() + ms * 1000000LL;
			do for (int i = 0; i < 3000; i++) sink += (unsigned long)i; while (now() < end); }
		void burn(int ms) { own_$1(ms); sink++; }
	END
	${CC:-cc} -O1 -g -shared -fPIC -o "$2plugin-$1.so" plugin.c
}

names() { # FILE: how many of the functions have samples, and the largest and least of them in ms
	"$CPA" top -unit=ns -nodecount=0 -trim=false "$1" 2>/dev/null | awk '$6 ~ /^own_/ { sub(/ns$/, "", $4); ms = $4 / 1e6
		n++; if (ms > most) most = ms; if (n == 1 || ms < least) least = ms } END { print n + 0, most + 0, least + 0 }'
}

for i in 1 2 3 4; do
	plugin $i ./
done
# four libraries at the same address, one after the other; the switches are accurate to a few ticks of 4 ms
run 1000 ./plug one 5 150 ./plugin-1.so ./plugin-2.so ./plugin-3.so ./plugin-4.so
sed 's/^/# /' out
between "$(sed 's/ .*//' out)" 1 2 'the loader reuses addresses'
for i in 1 2 3 4; do
	within "$(share p.pb.gz own_$i)" 750000000 10 'the profile attributes to each library the time that it used'
done
is "$("$CPA" raw p.pb.gz | grep -c 'plugin-[0-9].so [0-9a-f]')" 4 'the mapping of each library has the build id of the library'
# many libraries, replaced faster than the mappings are read
run 1000 ./plug one 100 2 ./plugin-1.so ./plugin-2.so ./plugin-3.so ./plugin-4.so
for i in 1 2 3 4; do
	between "$(share p.pb.gz own_$i)" 90000000 310000000 'the time of libraries replaced every 2 ms is right (50 samples: three standard errors)'
done

# as with glibc before 2.35, which has no signal-safe list of libraries
export CPA_SNAPSHOT=1
run 1000 ./plug one 5 100 ./plugin-1.so ./plugin-2.so ./plugin-3.so ./plugin-4.so
for i in 1 2 3 4; do
	within "$(share p.pb.gz own_$i)" 500000000 15 'without _dl_find_object the time of each library is right'
done
within "$(share p.pb.gz main)" "$(total p.pb.gz)" 3 'without _dl_find_object stacks are complete'
unset CPA_SNAPSHOT

mkdir many
for i in $(seq 100); do
	plugin "$i" many/
done
# on a busy machine some may end before the first tick
tries=0
until
	run 1000 ./plug all 30 many/*.so
	n_names=$(names p.pb.gz | cut -d " " -f 1)
	[ "$n_names" = 100 ] || [ $tries = 2 ]
do
	tries=$((tries + 1))
done
is "$status" 4 'a program that calls _exit keeps its status'
between "$n_names" 90 100 'functions of 100 libraries loaded during sampling have samples'
own=$("$CPA" top -unit=ns -nodecount=0 -trim=false p.pb.gz 2>/dev/null | awk '$6 ~ /^own_/ { n += $4 } END { printf "%.0f", n }')
within "$own" "$(total p.pb.gz)" 3 'samples in libraries loaded during sampling have the names of their functions'
within "$(total p.pb.gz)" 3100000000 15 'the total time of 100 libraries loaded during sampling is right'
is "$("$CPA" comments p.pb.gz | sed -n 's/^stacks, complete: .*(\(.*\)%).*/\1/p')" 100.00 'all stacks in 100 libraries loaded during sampling are complete'

# dlopen searches relative to its caller
mkdir deep
plugin 7 deep/
${CC:-cc} -O1 -g -o plug "$top_srcdir/tests/runtime/plug.c" -Wl,-rpath,"$tmp/deep" -pthread
run 1000 ./plug name plugin-7.so
is "$status $(cat out)" '0 loaded' 'dlopen uses the run path of the program'
printf '#include <dlfcn.h>\nvoid *get(const char *name) { void *h = dlopen(name, RTLD_NOW); return h; }\n' >get.c
printf '#include <stdio.h>\nvoid *get(const char *);\nint main(int c, char **v) { puts(get(v[c - 1]) ? "found" : "none"); }\n' >user.c
for tag in --enable-new-dtags --disable-new-dtags; do
	${CC:-cc} -O0 -shared -fPIC -o libget.so get.c -Wl,-rpath,"$tmp/deep",$tag
	${CC:-cc} -O0 -o user user.c -L. -lget -Wl,-rpath,"$tmp",--enable-new-dtags
	run 1000 ./user plugin-7.so
	is "$status $(cat out)" '0 found' "dlopen uses the run path of the calling library ($tag)"
	# shellcheck disable=SC2016 # for the loader
	run 1000 ./user '$ORIGIN/deep/plugin-7.so'
	is "$status $(cat out)" '0 found' 'dlopen expands ORIGIN to the folder of the calling library'
done
# a loaded library needs one that only the old run path of its loader finds
${CC:-cc} -shared -fPIC -o many/plugin-8.so plugin.c -Wl,--no-as-needed -Ldeep -l:plugin-7.so
run 1000 ./user "$tmp/many/plugin-8.so"
./user "$tmp/many/plugin-8.so" >alone
is "$(cat out)" "$(cat alone)" 'libraries on the run path of the program are found the same as without cpa'
done_testing
