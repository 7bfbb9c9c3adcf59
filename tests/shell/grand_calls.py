#!/usr/bin/env python3
# grand_calls.py - the callers of callers in the Callers view, compared with stacks and with peek
# SPDX-License-Identifier: Apache-2.0
"""grand_calls.py CPA SEED: write random stacks, and check the lines of the Callers view of each function.

The lines below a caller X of F are compared with a count of the stacks, and with the callers of X that peek prints for
only those stacks in which X calls F. Values of a comparison are differences of the counts."""
import collections
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cli"))
from make_profile import encode  # noqa: E402, in another folder

NAMES = [f"fn{i}" for i in range(7)]
NO_CALLER, ITSELF = "(no caller)", "(itself)"


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def make_stacks(rng, recursive):
    stacks = collections.Counter()
    for _ in range(60):
        depth = rng.randint(1, 6)
        stack = [rng.choice(NAMES) for _ in range(depth)] if recursive else rng.sample(NAMES, depth)
        stacks[tuple(stack)] += rng.randint(1, 999)
    return stacks


def write(stacks, path):
    """Stacks are lists of names, root first; each second location has two functions, one of them inlined."""
    samples = []
    for stack, value in stacks.items():
        lines, locations = [(name, name + ".c", 1) for name in reversed(stack)], []
        while lines:
            n = 1 + (len(locations) + value) % 2
            locations.append(tuple(lines[:n]))
            lines = lines[n:]
        samples.append((locations, [value], {}))
    with open(path, "wb") as f:
        f.write(encode(samples, (("samples", "count"),)))


def expect(stacks, middle):
    """{(side, near): {far: value}}: each stack counts once per caller or callee, at its outermost call."""
    sums = collections.defaultdict(collections.Counter)
    for stack, value in stacks.items():
        path = [n for i, n in enumerate(stack) if i == 0 or stack[i - 1] != n]
        seen = set()
        for i, name in enumerate(path):
            for side, near, far, end in (("callers", i - 1, i - 2, NO_CALLER), ("callees", i + 1, i + 2, ITSELF)):
                if name != middle or not 0 <= near < len(path) or (side, path[near]) in seen:
                    continue
                seen.add((side, path[near]))
                sums[side, path[near]][path[far] if 0 <= far < len(path) else end] += value
    return {k: dict(v) for k, v in sums.items() if set(v) - {NO_CALLER, ITSELF}}


def shown(cpa, size, middle, *words):
    """The same, as the screen shows it, and the values of callers and callees."""
    screen = run(cpa, "-symbolize=none", f"--size={size}", "--color=never", f'--keys=: "peek ^{middle}$" Enter', *words)
    found, direct, side, near = collections.defaultdict(dict), {}, None, None
    for line in screen.splitlines():
        heading = re.search("calls%.*(callers|callees)", line)
        row = re.match(r" *([-+]?[0-9,]+) +[0-9.]+% +[0-9.]+%  ( *)(.*?)(?: \(inline\))? *$", line)
        if heading:
            side = heading[1]
        elif row and side and not row[2]:
            near = row[3]
            direct[side, near] = int(row[1].replace(",", ""))
        elif row and side:
            found[side, near][row[3]] = int(row[1].replace(",", ""))
    for key, far in found.items():
        check(f"sum of {key} of {middle}", direct[key], sum(far.values()))
    return found


def peek_callers(cpa, name, path):
    callers = {}
    for line in run(cpa, "-symbolize=none", "--color=never", f"-peek=^{name}$", path).splitlines():
        row = re.match(r" +([0-9]+) +[0-9.]+% \|   (.*?)(?: \(inline\))?$", line)
        if re.match(r" +[0-9]+ +[0-9.]+% +[0-9.]+% +[0-9]+ +[0-9.]+% +\| ", line):
            break
        if row:
            callers[row[2]] = int(row[1].replace(",", ""))
    return callers


def check(what, want, got):
    if want != got:
        print(f"{what}: expected {want}, got {got}")
        sys.exit(1)


def check_against_peek(cpa, tmp, stacks, middle, found):
    for (side, near), far in found.items():
        if side == "callers":
            part = {s: v for s, v in stacks.items() if f";{near};{middle};" in ";" + ";".join(s) + ";"}
            write(part, f"{tmp}/part.pb")
            want = peek_callers(cpa, near, f"{tmp}/part.pb")
            check(f"peek {near} of its calls to {middle}", want, {k: v for k, v in far.items() if k != NO_CALLER})


def main():
    cpa, rng = sys.argv[1], random.Random(int(sys.argv[2]))
    lines = 0
    with tempfile.TemporaryDirectory() as tmp:
        for recursive in (False, True):
            old, new = make_stacks(rng, recursive), make_stacks(rng, recursive)
            write(old, f"{tmp}/old.pb")
            write(new, f"{tmp}/new.pb")
            change = new.copy()
            change.subtract(old)
            for middle in NAMES:
                found = shown(cpa, "120x190", middle, f"{tmp}/new.pb")
                check(f"grand calls of {middle}", expect(new, middle), found)
                if not recursive:
                    check_against_peek(cpa, tmp, new, middle, found)
                part = shown(cpa, "80x36", middle, f"{tmp}/new.pb")
                lines += sum(name.endswith(" others") for far in part.values() for name in far)
                found = shown(cpa, "120x190", middle, f"-diff_base={tmp}/old.pb", f"{tmp}/new.pb")
                check(f"changed grand calls of {middle}", expect(change, middle), found)
    print(f"{lines} lines with the sum of others")
    sys.exit(0 if lines else 1)


if __name__ == "__main__":
    main()
