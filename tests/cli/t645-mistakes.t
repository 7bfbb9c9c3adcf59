#!/bin/sh
# t645-mistakes.t - mistaken command lines and the messages that correct them
# SPDX-License-Identifier: Apache-2.0
#
# Each command line in mistakes.txt is followed by a line with a tab, the exit status and the first line on standard
# error without "cpa: "; a * at its end means any text. The shell reads the command line, so it may contain quotes
# and redirections.
names=yes # the command comes first in the messages, so no option may be added
. "${top_srcdir:?}/tests/cli/lib.sh"
cp go-cpu.pb.gz "$tmp/cpu.pb.gz"
cp go-heap1.pb.gz "$tmp/heap.pb.gz"
cp cpp-cpu.pb.gz "$tmp/plain.pb.gz" # without labels and comments
printf '%s\n' 'version https://git-lfs.github.com/spec/v1' 'oid sha256:4d7a' 'size 12345' >"$tmp/lfs.pb.gz"
printf '%s\n' '<!DOCTYPE html>' '<html><head><title>Sign in' 'to Example</title></head></html>' >"$tmp/page.pb.gz"
tar -C "$tmp" -czf "$tmp/all.tar.gz" cpu.pb.gz
base64 "$tmp/cpu.pb.gz" >"$tmp/cpu.txt"
mistakes=$(cd "$top_srcdir" && pwd)/tests/cli/mistakes.txt
cd "$tmp" || exit 1

# got is the exit status and the first message of the command line $1
run_line() {
	eval "'$CPA' $1" >out 2>err </dev/null
	status=$?
	got=$(sed -n '1s/^cpa: //p' err)
	got="$status $got"
}

while IFS= read -r line <&3; do
	case $line in
	'	'*) want=${line#?} ;;
	*)
		command=$line
		continue
		;;
	esac
	run_line "$command"
	case $want in
	*'*') got=$(printf '%s' "$got" | cut -c"1-$((${#want} - 1))")'*' ;;
	esac
	is_equal "$got" "$want" "cpa $command"
done 3<"$mistakes"
done_testing
