#!/bin/sh
# t122-deep.t - running processes whose stacks are larger than the copies, or continue on another stack
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
trap 'kill -9 $started 2>/dev/null; rm -rf "$tmp"' EXIT
started=

sample() { # COMMAND...: sample it into p.pb.gz; the share of complete stacks is in $complete
	"$@" >/dev/null &
	started="$started $!"
	sleep 0.5
	"$CPA" record -p $! --seconds=2 -o p.pb.gz --top=0 2>err
	kill -9 $!
	complete=$(sed -n 's/^cpa: sampled .* \([0-9.]*\) % complete.*/\1/p' err)
}

compile deep -fomit-frame-pointer
sample ./deep still 60
if ! grep -q 'sampled .* s of CPU time in 1 process' err; then
	echo "1..0 # SKIP no perf events: $(head -n 1 err | tr '#' ' ')"
	exit 0
fi
between "$complete" 97 100 'stacks larger than the copy are complete'
between "$(share p.pb.gz main)" "$(($(total p.pb.gz) * 97 / 100))" "$(total p.pb.gz)" 'they reach main'

sample ./deep moves 60
"$CPA" traces p.pb.gz 2>/dev/null | awk '
	/^---/ { last = "" }
	$NF ~ /^deep_(odd|even)$|^main$/ {
		bad += $NF == last || ($NF == "main" && last == "deep_odd")
		last = $NF
		n++
	}
	END { print bad + 0, (n > 100 ? "many" : n) }' >frames
is "$(cat frames)" '0 many' 'no stack joins frames of two moments when the depth changes'

cat >work.go <<'EOF'
package main

type node struct {
	l, r *node
	data [200]byte
}

//go:noinline
func build(n int) *node {
	if n == 0 {
		return &node{}
	}
	return &node{l: build(n - 1), r: build(n - 1)}
}

func main() {
	for {
		build(12)
	}
}
EOF
if command -v go >/dev/null && GOFLAGS=-mod=mod go build -o work-go work.go 2>/dev/null; then
	sample ./work-go
	case $(go env GOVERSION) in go1.1* | go1.20*) least=94 ;; *) least=96 ;; esac # 1.19: 95.6 measured
	between "$complete" "$least" 100 'Go: a stack on the system stack continues on that of the goroutine'
	"$CPA" traces p.pb.gz 2>/dev/null | awk '
		/^---/ { is_system = 0 }
		$NF ~ /^runtime.systemstack/ { is_system = 1 }
		is_system && $NF == "runtime.goexit.abi0" { n++ }
		END { exit !n }'
	measured $? 'a stack has runtime.systemstack and the start of its goroutine' "$(cat err)"
else
	ok 0 'Go: stacks # SKIP no Go compiler'
fi
done_testing
