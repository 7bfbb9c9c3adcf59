#!/bin/sh
# t124-brief.t - cpa record -p --follow: processes that end before their samples are read have mappings, names and stacks
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
trap 'kill -9 $started 2>/dev/null; rm -rf "$tmp"' EXIT
compile brief
cat >loop.sh <<'EOF'
sleep 1
i=0
while [ $i -lt 150 ]; do
	./brief 0.006
	i=$((i + 1))
done
i=0
while [ $i -lt 100 ]; do
	(x=0; while [ $x -lt 400 ]; do x=$((x + 1)); done)
	i=$((i + 1))
done
EOF
sh loop.sh &
started=$!
sleep 0.2
"$CPA" record -p $started --follow --hz=500 -o p.pb.gz --top=0 2>err
if ! grep -q 'sampled [0-9,]* processes\{0,1\} for [0-9.]*s: ' err; then
	echo "1..0 # SKIP no perf events: $(head -n 1 err | tr '#' ' ')"
	exit 0
fi
"$CPA" comments p.pb.gz >text
is "$(grep -c 'ended early have no stack' text)" 0 'no process ended too early to have mappings'
"$CPA" tags -sample_index=samples p.pb.gz >labels 2>/dev/null
is "$(grep -c '^ *[1-9].*): 0$' labels)" 0 'each sample has a process'
between "$(sed -n 's/^cpa: sampled .* \([0-9.]*\) % complete.*/\1/p' err)" 85 100 'their stacks are complete'
brief=$(share p.pb.gz brief_leaf)
between "$(share p.pb.gz main)" "$((brief * 95 / 100))" "$(total p.pb.gz)" 'main is in the stacks of the programs that were executed'
[ "${brief:-0}" -gt 300000000 ]
measured $? 'the programs have their CPU time' "brief_leaf $brief of $(total p.pb.gz)"
"$CPA" top -tagfocus=process=sh -nodecount=20 p.pb.gz >shells 2>/dev/null
grep -q 'dash\|bash\|sh' shells
measured $? 'children without exec have the mappings of their parent' "$(cat err)"
done_testing
