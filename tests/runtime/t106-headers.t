#!/bin/sh
# t106-headers.t - stacks of programs and libraries whose program headers are not at the start, as after llvm-bolt
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
command -v "${PYTHON3:-python3}" >/dev/null || {
	echo '1..0 # SKIP python3 not found'
	exit 0
}
libs=-ldl
compile chain -O2 -fomit-frame-pointer
${CC:-cc} -O2 -g -fPIC -shared -fomit-frame-pointer -DLIBRARY -o chain.so "$top_srcdir/tests/runtime/chain.c" || exit 1
for file in chain chain.so; do
	"${PYTHON3:-python3}" "$top_srcdir/tests/runtime/move_headers.py" $file "moved-$file" || exit 1
done

whole() { # NAME: main has the CPU time of p.pb.gz
	between "$(share p.pb.gz main)" "$(($(total p.pb.gz) * 95 / 100))" "$(total p.pb.gz)" "$1"
}

run 500 ./moved-chain 0.5
is "$status" 0 'a program with moved headers runs'
whole 'its stacks are complete'
run 500 ./chain 0.5 ./moved-chain.so
is "$status" 0 'a program with a library with moved headers runs'
whole 'its stacks are complete'

for words in ./moved-chain './chain 30 ./moved-chain.so'; do
	# shellcheck disable=SC2086 # words
	set -- $words
	"$1" 30 ${3:+"$3"} &
	pid=$!
	rm -f p.pb.gz
	"$CPA" record -p $pid --seconds=1 -o p.pb.gz --top=0 >/dev/null 2>err || { cat err && ok 1 "$1 is recorded"; }
	whole "the stacks of a running process are complete: $words"
	kill $pid
	wait $pid 2>/dev/null
done
done_testing
