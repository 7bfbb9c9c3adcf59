"""programs.py - record real programs, and compare CPU time and stacks with the operating system and with perf

SPDX-License-Identifier: Apache-2.0

usage: programs.py CPA [NAME]...   prints a Markdown table; programs that are not installed are left out

Each command is recorded by "cpa record -- bash -c 'time COMMAND'". The CPU time of the operating system is what bash
prints for the command. In a second run "perf record --call-graph dwarf,65528" counts the stacks that reach the start of
their thread: one of the four outermost functions is one in which threads start.
"""
import os
import re
import subprocess
import sys
import tempfile

LOOP_C = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static volatile unsigned long sum;
__attribute__((noinline)) static void leaf(unsigned long n) { for (unsigned long i = 0; i < n; i++) sum += i; }
int main(void) { for (int i = 0; i < 200; i++) { leaf(2000000); memset(malloc(4096), i, 4096); } return 0; }
"""
RUBY = "def f(n) = f(n + 1)\n4.times { begin; f(0); rescue SystemStackError; end }\ns = 0\n8_000_000.times { |i| s += i % 7 }\nputs s\n"
JAVA = """public class P { static long f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
public static void main(String[] a) { System.out.println(f(43)); } }
"""
GO = """package main
import ("fmt"; "sort")
func main() { m := map[string]int{}; for i := 0; i < 2000000; i++ { m[fmt.Sprint(i%50000)] += i }
k := []string{}; for s := range m { k = append(k, s) }; sort.Strings(k); fmt.Println(len(k)) }
"""
RUST = """use std::collections::HashMap;
fn main() { let mut m = HashMap::new(); for i in 0..6_000_000u64 { *m.entry(i % 9973).or_insert(0u64) += i; } println!("{}", m.len()); }
"""
# name, words of commands that must exist, command that prepares, command that is recorded
PROGRAMS = [
    ("C, gcc -O2", "gcc", "gcc -O2 -g -o loop loop.c", "./loop"),
    ("C without frame information", "gcc", "gcc -O1 -fno-omit-frame-pointer -fno-asynchronous-unwind-tables -o bare loop.c", "./bare"),
    ("C, static", "gcc", "gcc -O2 -static -o static loop.c", "./static"),
    ("C, musl, static", "musl-gcc", "musl-gcc -O2 -static -o musl loop.c", "./musl"),
    ("bzip2", "bzip2", "", "bzip2 -k -c big > big.bz2"),
    ("gzip", "gzip", "", "gzip -c big > big.gz"),
    ("xz -T2", "xz", "", "xz -T2 -0 -k -c big > big.xz"),
    ("zstd -T2", "zstd", "", "zstd -T2 -15 -q -f -k big -o big.zst"),
    ("sort --parallel=2", "sort", "", "sort --parallel=2 lines > sorted"),
    ("grep -E", "grep", "", "grep -cE '(a|e).*(x|z)[0-9]+' lines lines lines"),
    ("sed", "sed", "", "sed -E 's/([a-z]+) ([0-9]+)/\\2 \\1/g' lines > edited"),
    ("mawk", "mawk", "", "mawk '{ for (i = 1; i <= NF; i++) n[$i]++ } END { print length(n) }' lines lines"),
    ("perl", "perl", "", "perl -ne 'for (split) { $n{$_}++ } END { print scalar(keys %n) }' lines lines"),
    ("tar", "tar", "", "tar -cf all.tar /usr/include /usr/share/doc"),
    ("sha256sum", "sha256sum", "", "sha256sum big big big big big big"),
    ("openssl speed", "openssl", "", "openssl speed -seconds 1 sha256 aes-128-cbc 2>/dev/null"),
    ("bc", "bc", "", "echo 'scale=1800; 4*a(1)' | bc -l"),
    ("jq", "jq", "", "jq -c '.[] | {a: .a, b: (.b | tostring)}' data.json > out.json"),
    ("sqlite3", "sqlite3", "", "sqlite3 :memory: 'with recursive c(x) as (select 1 union all select x+1 from c where x<1500000) select count(*), sum(x%7) from c group by x%11;'"),
    ("git log", "git", "", f"git -C {os.path.dirname(os.path.abspath(__file__))} log --stat -n 400 --format=%H > log"),
    ("find", "find", "", "find /usr /var -newer /etc/passwd -name '*.so*' > found"),
    ("xmllint", "xmllint", "", "xmllint --noout data.xml data.xml data.xml"),
    ("objdump", "objdump", "", "objdump -d /usr/bin/perl > perl.s"),
    ("nm -C", "nm", "", "nm -C /usr/lib/x86_64-linux-gnu/libstdc++.a > names 2>/dev/null"),
    ("gdb", "gdb", "", "gdb -batch -ex 'info functions ^re' /usr/bin/python3 > functions 2>&1"),
    ("dot", "dot", "", "dot -Tsvg graph.dot > graph.svg"),
    ("vim", "vim", "", "vim -Nu NONE -es -c ':%s/a/bb/g' -c ':%s/b/aa/g' -c ':q!' lines"),
    ("tclsh", "tclsh", "", "echo 'for {set i 0} {$i < 3000000} {incr i} {incr s [expr {$i % 7}]}; puts $s' | tclsh"),
    ("dash", "dash", "", "dash -c 'i=0; while [ $i -lt 700000 ]; do i=$((i+1)); done'"),
    ("600 short programs", "dash", "", "dash -c 'i=0; while [ $i -lt 600 ]; do /bin/true; i=$((i+1)); done'"),
    ("gcc -O2", "gcc", "", "gcc -O2 -c unit.c -o unit.o"),
    ("g++ with templates", "g++", "", "g++ -O1 -c unit.cc -o unit.o"),
    ("clang -O2", "clang", "", "clang -O2 -c unit.c -o unit.o"),
    ("rustc", "rustc", "", "rustc -O -o rust p.rs"),
    ("a program in Rust", "rustc", "rustc -O -g -o rust p.rs", "./rust"),
    ("make -j2", "make gcc", "", "make -s -B -j2 -f makefile"),
    ("configure", "gcc", "", f"{os.path.dirname(os.path.abspath(__file__))}/../../configure -q > configured 2>&1"),
    ("cmake", "cmake gcc", "mkdir -p cm && printf 'project(p C)\\nadd_executable(p loop.c)\\n' > cm/CMakeLists.txt && cp loop.c cm", "cmake -S cm -B cm/b > cmaked"),
    ("Python", "python3", "", "python3 -c 's = 0\nfor i in range(12000000): s += i % 7\nprint(s)'"),
    ("Ruby with rescued stack errors", "ruby", "", "ruby p.rb"),
    ("Node", "node", "", "node -e 'let s = 0; for (let i = 0; i < 4e8; i++) s += i % 7; console.log(s)'"),
    ("Java", "java javac", "javac P.java", "java P"),
    ("Java -XX:+PreserveFramePointer", "java javac", "javac P.java", "java -XX:+PreserveFramePointer P"),
    ("LuaJIT", "luajit", "", "luajit -e 'local s = 0; for i = 1, 1e9 do s = s + i % 7 end print(s)'"),
    ("go build", "go", "", "GOFLAGS=-mod=mod GOCACHE=$PWD/cache go build -o gob p.go"),
    ("a program in Go", "go", "go build -o gob p.go", "./gob"),
    ("Chromium", "chromium", "", "timeout 20 chromium --headless --no-sandbox --disable-gpu --user-data-dir=$PWD/profile --virtual-time-budget=4000 --dump-dom file://$PWD/page.html > page.out 2>/dev/null"),
    ("redis", "redis-server redis-benchmark", "", "bash servers.sh redis"),
    ("memcached", "memcached", "", "bash servers.sh memcached"),
    ("PostgreSQL by its first process", "postgres", "", "bash servers.sh postgres"),
]
SERVERS = r"""
case $1 in
redis) redis-server --port 7399 --save '' --daemonize no >/dev/null & p=$!
	sleep 0.5; redis-benchmark -p 7399 -n 60000 -q -t set,get >/dev/null; kill $p; wait $p ;;
