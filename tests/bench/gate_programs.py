"""gate_programs.py - error rate of cpa gate for real programs in which nothing changed

SPDX-License-Identifier: Apache-2.0

usage: [ONLY=NAME,...] [WRAP=COMMAND] gate_programs.py CPA [RUNS [BUSY [KEEP]]]   prints a Markdown table; programs that are not installed are left out

RUNS recordings of each program (default 6), one after another in turn, beside BUSY processes that use a processor
(default 0), are compared in all ordered pairs, and in all ordered pairs of disjoint triples of which one contains the
first recording. Every FAIL is false; the functions that failed are listed. KEEP: the directory of the recordings. ONLY: these programs.
WRAP: a command that runs each program, for example in a container: its arguments are bash -c PROGRAM.
"""
import itertools
import json
import os
import subprocess
import sys
import tempfile

WORK_GO = """package main
import ("fmt"; "sort"; "strings")
type node struct { left, right *node; key int }
func (n *node) add(key int) *node { if n == nil { return &node{key: key} }
if key < n.key { n.left = n.left.add(key) } else { n.right = n.right.add(key) }; return n }
func build(seed int) *node { var t *node; for i := 0; i < 60000; i++ { seed = seed * 1103515245 + 12345; t = t.add(seed >> 7 & 0xffffff) }; return t }
func words(n int) int { m := map[string]int{}; for i := 0; i < n; i++ { m[strings.Repeat("x", i%9) + fmt.Sprint(i%5000)]++ }
k := []string{}; for s := range m { k = append(k, s) }; sort.Strings(k); return len(k) }
func main() { s := 0; for i := 0; i < 24; i++ { if build(i) != nil { s += words(150000) } }; fmt.Println(s) }
"""
WORK_JS = """const text = JSON.stringify(Array.from({length: 3000}, (_, i) => ({id: i, name: 'n' + i % 97, tags: [i, i * 2]})));
let n = 0; for (let i = 0; i < 700; i++) { const a = JSON.parse(text); a.sort((x, y) => x.name < y.name ? -1 : 1); n += a.filter(o => o.id % 3).map(o => o.name.length).reduce((x, y) => x + y); }
console.log(n);
"""
WORK_JAVA = """import java.util.*;
public class Work { static int words(int n) { Map<String, Integer> m = new TreeMap<>(); for (int i = 0; i < n; i++) m.merge("w" + i * 31 % 7919, 1, Integer::sum); return m.size(); }
static int sorted(int n) { List<String> l = new ArrayList<>(); for (int i = 0; i < n; i++) l.add(Integer.toString(i * 7919 % n)); Collections.sort(l); return l.get(n / 2).length(); }
public static void main(String[] a) { int s = 0; for (int i = 0; i < 14; i++) s += words(250000) + sorted(120000); System.out.println(s); } }
"""
WORK_PY = """import re, json
words = open('lines').read(3000000).split()
count = {}
for _ in range(6):
    for w in words: count[w] = count.get(w, 0) + 1
    s = sorted(count, key=lambda w: (count[w], w)); json.dumps(s); re.findall(r'[aeiou][0-9]+', ' '.join(s))
"""
SQL = ("with recursive c(x) as (select 1 union all select x+1 from c where x<2500000) "
       "select count(*), sum(x%7), max(x||'a') from c group by x%11;")
# name, words of commands that must exist, command that prepares, command that is recorded
PROGRAMS = [
    ("sqlite3", "sqlite3", "", f"sqlite3 :memory: \"{SQL}\""),
    ("python", "python3", "", "/usr/bin/python3 work.py"),
    ("gzip", "gzip", "", "gzip -9 -c lines > lines.gz"),
    ("xz", "xz", "", "xz -T1 -4 -c lines > lines.xz"),
    ("sort", "sort", "", "sort lines lines lines > sorted"),
    ("git", "git", "", "git -C repo log -p --stat --format=%H > log"),
    ("gcc", "gcc", "", "gcc -O2 -c -o o.o source.c"),
    ("awk", "awk", "", "awk '{ for (i = 1; i <= NF; i++) n[$i]++ } END { print length(n) }' lines lines lines lines"),
    ("perl", "perl", "", "perl -ne 'for (split) { $n{$_}++ } END { print scalar(keys %n) }' lines lines lines lines"),
    ("openssl speed", "openssl", "", "openssl speed -seconds 1 sha256 2>/dev/null"),
    ("C++, g++ -O2", "g++", "g++ -O2 -g -o cxx work.cc", "./cxx"),
    ("Go", "go", "go build -o gowork work.go", "./gowork"),
    ("Java", "java javac", "javac Work.java",
     "java -XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit Work"),
    ("Node", "node", "", "node --perf-basic-prof --interpreted-frames-native-stack work.js"),
]
WORK_CC = """#include <algorithm>
#include <iostream>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>
int main() { std::unordered_map<std::string, int> n; std::map<int, std::string> names; unsigned s = 1;
for (int i = 0; i < 4000000; i++) { s = s * 1103515245 + 12345; n["w" + std::to_string(s >> 16)]++; names[s >> 12] = "x"; }
std::vector<std::string> k; for (auto &e : n) k.push_back(e.first); std::sort(k.begin(), k.end()); std::cout << k.size() << names.size() << "\\n"; }
"""


