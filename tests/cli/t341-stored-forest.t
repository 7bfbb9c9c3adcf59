#!/bin/sh
# t341-stored-forest.t - reports of stored trees are those of the same samples in a file
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
make="${PYTHON3:-python3} $top_srcdir/tests/cli/random_profiles.py"
all='2026-11-22..2026-11-24'

# equal SOURCE FILE COMMAND [OPTION]...: a report of a window is that of the file
equal() {
	source=$1 file=$2
	shift 2
	{ "$CPA" "$@" "$source" && "$CPA" "$@" --threads=1 "$source"; } >"$tmp/stored" 2>"$tmp/err" &&
		{ "$CPA" "$@" "$file" && "$CPA" "$@" "$file"; } >"$tmp/filed" 2>>"$tmp/err" && cmp -s "$tmp/stored" "$tmp/filed"
	status=$?
	[ "$status" -eq 0 ] || { diff "$tmp/filed" "$tmp/stored" | head -n 20 && cat "$tmp/err"; } >"$tmp/why"
	[ "$status" -eq 0 ] || note "$tmp/why"
	result "$status" "cpa $* $source"
}

for seed in 1 2 negative; do
	export CPA_STORE="$tmp/store-$seed"
	for i in 1 2 3; do
		$make "$tmp/p$seed$i" "${seed#negative}$i" $((1795356000 + i * 1800)) 9 "$seed"
		"$CPA" store import --service=shop --label=instance=h$i "$tmp/p$seed$i" >"$tmp/out" || exit 1
		"$CPA" proto -o "$tmp/$seed$i.pb.gz" "store:shop{instance=h$i}@$all" 2>"$tmp/err" || exit 1
	done
	"$CPA" proto -o "$tmp/$seed.pb.gz" "store:shop@$all" 2>"$tmp/err" || exit 1
	for report in top 'top -nodecount=0 -nodefraction=0' 'top -nodefraction=0.05 -edgefraction=0.1' 'top -cum -lines' 'top -mean' \
		'top -sample_index=samples -files' 'top -noinlines' 'top -unit=widgets' 'top -focus=f3' 'top -tagfocus=route=/a' 'top --json' \
		tree 'tree -lines -nodefraction=0 -edgefraction=0' 'tree -call_tree' 'tree -mean -nodefraction=0.06' \
		'peek f[12]' 'peek f3 -nodefraction=0' binaries 'binaries -cum -mean' traces; do
		# shellcheck disable=SC2086 # words of a command
		equal "store:shop@$all" "$tmp/$seed.pb.gz" $report
	done
	"$CPA" diff -nodecount=0 --csv "store:shop{instance=h1}@$all" "store:shop{instance=h2}@$all" >"$tmp/a" 2>"$tmp/err" &&
		"$CPA" diff -nodecount=0 --csv "$tmp/${seed}1.pb.gz" "$tmp/${seed}2.pb.gz" >"$tmp/b" 2>>"$tmp/err"
	same "cpa diff of two windows, seed $seed" "$tmp/b" "$tmp/a"
	"$CPA" peek nosuch "store:shop@$all" >"$tmp/a" 2>&1
	"$CPA" peek nosuch "$tmp/$seed.pb.gz" >"$tmp/b" 2>&1
	grep -v '^cpa: store:' "$tmp/a" >"$tmp/c"
	same "similar names are suggested, seed $seed" "$tmp/b" "$tmp/c"
done
done_testing
