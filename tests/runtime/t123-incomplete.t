#!/bin/sh
# t123-incomplete.t - a recording with incomplete stacks names the reason, the file and the remedy
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
trap 'kill -9 $started 2>/dev/null; rm -rf "$tmp"' EXIT
started=
compile deep -O2 -fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables
reason='end in code without call frame information and without frame pointers'
remedy='compile it with -fno-omit-frame-pointer or -fasynchronous-unwind-tables'

"$CPA" run --hz=1000 --cpu=p.pb.gz -- ./deep still 1 2>err
is "$(sed -n 's/^cpa: [0-9.]*% of the stacks of \(.*\) are complete: [0-9]* \(.*\)/\1 \2/p' err)" \
	"deep $reason; $remedy" 'cpa run'
"$CPA" run --follow --hz=1000 --cpu=q.pb.gz -- sh -c './deep still 1; true' 2>err
is "$(sed -n 's/^cpa: [0-9.]*% of the stacks of \(.*\) are complete: [0-9]* \(.*\)/\1 \2/p' err)" \
	"deep $reason; $remedy" 'a program that the program starts'
compile deep
"$CPA" run --hz=1000 --cpu=p.pb.gz -- ./deep still 1 2>err
is "$(grep -c 'are complete' err)" 0 'complete stacks need no message'

sleep 5 &
started=$!
"$CPA" record -p $! -o p.pb.gz --top=0 --seconds=0.1 2>err
if grep -q 'sampled 1 process, in wall' err; then
	ok 0 "running processes # SKIP no perf events: $(head -n 1 err | tr '#' ' ')"
	done_testing
	exit 0
fi
compile deep -O2 -fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables
./deep still 60 &
started="$started $!"
sleep 0.3
"$CPA" record -p $! -o p.pb.gz --top=0 --seconds=1 --hz=500 2>err
is "$(sed -n 's/^cpa: [0-9.]*% of the stacks of \(.*\) are complete: [0-9]* \(.*\)/\1 \2/p' err)" \
	"deep $reason (most in deep); $remedy" 'cpa record -p names the file'

cat >Work.java <<'EOF'
public class Work {
	static long sum;
	static void inner(int n) { for (int i = 0; i < n; i++) sum += i * 31L + (sum >> 3); }
	public static void main(String[] a) { while (true) inner(100000); }
}
EOF
if command -v javac >/dev/null && javac Work.java 2>/dev/null; then
	java -cp . Work &
	started="$started $!"
	sleep 1.5
	"$CPA" record -p $! -o p.pb.gz --top=0 --seconds=1 --hz=500 2>err
	is "$(sed -n 's/^cpa: .* of the stacks of java are complete: .*; //p' err)" 'start Java with -XX:+PreserveFramePointer' \
		'Java has its own remedy'
else
	ok 0 'Java has its own remedy # SKIP no Java compiler'
fi
done_testing
