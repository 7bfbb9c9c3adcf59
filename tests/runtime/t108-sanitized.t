#!/bin/sh
# t108-sanitized.t - leak reports of sanitizers have the same stacks and exit status as without cpa
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"

echo 'leak:suppressed' >suppressions
export LSAN_OPTIONS="suppressions=$PWD/suppressions"

# leaks WORD...: the report of a program, without its process ID, addresses and libraries; sets status. Our reallocarray
# calls realloc, which the innermost frame shows.
leaks() {
	timeout 100 "$@" >out 2>err
	status=$?
	sed -E 's/==[0-9]+==//; s/0x[0-9a-f]+/ADDRESS/g; s/\(BuildId.*//; s/in (__interceptor_)?realloc(array)? .*/in realloc/' err | grep -v '^cpa: '
}

for compiler in "${CXX:-g++}" clang++; do
	for sanitizer in address leak; do
		name="$compiler -fsanitize=$sanitizer"
		if ! $compiler -fsanitize=$sanitizer -O1 -g -o sane "$top_srcdir/tests/runtime/sanitized.cc" 2>cc ||
			{ leaks ./sane all >alone && ! grep -q LeakSanitizer alone; }; then
			ok 0 "$name # SKIP not available"
			continue
		fi
		grep -q by_aligned_array alone
		ok $? "$name: leaks are found"
		want=$status
		leaks "$CPA" run --cpu=p.pb.gz -- ./sane all >with
		is "$status" "$want" "$name: exit status with cpa"
		for _ in 1 2 3 4; do # an old pointer in a register or on the stack can hide one of the 200 blocks of a kind
			diff alone with >different && break
			leaks ./sane all >alone
			leaks "$CPA" run --cpu=p.pb.gz -- ./sane all >with
		done
		[ ! -s different ]
		ok $? "$name: the leaks have the same stacks with cpa"
		sed 's/^/# /; 40q' different
		leaks ./sane >alone
		is "$status" 3 "$name: exit status with all leaks suppressed"
		leaks "$CPA" run --cpu=p.pb.gz -- ./sane >with
		is "$status" 3 "$name: the same with cpa"
		diff alone with >different
		ok $? "$name: the same report of suppressions with cpa"
		sed 's/^/# /; 40q' different
	done
done
done_testing