def shell(command, **options):
    return subprocess.run(["bash", "-c", command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, **options).returncode


def write(name, text):
    with open(name, "w", encoding="utf-8") as f:
        f.write(text)


def prepare():
    state, lines = 1, []
    for i in range(350000):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        lines.append(f"{state >> 40:x} word{state >> 50} {i % 997} {'abcdefghij'[state >> 61:]}{state >> 55}")
    write("lines", "\n".join(lines) + "\n")
    write("work.py", WORK_PY)
    write("work.go", WORK_GO)
    write("work.js", WORK_JS)
    write("Work.java", WORK_JAVA)
    write("work.cc", WORK_CC)
    body = "\n".join(f"int f{i}(int *a, int n) {{ int s = {i}; for (int i = 0; i < n; i++) {{ s += a[i] * {i % 7 + 1}; if (s > {i * 31}) "
                     f"s -= a[(i + {i}) % n]; switch (s & 7) {{ case 0: s++; break; case 3: s ^= n; break; default: a[i] = s; }} }} return s; }}"
                     for i in range(1200))
    write("source.c", body + "\n")
    shell("git init -q repo; cd repo; git config user.email a@b; git config user.name n; for i in $(seq 60); do "
          "split -n l/$i/61 ../lines > part; cat part >> all; git add all; git commit -qm $i; done")


def record(cpa, runs):
    """The recordings of each program, in turn, so that changes of the machine affect all of them."""
    found = {}
    only, wrap = os.environ.get("ONLY", ""), os.environ.get("WRAP", "")
    usable = [p for p in PROGRAMS if (not only or p[0] in only.split(",")) and all(shell(f"command -v {word}") == 0 for word in p[1].split()) and (not p[2] or shell(p[2]) == 0)]
    for i in range(runs):
        for number, (name, _, _, command) in enumerate(usable):
            file = os.path.abspath(f"p{number}-{i}.pb.gz")
            if not os.path.exists(file):
                shell(f"{cpa} record --hz=250 -o {file} -- {wrap} bash -c {json.dumps(command).replace('$', chr(92) + '$')}")
            if os.path.exists(file):
                found.setdefault(name, []).append(file)
    return found


def gate(cpa, base, new):
    """The exit status, the functions that failed, and the samples of the base."""
    result = subprocess.run([cpa, "gate", "--json", *["-base=" + b for b in base], *new], capture_output=True, text=True, check=False)
    try:
        answer = json.loads(result.stdout)
    except ValueError:
        return 2, [result.stderr.strip()], 0
    rows = [(r["name"] or "(all)", r.get("ratio")) for r in answer["rows"] if r["verdict"] == "fail"]
    return result.returncode, [f"{name} x{ratio or 0:.2f}" for name, ratio in rows], answer.get("base", {}).get("samples", 0)


def judge(cpa, pairs):
    counts, failed = {}, []
    for base, new in pairs:
        status, names, _ = gate(cpa, base, new)
        counts[status] = counts.get(status, 0) + 1
        if status in (1, 2):
            failed.append(f"{os.path.basename(base[0])} {os.path.basename(new[0])}: " + ", ".join(names[:4]))
    return counts, failed


def triples(files):
    for first in itertools.combinations(range(len(files)), 3):
        rest = [i for i in range(len(files)) if i not in first]
        if 0 in first:
            for second in itertools.combinations(rest, 3):
                a, b = [files[i] for i in first], [files[i] for i in second]
                yield a, b
                yield b, a


def main():
    cpa = os.path.abspath(sys.argv[1])
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 6
    n_busy = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    with tempfile.TemporaryDirectory() as own:
        os.chdir(sys.argv[4] if len(sys.argv) > 4 else own)
        if not os.path.exists("lines"):
            prepare()
        busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(n_busy)]
        try:
            found = record(cpa, runs)
        finally:
            for process in busy:
                process.kill()
        print("| program | samples | pairs | FAIL | PASS | cannot tell | triples | FAIL | PASS | cannot tell |")
        print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
        notes, total = [], [0] * 8
        for name, files in found.items():
            cells = []
            for sets in ([([a], [b]) for a, b in itertools.permutations(files, 2)], list(triples(files))):
                counts, failed = judge(cpa, sets)
                cells += [len(sets), counts.get(1, 0) + counts.get(2, 0), counts.get(0, 0), counts.get(3, 0)]
                notes += [f"{name}: {f}" for f in failed]
            samples = gate(cpa, files[:1], files[-1:])[2]
            total = [a + b for a, b in zip(total, cells)]
            print(f"| {name} | {samples:,.0f} | " + " | ".join(map(str, cells)) + " |")
        print("| all | | " + " | ".join(map(str, total)) + " |\n")
        print("\n".join("- " + note for note in notes))


main()
