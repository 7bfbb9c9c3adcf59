# frames_compare.py - compare the frames of cpa with those of llvm-symbolizer, address by address
# SPDX-License-Identifier: Apache-2.0
#
# usage: frames_compare.py FRAMES_DUMP LLVM_SYMBOLIZER PROGRAM COUNT
# Prints how many addresses and frames were compared and what differed; exits with 1 if something did.

import collections
import json
import struct
import subprocess
import sys

FIELDS = "name file line column start".split()
dump, symbolizer, program, count = *sys.argv[1:4], int(sys.argv[4])


def text_of(path):
    """The range of .text, from the section headers of a little-endian 64-bit ELF file."""
    with open(path, "rb") as f:
        data = f.read()
    at, = struct.unpack_from("<Q", data, 40)
    size, n, names = struct.unpack_from("<HHH", data, 58)
    sections = [struct.unpack_from("<IIQQQQ", data, at + i * size) for i in range(n)]
    base = sections[names][4]
    for name, _, _, addr, _, length in sections:
        if data[base + name:base + name + 6] == b".text\0":
            return addr, length
    sys.exit(f"{path}: no .text")


def choose(addr, size, n):
    """One address in each of n ranges, the same in each run."""
    n = min(n, size)
    return [addr + i * size // n + i * 7919 % (size // n) for i in range(n)]


def ask_llvm(lines):
    out = subprocess.run([symbolizer, "--inlining", "-demangle=false", "--output-style=JSON", "--obj=" + program],
                         input=lines, stdout=subprocess.PIPE, text=True, check=True).stdout
    frames = {}
    for line in out.splitlines():
        answer = json.loads(line)
        answer = answer[0] if isinstance(answer, list) else answer
        found = [(s["FunctionName"], s["FileName"], s["Line"], s["Column"], s["StartLine"]) for s in answer["Symbol"]]
        frames[int(answer["Address"], 16)] = [f for f in found if f[0] or f[1]]
    return frames


def ask_cpa(lines):
    out = subprocess.run([dump, program], input=lines, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         text=True, check=True).stdout
    frames = collections.defaultdict(list)
    for line in out.split("\n"):
        part = line.split("\t")
        if len(part) == 6:
            frames[int(part[0], 16)].append((part[1], part[2], *map(int, part[3:])))
    return frames


addresses = choose(*text_of(program), count)
lines = "".join(f"{a:#x}\n" for a in addresses)
llvm, cpa = ask_llvm(lines), ask_cpa(lines)
differs = collections.Counter()
for a in addresses:
    want, got = llvm.get(a, []), cpa[a]
    if want == got:
        continue
    kinds = {FIELDS[i] for w, g in zip(want, got) for i in range(5) if w[i] != g[i]}
    kind = "depth" if len(want) != len(got) else "+".join(sorted(kinds))
    differs[kind] += 1
    if differs[kind] <= 3:
        print(f"# {a:#x}: {kind}\n#   llvm {want}\n#   cpa  {got}")
total = sum(differs.values())
print(f"# {len(addresses)} addresses, {sum(map(len, llvm.values()))} frames, {total} addresses differ {dict(differs)}")
sys.exit(total > 0 or len(addresses) < count)
