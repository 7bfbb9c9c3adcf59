#!/bin/sh
# t194-tls.t - linked programs with large static TLS, such as those with ThreadSanitizer; no paths of the build
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
built=$here/${top_builddir:-.}
case ${top_builddir:-.} in /*) built=$top_builddir ;; esac
libs="-L$built/src/libcpaprof -Wl,-rpath,$built/src/libcpaprof -lcpaprof"
want='start 0
stop 0
http 0
heap 0 200 data
http 0
shared 900'

for size in 200000 300000 3000000; do
	compile large_tls -I"$top_srcdir/src/libcpaprof/api" -DTLS_SIZE=$size
	rm -f p.pb.gz
	timeout 60 ./large_tls p.pb.gz >out 2>err
	is "$? $(cat out err)" "0 $want" "a program with $size bytes of static TLS profiles itself"
	between "$(total p.pb.gz)" 200000000 2000000000 "its profile has the CPU time of three threads"
done

try_tsan() { # COMPILER: compile and run with ThreadSanitizer
	name="a program that $1 compiled with -fsanitize=thread"
	if ! echo 'int main(void) { return 0; }' >empty.c || ! "$1" -fsanitize=thread -o empty empty.c 2>/dev/null; then
		why="no $1 with ThreadSanitizer"
	elif ! command -v setarch >/dev/null || ! setarch -R ./empty 2>/dev/null; then
		why='ThreadSanitizer does not run here'
	else
		# shellcheck disable=SC2086 # options
		"$1" -O1 -g -fsanitize=thread -I"$top_srcdir/src/libcpaprof/api" -o tsan \
			"$top_srcdir/tests/runtime/large_tls.c" -pthread $libs || exit 1
		rm -f p.pb.gz
		timeout 100 setarch -R ./tsan p.pb.gz >out 2>err
		is "$? $(cat out err)" "0 $want" "$name profiles itself, and ThreadSanitizer finds no race"
		between "$(share p.pb.gz spin)" 100000000 30000000000 "the profile of $name contains its functions"
		return
	fi
	count=$((count + 2))
	echo "ok $((count - 1)) - $name profiles itself # SKIP $why"
	echo "ok $count - the profile of $name contains its functions # SKIP $why"
}
try_tsan gcc
try_tsan clang

strings -a "$built/src/libcpaprof/libcpaprof.so" | grep -F -e "$built" -e "$(cd "$top_srcdir" && pwd)" >paths
is "$(head -3 paths)" '' 'the library contains no path of the build'
done_testing
