#!/bin/sh
# t301-large-diff.t - cpa diff of two large files, of which one at a time is in memory, prints the same as of small ones
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

# A profile with 4 MiB in a field that readers skip.
large() {
	gunzip -c "$TESTDATA/$1" >"$tmp/large/$1"
	printf '\242\006\200\200\200\002' >>"$tmp/large/$1"
	head -c 4194304 /dev/zero >>"$tmp/large/$1"
	cp "$TESTDATA/$1" "$tmp/small/$1"
}

# same ARG...: does diff of the large files print the same as that of the small ones?
same() {
	for size in small large; do
		cd "$tmp/$size" && "$CPA" diff "$@" >"$tmp/$size.out" 2>&1
	done
	diff "$tmp/small.out" "$tmp/large.out" >"$tmp/diff"
	equal=$?
	[ $equal -eq 0 ] || note "$tmp/diff"
	result $equal "diff $*"
}

mkdir "$tmp/large" "$tmp/small"
for name in go-cpu.pb.gz rust-cpu.pb.gz go-heap1.pb.gz go-heap2.pb.gz go-allocs.pb.gz; do large $name; done
same go-heap1.pb.gz go-heap2.pb.gz
same -cum -lines --json go-heap1.pb.gz go-heap2.pb.gz
same -sample_index=0 -normalize=total go-heap2.pb.gz go-heap1.pb.gz
same -focus=main go-heap1.pb.gz go-heap2.pb.gz
same go-cpu.pb.gz rust-cpu.pb.gz
# the new side has another default type
same go-heap1.pb.gz go-allocs.pb.gz
same go-heap1.pb.gz go-cpu.pb.gz
same go-cpu.pb.gz missing.pb.gz
done_testing
