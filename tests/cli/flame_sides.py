"""flame_sides.py - compare the boxes of a differential SVG with the stacks of its two profiles

SPDX-License-Identifier: Apache-2.0

usage: flame_sides.py SVG BASE.folded NEW.folded
The parent of a box is the box below it. Prints the number of boxes.
"""
import html
import re
import sys

EDGE = 0.002  # pixels, from rounding


def sums(path):
    """Returns the sum of each path from the root."""
    out = {}
    for line in open(path, encoding="utf-8"):
        stack, value = line.rsplit(" ", 1)
        frames = stack.split(";")
        for depth in range(1, len(frames) + 1):
            call_path = tuple(frames[:depth])
            out[call_path] = out.get(call_path, 0) + int(value)
    return out


def value_of(lines, side):
    """Returns 262184 for "before 262184B (2.95%)"."""
    found = [line.split()[1] for line in lines if line.startswith(side + " ")]
    return int(re.match("-?[0-9,]+", found[0])[0].replace(",", ""))


def boxes(path):
    """Returns the values of each box, before and after, by its path from the root."""
    svg = open(path, encoding="utf-8").read()
    rows = re.findall(r'<g transform="translate\(0 ([0-9]+)\)">\n(.*?)</g>(?=\n)', svg, re.S)
    below, out = [(0.0, 1e6, None)], {}
    for _, row in sorted(rows, key=lambda r: -int(r[0])):
        here = []
        for x, width, title in re.findall(r'<rect [^>]* x="([0-9.]+)" width="([0-9.]+)"[^>]*><title>(.*?)<', row, re.S):
            lines, x, width = html.unescape(title).split("\n"), float(x), float(width)
            under = [w for at, wide, w in below if at - EDGE <= x and x + width <= at + wide + EDGE]
            call_path = () if under == [None] else under[0] + (lines[0],)
            here.append((x, width, call_path))
            out[call_path] = value_of(lines, "before"), value_of(lines, "after")
        below = here
    del out[()]
    return out


before, after = sums(sys.argv[2]), sums(sys.argv[3])
want = {p: (before.get(p, 0), after.get(p, 0)) for p in before | after}
got = boxes(sys.argv[1])
wrong = [(p[-1], got.get(p), want.get(p)) for p in want | got if got.get(p) != want.get(p)]
assert not wrong, wrong[:3]
print(len(got))
