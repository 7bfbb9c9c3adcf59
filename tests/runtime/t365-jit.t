#!/bin/sh
# t365-jit.t - names of code that programs generate at run time, and stacks through it
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"

case $(uname -m) in
x86_64) ;;
*)
	echo '1..0 # SKIP the generated code is for x86-64'
	exit
	;;
esac
tmp=${tmp:?} maps=
trap 'rm -rf "$tmp" $maps' EXIT
compile jit
compile jit -no-pie -Wl,-z,max-page-size=0x200000
mv jit gaps
compile jit

skip() { # N NAME REASON
	for i in $(seq "$1"); do
		count=$((count + 1))
		echo "ok $count - $2 ($i) # SKIP $3"
	done
}

forget() { # remove the map of the last program, whose pid is in out
	maps="$maps /tmp/perf-$(head -n 1 out).map"
	rm -f "/tmp/perf-$(head -n 1 out).map"
}

whole_percent() {
	"$CPA" comments p.pb.gz | sed -n 's/^stacks, complete: .*(\(.*\)%).*/\1/p'
}

guessed_percent() {
	"$CPA" comments p.pb.gz | sed -n 's/^stacks with frames found without .*(\(.*\)\...%).*/\1/p'
}

functions() { # [OPTION]...: the generated code in p.pb.gz, as cpa names it
	"$CPA" top -nodecount=0 -trim=false "$@" p.pb.gz 2>said | sed -n '/flat%/,$p' | sed 1d |
		awk '{ f = $6; for (i = 7; i <= NF; i++) f = f " " $i } f ~ /anon|make.it|loop|mangled|planted/ { print f }' |
		sort -u | tr '\n' ';'
}
all='_ZN3not7mangledEv;loop: /src/a b.js:7;make.it<int> (a, b);'

run 500 ./jit map .2
forget
is "$(functions -symbolize=none)" "$all" 'a perf map names generated code in the file; the last line for an address counts'
is "$(whole_percent)" 100.00 'stacks that reach the start through generated code are complete'
between "$(guessed_percent)" 60 100 'stacks with guessed frames are reported separately'
if command -v go >/dev/null; then
	is "$(go tool pprof -top -nodefraction=0 -symbolize=none p.pb.gz 2>/dev/null |
		sed -n 's/.*% *\(loop: .*\|make.it.*\|_ZN3not.*\)/\1/p' | sort | tr '\n' ';')" "$all" 'pprof shows these names'
else
	skip 1 'pprof shows these names' 'go not found'
fi
run 500 ./jit dump .2
is "$(functions -symbolize=none)" "$all" 'a jitdump that the program maps names generated code'
run 500 ./gaps map .1
forget
is "$(whole_percent)" 100.00 'stacks of an executable with gaps between its segments are complete'
"$CPA" record -- ./jit map .1 >out 2>err
forget
mv cpa-record.pb.gz p.pb.gz
is "$(functions -symbolize=none)" "$all" 'cpa record writes the names, too'

# files that may be planted
run 500 ./jit none .1
pid=$(head -n 1 out)
file=/tmp/perf-$pid.map
maps="$maps $file"
is "$(functions)" '[anon];' 'without files generated code has no names'
echo '0 7fffffffffff planted' >named.map
is "$(functions --jit=named.map)" 'planted;' '--jit names a perf map'
is "$(grep -c '^cpa: named [0-9]* addresses of code generated at run time$' said)" 1 'and the number of names is reported'
"$CPA" top --jit="$tmp" p.pb.gz >out2 2>said
is "$? $(tail -n 1 said)" "2 cpa: $tmp: not a regular file" 'a directory is refused'
printf 'DTiJ\1\0\0\0(\0\0\0>\0\0\0\0\0\0\0\1\0\0\0%16s\0\0\0\0\4\0\0\0%8s' '' '' >bad.dump
"$CPA" top --jit=bad.dump p.pb.gz >out2 2>said
is "$? $(tail -n 1 said)" '2 cpa: bad.dump: the record at byte 40 has only 4 bytes' 'a damaged jitdump is an error with its position'
cp named.map "$file"
"$CPA" symbolize -o named.pb.gz p.pb.gz 2>said
cp p.pb.gz unnamed.pb.gz
cp named.pb.gz p.pb.gz
is "$(functions -symbolize=none)" 'planted;' 'symbolize reads the files of the process that the profile names'
cp unnamed.pb.gz p.pb.gz
touch -d '1 hour ago' "$file"
is "$(functions)" '[anon];' 'a file that is older than the profile is not used'
is "$(grep -c "^cpa: $file: ignored: it is older than the process$" said)" 1 'and that is reported'
rm -f "$file"
ln -s "$tmp/named.map" "$file"
is "$(functions)" '[anon];' 'a symbolic link in /tmp is not followed'
rm -f "$file"
mkfifo "$file"
is "$(functions)" '[anon];' 'a pipe in /tmp is not read'
rm -f "$file"
if [ "$(id -u)" = 0 ]; then
	cp named.map "$file"
	chown 65534 "$file"
	is "$(functions)" '[anon];' 'a file of another user is not read'
	# shellcheck disable=SC2016 # the inner shell expands it
	run 500 sh -c 'cp named.map /tmp/perf-$$.map; chown 65534 /tmp/perf-$$.map; exec ./jit none .1'
	forget
	is "$(functions) $(grep -c 'ignored: it belongs to another user' err)" '[anon]; 1' 'nor by cpa run, which reports it'
	rm -f "$file"
