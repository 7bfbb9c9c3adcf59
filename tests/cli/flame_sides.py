"""flame_sides.py - do the boxes of a compared SVG tell what the two profiles alone have?

SPDX-License-Identifier: Apache-2.0

usage: flame_sides.py SVG BASE.folded NEW.folded
Boxes are put on each other by where they lie. Prints how many there are.
"""
import html
import re
import sys

EDGE = 0.002  # pixels, from rounding


def sums(path):
    """The sum of each way from the root, by its frames."""
    out = {}
    for line in open(path, encoding="utf-8"):
        stack, value = line.rsplit(" ", 1)
        frames = stack.split(";")
        for depth in range(1, len(frames) + 1):
            way = tuple(frames[:depth])
            out[way] = out.get(way, 0) + int(value)
    return out


def told(lines, side):
    """262184 of "before 262184B (2.95%)"."""
    found = [line.split()[1] for line in lines if line.startswith(side + " ")]
    return int(re.match("-?[0-9]+", found[0])[0])


def boxes(path):
    """What each box tells, before and after, by its way from the root."""
    svg = open(path, encoding="utf-8").read()
    rows = re.findall(r'<g transform="translate\(0 ([0-9]+)\)">\n(.*?)</g>(?=\n)', svg, re.S)
    below, out = [(0.0, 1e6, None)], {}
    for _, row in sorted(rows, key=lambda r: -int(r[0])):
        here = []
        for x, width, title in re.findall(r'<rect [^>]* x="([0-9.]+)" width="([0-9.]+)"[^>]*><title>(.*?)<', row, re.S):
            lines, x, width = html.unescape(title).split("\n"), float(x), float(width)
            under = [w for at, wide, w in below if at - EDGE <= x and x + width <= at + wide + EDGE]
            way = () if under == [None] else under[0] + (lines[0],)
            here.append((x, width, way))
            out[way] = told(lines, "before"), told(lines, "after")
        below = here
    del out[()]
    return out


before, after = sums(sys.argv[2]), sums(sys.argv[3])
want = {way: (before.get(way, 0), after.get(way, 0)) for way in before | after}
got = boxes(sys.argv[1])
wrong = [(way[-1], got.get(way), want.get(way)) for way in want | got if got.get(way) != want.get(way)]
assert not wrong, wrong[:3]
print(len(got))
