#!/bin/sh
# t173-attach-programs.t - cpa record -p on running programs of other languages, and on servers
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
trap 'kill -9 $started 2>/dev/null; rm -rf "$tmp"' EXIT
started='' least=95

sleep 5 &
sleeper=$! started=$!
"$CPA" record -p $sleeper -o p.pb.gz --top=0 --seconds=1 2>err
if ! grep -q 'sampled .* s of CPU time in 1 process' err; then
	echo "1..0 # SKIP no perf events: $(head -n 1 err | tr '#' ' ')"
	exit 0
fi

skip() { # PROGRAM REASON
	ok 0 "$1: stacks reach the start # SKIP $2"
	ok 0 "$1: its functions have names # SKIP $2"
}

check() { # PROGRAM PID FUNCTION...: sample the process; stacks must contain these functions
	program=$1 sampled=$2
	shift 2
	"$CPA" record -p "$sampled" -o p.pb.gz --top=0 --seconds=2 2>err
	complete=$(sed -n 's/^cpa: sampled .* \([0-9.]*\) % complete.*/\1/p' err)
	between "$complete" "$least" 100 "$program: stacks reach the start"
	"$CPA" top -cum -nodecount=1000 p.pb.gz >functions 2>top.err
	missing=
	for function; do
		grep -Eq "$function" functions || missing="$missing $function"
	done
	[ -z "$missing" ]
	measured $? "$program: its functions have names" "not found:$missing; $(cat top.err)"
	kill -9 "$sampled" 2>/dev/null
}

start() { # COMMAND...: its process is in $pid
	"$@" >program.out 2>&1 &
	pid=$! started="$started $!"
	sleep 1.5
}

cat >work.cc <<'EOF'
#include <algorithm>
#include <string>
#include <vector>
int main()
{
	for (unsigned n = 0;; n++) {
		std::vector<std::string> v;
		for (unsigned i = 0; i < 2000; i++)
			v.push_back(std::to_string((i * 31 + n) % 2000));
		std::sort(v.begin(), v.end());
	}
}
EOF
if ${CXX:-c++} -O2 -s -o work work.cc 2>/dev/null; then
	start ./work
	check 'stripped C++' "$pid" '\[work\]' '__libc_start_main'
else
	skip 'stripped C++' 'no C++ compiler'
fi

cat >work.py <<'EOF'
import json
def inner():
    return json.dumps([str(i) for i in range(3000)])
def outer():
    return inner()
while True:
    outer()
EOF
if command -v python3 >/dev/null; then
	start python3 work.py
	check Python "$pid" '_PyEval_EvalFrameDefault|PyEval_EvalCode|\[python3' '__libc_start_main|_start|\[python3'
else
	skip Python 'no python3'
fi

cat >work.go <<'EOF'
package main

import "sort"

func inner(n int) int {
	a := make([]int, n)
	for i := range a {
		a[i] = (i * 7919) % n
	}
	sort.Ints(a)
	return a[n/2]
}

func main() {
	for {
		inner(20000)
	}
}
EOF
if command -v go >/dev/null && GOFLAGS=-mod=mod go build -o work-go work.go 2>/dev/null; then
	start ./work-go
	least=90 # stacks of signals continue on another stack
	check Go "$pid" 'main\.inner' 'main\.main' 'runtime\.main'
	least=95
else
	skip Go 'no Go compiler'
fi

cat >work.js <<'EOF'
function inner(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i); return s; }
function outer() { let s = 0; for (let i = 0; i < 100; i++) s += inner(20000); return s; }
for (let t = 0;; ) t += outer();
EOF
if command -v node >/dev/null; then
	start node --perf-basic-prof work.js
	check Node "$pid" 'outer' '_start|main'
	rm -f "/tmp/perf-$pid.map"
else
	skip Node 'no node'
fi

cat >Work.java <<'EOF'
public class Work {
	static long sum;
	static void inner(int n) { for (int i = 0; i < n; i++) sum += i * 31L + (sum >> 3); }
	static void outer() { for (int i = 0; i < 100; i++) inner(100000); }
	public static void main(String[] a) { while (true) outer(); }
}
EOF
if command -v javac >/dev/null && javac Work.java 2>/dev/null; then
	start java -XX:+PreserveFramePointer -cp . Work
	command -v jcmd >/dev/null && jcmd "$pid" Compiler.perfmap >/dev/null 2>&1
	if [ -s "/tmp/perf-$pid.map" ]; then
		check Java "$pid" 'Work' 'JavaMain|start_thread'
		rm -f "/tmp/perf-$pid.map"
	else
		check Java "$pid" 'JavaMain|start_thread'
	fi
else
	skip Java 'no Java compiler'
fi

if command -v redis-server >/dev/null && command -v redis-benchmark >/dev/null; then
	start redis-server --port 0 --unixsocket "$tmp/redis" --save ''
	redis-benchmark -s "$tmp/redis" -q -l -t lrange_100 >/dev/null 2>&1 &
	load=$! started="$started $!"
	sleep 0.5
	check redis "$pid" 'aeMain|\[redis|main'
	kill -9 $load
else
	skip redis 'no redis-server'
fi
wait 2>/dev/null
done_testing
