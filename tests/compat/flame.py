"""flame.py - the tree of stacks of a profile, read without code of cpa

SPDX-License-Identifier: Apache-2.0

usage: flame.py boxes FILE FOLDER     writes the tree of each sample type as flame_dump does, sorted, to FOLDER/TYPE, and
                                      inverted to FOLDER/-iTYPE; prints these names
       flame.py sides OLD NEW BOTH    do the lines of BOTH say before what OLD says, and after what NEW says?
FILE is what pprof -proto wrote.
"""
import gzip
import os
import sys
from collections import defaultdict

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
from wire import integers, one, repeated, signed  # noqa: E402


def read(path):
    p = repeated(gzip.open(path).read())
    text = p[6]
    files = {one(m, 1): text[one(m, 5)] for m in map(repeated, p[3])}
    funcs = {one(f, 1): text[one(f, 2)] for f in map(repeated, p[5])}
    locs = {}
    for loc in map(repeated, p[4]):
        binary = files.get(one(loc, 2), b"")
        base = b"[" + (binary.rstrip(b"/").rsplit(b"/", 1)[-1] or b"/") + b"]" if binary else b"<unknown>"
        lines = [funcs.get(one(line, 1), b"") or base for line in map(repeated, loc[4])]
        locs[one(loc, 1)] = lines or [base]
    samples = [(integers(*s[1]), integers(*s[2])) for s in map(repeated, p[2])]
    return len(p[1]), locs, samples


def short(name):
    """Cut a name: pictures have at most 1,000 bytes. The longer names of testdata are ASCII."""
    return name if len(name) <= 1000 else name[:499] + "\u2026".encode() + name[-498:]


def shown(name):
    plain = "".join(chr(c) if 32 < c < 127 and c != 92 else "\\x%02x" % c for c in short(name))
    return plain.replace("\\x00", "\\x5cx00")  # a NUL was escaped before


def boxes(locs, samples, kind, inverted):
    total, own = (defaultdict(lambda: [0, 0]) for _ in range(2))
    for ids, values in samples:
        value = signed(values[kind])
        way = [name for loc in ids for name in locs[loc]]
        way = tuple(way if inverted else way[::-1])
        if value == 0:
            continue
        own[way][value > 0] += abs(value)
        for n in range(len(way)):
            total[way[:n + 1]][value > 0] += abs(value)
    width = defaultdict(int)
    for way in sorted({*total, *own}, key=len, reverse=True):
        width[way] += max(own[way])
        width[way[:-1]] += width[way] if way else 0
    for way, sides in total.items():
        yield "\t".join([*map(str, sides + own[way] + [width[way]]), *map(shown, way)])


def lines(path):
    return {tuple(line[5:]): line[:5] for line in (text.rstrip("\n").split("\t") for text in open(path))}


def sides(old_path, new_path, both_path):
    old, new, both = map(lines, (old_path, new_path, both_path))
    none = ["0"] * 5
    assert set(both) == {*old, *new}, sorted(set(both) ^ {*old, *new})[:3]
    for way, got in both.items():
        before, after = old.get(way, none), new.get(way, none)
        assert got[:4] == [before[1], after[1], before[3], after[3]], (way, got, before, after)


def write_boxes(path, folder):
    types, locs, samples = read(path)
    for kind in range(types):
        for flag in "", "-i":
            with open(f"{folder}/{flag}{kind}", "w") as out:
                out.writelines(line + "\n" for line in sorted(boxes(locs, samples, kind, flag)))
            print(f"{flag}{kind}")


if sys.argv[1] == "sides":
    sides(*sys.argv[2:])
else:
    write_boxes(*sys.argv[2:])
