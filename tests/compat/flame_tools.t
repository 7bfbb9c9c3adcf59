#!/bin/sh
# flame_tools.t - inferno and speedscope show our stacks with the numbers of cpa top
# SPDX-License-Identifier: Apache-2.0
#
# inferno comes from PATH (cargo install inferno). SPEEDSCOPE is the folder of the npm package, whose page is opened
# in chromium without a network.
. "${top_srcdir:?}/tests/cli/lib.sh"
check=$top_srcdir/tests/compat/flame_tools.py
python=${PYTHON3:-python3}

# numbers FILE: flat and cum of all functions, from cpa top
numbers() {
	"$CPA" top --json -nodecount=0 -nodefraction=0 "$1" >"$tmp/top.json" 2>"$tmp/err"
}

profiles='go-cpu.pb.gz cpp-cpu.pb.gz rust-cpu.pb.gz node-wall.pb.gz go-heap2.pb.gz java.cpu edge/recursion.pb.gz'
for f in $profiles; do
	what="inferno-flamegraph draws the folded stacks of $f with the cum of top"
	command -v inferno-flamegraph >/dev/null || { result 0 "$what # SKIP no inferno" && continue; }
	numbers "$f"
	"$CPA" flame -o "$tmp/x.folded" "$f" 2>"$tmp/err" &&
		inferno-flamegraph --minwidth 0 <"$tmp/x.folded" >"$tmp/x.svg" 2>"$tmp/err" &&
		"$python" "$check" inferno "$tmp/top.json" "$tmp/x.folded" "$tmp/x.svg" >"$tmp/said" 2>&1
	status=$?
	[ $status -eq 0 ] || note "$tmp/said"
	result $status "$what"
done

# A comparison has the same two columns as inferno's own comparison of two files.
export LC_ALL=C
for pair in 'go-heap1.pb.gz go-heap2.pb.gz' 'cpp-cpu.pb.gz rust-cpu.pb.gz' 'compare/words-base.pb.gz compare/words-new.pb.gz'; do
	what="flame -base writes the columns of inferno-diff-folded: $pair"
	command -v inferno-diff-folded >/dev/null || { result 0 "$what # SKIP no inferno" && continue; }
	for f in $pair; do
		"$CPA" flame --format=folded "$f" >"$tmp/$(basename "$f").folded"
	done
	inferno-diff-folded "$tmp/$(basename "${pair% *}").folded" "$tmp/$(basename "${pair#* }").folded" | sort >"$tmp/want"
	"$CPA" flame --format=folded -base "${pair% *}" "${pair#* }" | sort >"$tmp/got"
	same "$what" "$tmp/want" "$tmp/got"
done
export LC_ALL=C.UTF-8

release=${SPEEDSCOPE:-/nowhere}/dist/release
for f in $profiles; do
	what="speedscope shows $f with the cum and flat of top"
	[ -f "$release/index.html" ] || { result 0 "$what # SKIP no SPEEDSCOPE" && continue; }
	command -v chromium >/dev/null || { result 0 "$what # SKIP no chromium" && continue; }
	numbers "$f"
	"$CPA" flame -o "$tmp/x.json" "$f" 2>"$tmp/err" && "$python" "$check" wrap "$tmp/x.json" >"$tmp/x.js" &&
		timeout 60 chromium --headless=new --no-sandbox --enable-unsafe-swiftshader --allow-file-access-from-files \
			--user-data-dir="$tmp/chromium" --virtual-time-budget=20000 --dump-dom \
			"file://$release/index.html#view=sandwich&localProfilePath=$tmp/x.js" >"$tmp/page" 2>"$tmp/err" &&
		"$python" "$check" speedscope "$tmp/top.json" "$tmp/page" >"$tmp/said" 2>&1
	status=$?
	[ $status -eq 0 ] || note "$tmp/said"
	result $status "$what"
done
done_testing