memcached) memcached -u root -p 7398 >/dev/null & p=$!
	sleep 0.5; python3 -c '
import socket
s = socket.create_connection(("127.0.0.1", 7398)); f = s.makefile("rb")
for i in range(40000):
    s.sendall(b"set k%d 0 0 100\r\n%s\r\n" % (i, b"x" * 100)); f.readline()'; kill $p; wait $p ;;
postgres) rm -rf db; mkdir db; chown nobody db; chmod 755 .
	su nobody -s /bin/bash -c "PATH=$PATH; initdb -D $PWD/db >/dev/null && pg_ctl -w -D $PWD/db -o '-p 7397 -k /tmp' -l $PWD/db/log start >/dev/null
		for i in 1 2 3; do psql -h /tmp -p 7397 -d postgres -c 'select count(*), sum(x % 7) from generate_series(1, 1500000) x' >/dev/null; done
		pg_ctl -D $PWD/db stop >/dev/null" ;;
esac
"""
ROOTS = re.compile(r"^(_start|__libc_start_main.*|__libc_start_call_main|start_thread|clone3?|__clone3?|ret_from_fork.*|"
                   r"runtime\.(goexit|mstart|mcall|rt0_go|systemstack_switch).*|_rt0_amd64.*|_dl_start.*|kthread|asm_.*|entry_SYSCALL.*)$")


def prepare():
    with open("loop.c", "w") as f:
        f.write(LOOP_C)
    for name, text in (("p.rb", RUBY), ("P.java", JAVA), ("p.go", GO), ("p.rs", RUST), ("servers.sh", SERVERS)):
        with open(name, "w") as f:
            f.write(text)
    with open("lines", "w") as f:
        f.writelines(f"word{i * 7919 % 100003} {i} axe{i % 977} zebra {i * 31 % 65537}\n" for i in range(600000))
    with open("big", "wb") as f:
        f.write(open("lines", "rb").read())
    with open("data.json", "w") as f:
        f.write("[" + ",".join(f'{{"a":{i},"b":[{i},"x{i}"]}}' for i in range(300000)) + "]")
    with open("data.xml", "w") as f:
        f.write("<r>" + "".join(f"<e id='{i}'>text {i}</e>" for i in range(400000)) + "</r>")
    with open("graph.dot", "w") as f:
        f.write("digraph {" + "".join(f"n{i} -> n{i * 7 % 400};" for i in range(1, 400)) + "}")
    with open("unit.c", "w") as f:
        f.writelines(f"int f{i}(int *a, int n) {{ int s = {i}; for (int k = 0; k < n; k++) s += a[k] * (k ^ {i}); return s; }}\n" for i in range(2500))
    with open("unit.cc", "w") as f:
        f.write("#include <map>\n#include <regex>\n#include <string>\n#include <vector>\n#include <algorithm>\n")
        f.writelines(f"int g{i}(std::map<int, std::vector<std::string>> m) {{ return (int)m[{i}].size(); }}\n" for i in range(60))
        f.write('bool h(const std::string &s) { return std::regex_match(s, std::regex("a.*b")); }\n')
    with open("makefile", "w") as f:
        f.write("all: " + " ".join(f"o{i}.o" for i in range(8)) + "\no%.o: loop.c\n\tgcc -O2 -c -o $@ loop.c\n")
    with open("page.html", "w") as f:
        f.write("<p id=p></p><script>let s = 0; for (let i = 0; i < 3e8; i++) s += i % 7; p.textContent = s</script>")


def record(cpa, command):
    """CPU seconds of the operating system and of the profile, those with a stack, the share of complete stacks, messages."""
    for name in ("p.pb.gz",):
        if os.path.exists(name):
            os.remove(name)
    script = f"TIMEFORMAT='cpu %U %S'; time {{ {command}\n}}"
    done = subprocess.run([cpa, "record", "--top=0", "-o", "p.pb.gz", "--", "bash", "-c", script],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    used = re.search(r"^cpu ([\d.]+) ([\d.]+)$", done.stderr, re.M)
    line = re.search(r"sampled ([\d.]+) of ([\d.]+) s of CPU time in \d+ process\w*(?:, ([\d.e+]+) % complete)?", done.stderr)
    if not used or not line:
        return None
    notes = [x for x in done.stderr.splitlines() if x.startswith("cpa: ") and not re.match("cpa: (wrote|sampled)", x)]
    return (float(used[1]) + float(used[2]), float(line[2]), float(line[1]), float(line[3] or 0), notes)


def perf_complete(command):
    """Share of stacks that reach the start of their thread, in percent; None: perf does not work here."""
    done = subprocess.run(["perf", "record", "-q", "-F", "100", "--call-graph", "dwarf,65528", "-o", "perf.data", "--",
                           "bash", "-c", command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if not os.path.exists("perf.data"):
        return None
    try:
        text = subprocess.run(["perf", "script", "--no-inline", "-F", "comm,ip,sym", "-i", "perf.data"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, errors="replace", timeout=120).stdout
    except subprocess.TimeoutExpired:
        return None
    finally:
        os.remove("perf.data")
    del done
    stacks = [x for x in text.split("\n\n") if x.strip()]
    full = 0
    for stack in stacks:
        # the outermost functions of stripped programs have no names
        names = [x.split(None, 1)[1].split("+")[0].strip() for x in stack.strip().splitlines()[-4:] if len(x.split(None, 1)) == 2]
        full += any(ROOTS.match(x) for x in names)
    return 100 * full / len(stacks) if stacks else None


def main():
    cpa, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:]
    print("| program | CPU time, system | in the profile | with a stack | complete | perf dwarf,65528 |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        prepare()
        for name, needs, before, command in PROGRAMS:
            if (wanted and name not in wanted) or any(subprocess.run(["which", x], stdout=subprocess.DEVNULL).returncode for x in needs.split()):
                continue
            if before and subprocess.run(["bash", "-c", before], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
                print(f"# {name}: cannot be prepared", file=sys.stderr)
                continue
            got = record(cpa, command)
            if not got:
                print(f"# {name}: no profile", file=sys.stderr)
                continue
            used, total, sampled, complete, notes = got
            perf = perf_complete(command)
            print(f"| {name} | {used:.2f} s | {100 * total / used if used else 0:.0f} % | {100 * sampled / total if total else 0:.0f} % | "
                  f"{complete:.0f} % | {'' if perf is None else f'{perf:.0f} %'} |", flush=True)
            for note in notes:
                print(f"# {name}: {note}", file=sys.stderr, flush=True)


main()
