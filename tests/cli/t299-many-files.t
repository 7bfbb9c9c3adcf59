#!/bin/sh
# t299-many-files.t - top of many files, which are added up as sums, prints the same as top of the merged profile
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

# many FILE...: sets list to 120 files
many() {
	list=
	for _ in $(seq $((120 / $#))); do list="$list $*"; done
}

# same ARG...: does top of the list print the same as top of the merged profile, with one thread and with two?
# shellcheck disable=SC2086 # names without blanks
same() {
	"$CPA" top "$@" "$tmp/merged.pb.gz" >"$tmp/want" 2>&1
	for threads in 1 2; do
		"$CPA" top --threads="$threads" "$@" $list >"$tmp/out.$threads" 2>&1
	done
	diff "$tmp/want" "$tmp/out.1" >"$tmp/diff" && diff "$tmp/want" "$tmp/out.2" >>"$tmp/diff"
	equal=$?
	[ $equal -eq 0 ] || note "$tmp/diff"
	result $equal "top $* of $(echo $list | cut -d' ' -f1-3) ..."
}

# shellcheck disable=SC2086
merge() {
	many "$@"
	"$CPA" merge -o "$tmp/merged.pb.gz" $list 2>/dev/null || result 1 "merge $*"
}

for files in 'go-cpu.pb.gz' 'go-heap1.pb.gz go-heap2.pb.gz go-allocs.pb.gz' 'rust-cpu.pb.gz' 'node-wall.pb.gz' 'cpp-cpu.pb.gz'; do
	# shellcheck disable=SC2086
	merge $files
	same
	same -cum -lines -nodecount=30
done
merge go-cpu.pb.gz rust-cpu.pb.gz
same --json
same -noinlines -nodefraction=0 -edgefraction=0
same -focus=main -sample_index=0
same -files
same -addresses -nodecount=5
same -mean -sample_index=1

# a base, so that values are below 0
"$CPA" -proto -base=go-heap1.pb.gz -output="$tmp/delta.pb.gz" go-heap2.pb.gz 2>/dev/null
merge "$tmp/delta.pb.gz" go-heap1.pb.gz go-heap2.pb.gz
same

merge go-cpu.pb.gz
"$CPA" top "$tmp/merged.pb.gz" >"$tmp/want"
# shellcheck disable=SC2086
"$CPA" top $list README.md missing.pb.gz >"$tmp/out" 2>"$tmp/err"
cmp -s "$tmp/want" "$tmp/out" && grep -q '^cpa: README.md: ' "$tmp/err" && grep -q '^cpa: missing.pb.gz: ' "$tmp/err" &&
	grep -q 'Fetched 120 source profiles out of 122' "$tmp/err"
result $? 'a file that cannot be read is named, and does not count'

# one readable file of many: nothing is merged
many README.md
"$CPA" top go-cpu.pb.gz >"$tmp/want"
# shellcheck disable=SC2086
"$CPA" top go-cpu.pb.gz $list >"$tmp/out" 2>"$tmp/err"
cmp -s "$tmp/want" "$tmp/out" && grep -q 'Fetched 1 source profiles out of 121' "$tmp/err"
result $? 'a single readable file of many has all its samples'
done_testing
