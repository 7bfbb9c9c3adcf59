#!/bin/sh
# unwind_compare.sh - walk each sample of real programs with cpa and with libunwind, and compare their cost
# SPDX-License-Identifier: Apache-2.0
# usage: tests/runtime/unwind_compare.sh [BUILD] [PROGRAM [ARG]...]     needs libunwind-dev
# Without a program: python3, cc1, clang, perl and xz. Report the load of the machine with the numbers.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$top/build}
[ $# -eq 0 ] || shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
gcc -std=gnu17 -O3 -fPIC -fvisibility=hidden -shared -I"$build" -I"$top/src" -o "$tmp/compare.so" \
	"$top"/src/libcpaprof/target/unwind/*.c "$top/tests/runtime/unwind_compare.c" -lunwind
UNWIND_COMPARE_OUT=$tmp/out
export UNWIND_COMPARE_OUT
watch() { LD_PRELOAD=$tmp/compare.so "$@" >/dev/null; }

if [ $# -gt 0 ]; then
	watch "$@"
	cat "$tmp/out"
	exit
fi
cat >"$tmp/work.py" <<'END'
import json, random, re
random.seed(1)
class Node:
    def __init__(self, d): self.kids = [Node(d - 1) for _ in range(3)] if d else []
    def size(self): return 1 + sum(map(Node.size, self.kids))
for i in range(40):
    Node(8).size()
    json.loads(json.dumps([{str(k): [random.random() for _ in range(20)]} for k in range(2000)]))
    re.findall(r'(a|b)*c', 'abababc' * 2000)
    sorted(range(100000), key=lambda x: -x)
END
cat >"$tmp/work.pl" <<'END'
my %h; for my $i (1..2000000) { my $s = "k" . ($i * 7919 % 100003); $h{$s} .= $i; $s =~ s/(\d)(\d)/$2$1/g; }
my @a = sort { $h{$a} cmp $h{$b} } keys %h;
sub f { my $n = shift; $n < 2 ? $n : f($n - 1) + f($n - 2) } print scalar(@a), f(24), "\n";
END
awk 'BEGIN { srand(3); for (i = 0; i < 600; i++) {
	printf "static int f%d(int n, double *v) { int r = n; for (int i = 0; i < n; i++) { switch (i * %d %% 7) {", i, rand() * 99
	printf " case 0: r += i; break; case 1: v[i %% 16] *= %d; break; case 2: r ^= n; break; default:", i
	printf " for (int k = 0; k < 16; k++) v[k] += v[(k + i) %% 16] * %f; } } return r + %s; }\n", rand(), i ? "f" int(rand() * i) "(n - 1, v)" : 0 }
	printf "int main(int c, char **a) { double v[16] = { 0 }; (void)a; return 0"; for (i = 0; i < 600; i++) printf " + f%d(c, v)", i
	print "; }" }' >"$tmp/work.c"
/usr/bin/python3 -c 'import random
for i in range(1000000): print(random.random(), i * 7919 % 1000003)' >"$tmp/lines"

watch /usr/bin/python3 "$tmp/work.py"
watch "$(gcc -print-prog-name=cc1)" -quiet -O2 "$tmp/work.c" -o /dev/null
watch clang -O2 -c "$tmp/work.c" -o /dev/null
watch perl "$tmp/work.pl"

watch xz -T1 -3 -c "$tmp/lines"
cat "$tmp/out"
