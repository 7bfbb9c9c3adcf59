#!/bin/sh
# t132-replaced.t - running processes whose program or library was deleted or replaced have names and complete stacks
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
export XDG_CACHE_HOME="$tmp/cache"
unset DEBUGINFOD_URLS
pid=
trap 'kill $pid 2>/dev/null; rm -rf "$tmp"' EXIT
source_of() { # PREFIX: two loops, one of them in a library
	printf 'volatile unsigned long s;\n__attribute__((noinline)) static void %s_loop(void) { for (int i = 0; i < 1000000; i++) s += i; }
void lib_work(void) { %s_loop(); s++; }\n' "$1_lib" "$1_lib" >"$1-lib.c"
	printf 'void lib_work(void);\nextern volatile unsigned long s;
__attribute__((noinline)) static void %s_loop(void) { for (int i = 0; i < 1000000; i++) s += i; }
int main(void) { for (;;) { lib_work(); %s_loop(); } }\n' "$1_main" "$1_main" >"$1-main.c"
}
build() { # PREFIX ID: ./PREFIX-main and ./PREFIX-lib.so, with a build id or none
	${CC:-cc} -O1 -g -fPIC -shared -Wl,-soname,./lib.so -Wl,--build-id="$2" -o "$1-lib.so" "$1-lib.c" &&
		${CC:-cc} -O1 -g -Wl,--build-id="$2" -o "$1-main" "$1-main.c" "./$1-lib.so"
}
rows() { # FILE: which loops the profile has
	"$CPA" top -nodecount=0 -nodefraction=0 "$1" 2>/dev/null | sed -n 's/.* \([a-z]*_[a-z]*_loop\)$/\1/p' | sort | tr '\n' ' '
}
source_of right
source_of wrong
for id in sha1 none; do
	if ! build right $id || ! build wrong $id; then
		echo '1..0 # SKIP no compiler'
		exit 0
	fi
	cp right-main main
	cp right-lib.so lib.so
	./main &
	pid=$!
	sleep 0.2
	rm main lib.so
	cp wrong-main main
	cp wrong-lib.so lib.so
	for kind in replaced deleted; do
		[ $kind = replaced ] || rm main lib.so
		if ! "$CPA" record -p $pid --hz=1000 --seconds=1 --top=0 -o p.pb.gz 2>err; then
			ok 0 "a $kind program # SKIP $(tr '#' ' ' <err)"
			continue
		fi
		if [ -r "/proc/$pid/map_files" ] && [ "$(id -u)" = 0 ]; then
			is "$(rows p.pb.gz)" 'right_lib_loop right_main_loop ' "build id $id, $kind: names of program and library"
		else
			is "$(rows p.pb.gz | grep -o right_main_loop)" right_main_loop "build id $id, $kind: names of the program"
		fi
		is "$("$CPA" comments p.pb.gz | grep -c 'stacks, complete: .* (100.00%)')" 1 "build id $id, $kind: stacks are complete"
	done
	kill $pid
	wait $pid 2>/dev/null
done
done_testing
