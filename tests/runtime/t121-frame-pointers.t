#!/bin/sh
# t121-frame-pointers.t - stacks of programs with frame pointers and without call frame information
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
case $(uname -m) in
x86_64) ;;
*)
	echo '1..0 # SKIP the generated code is for x86-64'
	exit
	;;
esac
compile framed -fno-omit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables

whole() { # NAME: main and the function that calls generated code have the CPU time of p.pb.gz, but for two samples
	all=$(total p.pb.gz)
	least=$((all * 95 / 100 - 20000000))
	between "$(share p.pb.gz main)" "$least" "$all" "$1: main"
	between "$(share p.pb.gz framed_outer)" "$least" "$all" "$1: the caller of generated code"
	between "$(share p.pb.gz framed_inner)" "$least" "$all" "$1: the caller of the leaf"
}

run 500 ./framed 0.7
is "$status" 0 'the program runs'
whole 'cpa run'

./framed 30 &
pid=$!
"$CPA" record -p $pid --seconds=1 -o p.pb.gz --top=0 >/dev/null 2>err
if grep -q 'sampled .* s of CPU time in 1 process' err; then
	whole 'cpa record -p'
else
	ok 0 "cpa record -p # SKIP no perf events: $(head -n 1 err | tr '#' ' ')"
fi
kill $pid
done_testing