else
	skip 2 'a file of another user is not read' 'needs root'
fi

# a process with another /tmp, as in a container, and with another user
elsewhere=$(mktemp -d /var/tmp/cpa-jit-XXXXXX) || exit 1
trap 'rm -rf "$tmp" "$elsewhere" $maps' EXIT
mkdir -p "$elsewhere/libcpaprof" "$elsewhere/tmp"
cp "$(dirname "$CPA")/libcpaprof/libcpaprof.so" "$elsewhere/libcpaprof/" 2>/dev/null
cp "$CPA" jit "$elsewhere/"
# shellcheck disable=SC2016 # the inner shell expands it
if unshare -m sh -c 'mount --bind "$0" /tmp' "$elsewhere/tmp" 2>/dev/null && [ -e "$elsewhere/libcpaprof/libcpaprof.so" ] && "$elsewhere/cpa" version >/dev/null 2>&1; then
	here=$elsewhere
	(cd "$here" && ./cpa run --quiet --hz=500 --cpu=p.pb.gz -- unshare -m sh -c 'mount --bind ./tmp /tmp && exec ./jit map .3') >out 2>err
	cp "$here/p.pb.gz" p.pb.gz
	is "$(functions -symbolize=none)" "$all" 'the map of a process with another /tmp is found'
else
	skip 1 'the map of a process with another /tmp is found' 'cannot make a mount namespace'
fi

# real programs
cat >fib.js <<'EOF'
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
const end = process.cpuUsage().user + 500000;
console.log(process.pid);
while (process.cpuUsage().user < end) fib(22);
EOF
if node --perf-basic-prof -e 0 2>/dev/null; then
	node_fib="JS:*fib $tmp/fib.js:1:13"
	[ "$(node -p 'parseInt(process.versions.node)')" -ge 20 ] || node_fib="LazyCompile:*fib $tmp/fib.js:1"
	run 200 node --perf-basic-prof fib.js
	forget
	between "$(whole_percent)" 95 100 'stacks of Node are complete'
	within "$(share p.pb.gz "$node_fib" 1)" "$(total p.pb.gz)" 60 'Node names its functions in a perf map'
	run 200 node --perf-prof fib.js
	within "$(share p.pb.gz "$node_fib" 1)" "$(total p.pb.gz)" 60 'Node names its functions in a jitdump'
else
	skip 3 'Node names its functions' 'node not found, or it writes no perf maps'
fi

cat >Fib.java <<'EOF'
public class Fib {
	static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
	public static void main(String[] args) {
		long end = System.nanoTime() + 1000000000L, sum = 0;
		System.out.println(ProcessHandle.current().pid());
		while (System.nanoTime() < end) sum += fib(25);
		if (sum == 0) System.exit(1);
	}
}
EOF
dump='-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit'
# shellcheck disable=SC2086 # two options
if javac Fib.java 2>/dev/null && java $dump -version >out 2>&1; then
	run 200 java -XX:+PreserveFramePointer $dump Fib
	forget
	between "$(whole_percent)" 95 100 'stacks of Java with frame pointers are complete'
	between "$(share p.pb.gz 'int Fib.fib(int)')" 1 1000000000000 'Java names its functions in a perf map'
else
	skip 2 'Java names its functions' 'no Java compiler, or it writes no perf maps'
fi

cat >fib.py <<'EOF'
import os, time
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
print(os.getpid(), flush=True)
end = time.process_time() + .5
while time.process_time() < end:
    fib(20)
EOF
python=
for name in python3 python3.12 python3.13 python3.14 "$HOME"/.pyenv/versions/3.1[2-9]*/bin/python3; do
	[ "$("$name" -X perf -c 'import sys; print(sys.is_stack_trampoline_active())' 2>/dev/null)" = True ] && python=$name
done
if [ -n "$python" ]; then
	run 200 "$python" -X perf fib.py
	forget
	between "$(whole_percent)" 95 100 'stacks of Python with trampolines are complete'
	within "$(share p.pb.gz "py::fib:$tmp/fib.py")" "$(total p.pb.gz)" 30 'Python names its functions in a perf map'
else
	skip 2 'Python names its functions' 'no Python 3.12 or later with -X perf'
fi
done_testing
