#!/bin/sh
# t280-gate.t - the gate on profiles whose truth is known: verdicts, outputs, what it refuses
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
cd gate || exit 1

# side SET N: the profiles SET-1 ... SET-N; base N: them as options
side() { for i in $(seq "$2"); do echo "$1-$i.pb.gz"; done; }
base() { side "${2:-base}" "$1" | sed 's/^/-base=/'; }
base6=$(base 6)

# judged NAME STATUS ARG...: "cpa gate ARG..." prints the golden file gate.NAME and ends with STATUS
judged() {
	name=gate.$1 expected=$2
	shift 2
	"$CPA" gate "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ -z "${UPDATE:-}" ] || cp "$tmp/out" "$golden_dir/$name"
	diff -u "$golden_dir/$name" "$tmp/out" >"$tmp/diff" 2>&1
	differ=$?
	[ $differ -eq 0 ] || note "$tmp/diff"
	[ $status -eq "$expected" ] || { note "$tmp/err" && echo "# exit status $status" && differ=1; }
	result $differ "$name: exit status $expected, and what the golden file says"
}

# ends STATUS DESCRIPTION ARG...: "cpa gate ARG..." ends with STATUS
ends() {
	expected=$1 description=$2
	shift 2
	"$CPA" gate "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ $status -eq "$expected" ]
	good=$?
	[ $good -eq 0 ] || { note "$tmp/out" && note "$tmp/err" && echo "# exit status $status"; }
	result $good "$description"
}

# says PATTERN DESCRIPTION: the last report has a line that matches
says() {
	grep -q -e "$1" "$tmp/out"
	found=$?
	[ $found -eq 0 ] || note "$tmp/out"
	result $found "$2"
}

# lacks PATTERN DESCRIPTION: the last report has none
lacks() {
	! grep -q -e "$1" "$tmp/out"
	found=$?
	[ $found -eq 0 ] || note "$tmp/out"
	result $found "$2"
}

# shellcheck disable=SC2046,SC2086 # lists of words, all of them names of ours
{
	# What is known to be true, in full.
	judged same 0 $base6 $(side same 6)
	judged slow 1 $base6 $(side slow 6)
	judged slow-all 1 --all $base6 $(side slow 6)
	judged mixed 1 --all $base6 $(side mixed 6)
	judged renamed 0 --all $(base 3) $(side renamed 3)
	judged newcode 0 --all $(base 3) $(side newcode 3)
	judged moved 0 --all $(base 3) $(side moved 3)
	judged short 0 --all -base=short-base.pb.gz short-slow.pb.gz
	judged heap-same 0 --all --normalize=none $(base 3 heap-base) $(side heap-same 3)
	judged heap-more 1 --all --normalize=none $(base 3 heap-base) $(side heap-more 3)
	judged mutex 1 --all $(base 3 mutex-base) $(side mutex-more 3)
	judged block 1 --all $(base 3 block-base) $(side block-more 3)

	# The other outputs.
	for format in json junit sarif markdown github; do
		judged "slow.$format" 1 --$format $base6 $(side slow 6)
		judged "same.$format" 0 --$format $base6 $(side same 6)
	done
	judged slow.color 1 --color=always $base6 $(side slow 6)
}
done_testing
