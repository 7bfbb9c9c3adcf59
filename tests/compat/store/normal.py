# normal.py - print a profile in normal form, so that equal profiles are equal texts
# SPDX-License-Identifier: Apache-2.0
#
#   normal.py FILE [PREFIX...]    PREFIX: comments that begin so are omitted
#
# A line per stack and labels with the sum of its values, unless all are 0, sorted. Addresses are those in the mapping's file:
# relative to its start. Then a line for each property of the profile, and for each mapping that a location uses.
import gzip
import os
import sys

sys.path.insert(0, os.path.join(os.environ['top_srcdir'], 'tests', 'cli'))
from wire import fields, integers, signed  # noqa: E402


def message(data, repeated=()):
    one = {n: [] for n in repeated}
    for number, value in fields(data):
        if number in repeated:
            one[number].append(value)
        else:
            one[number] = value
    return one


def read(path):
    with open(path, 'rb') as f:
        data = f.read()
    if data[:2] == b'\x1f\x8b':
        data = gzip.decompress(data)
    return message(data, (1, 2, 3, 4, 5, 6, 13))


def texts_of(top):
    return [t.decode(errors='surrogateescape') if isinstance(t, bytes) else '' for t in top[6]]


def normal(path, omit):
    top = read(path)
    text = texts_of(top)
    maps, funcs, locs = {}, {}, {}
    for data in top[3]:
        m = message(data)
        maps[m.get(1, 0)] = (m.get(2, 0), m.get(3, 0), m.get(4, 0), text[m.get(5, 0)], text[m.get(6, 0)])
    for data in top[5]:
        f = message(data)
        funcs[f.get(1, 0)] = (text[f.get(2, 0)], text[f.get(3, 0)], text[f.get(4, 0)], signed(f.get(5, 0)))
    used = set()
    for data in top[4]:
        loc = message(data, (4,))
        start, limit, offset, file, build = maps.get(loc.get(2, 0), (0, 0, 0, '', ''))
        lines = []
        for line in loc[4]:
            one = message(line)
            lines.append((funcs.get(one.get(1, 0)), signed(one.get(2, 0)), signed(one.get(3, 0))))
        where = (limit - start + 4095 & ~4095, offset, build or file) if loc.get(2, 0) else None
        locs[loc.get(1, 0)] = (where, loc.get(3, 0) - start & (1 << 64) - 1, bool(loc.get(5, 0)), tuple(lines))
        used.add((file, build))
    rows = {}
    for data in top[2]:
        ids, values, labels = [], [], []
        for number, value in fields(data):
            if number == 1:
                ids += integers(value)
            elif number == 2:
                values += map(signed, integers(value))
            elif number == 3:
                one = message(value)
                labels.append((text[one.get(1, 0)], text[one.get(2, 0)], signed(one.get(3, 0)), text[one.get(4, 0)]))
        key = (tuple(locs[i] for i in ids), tuple(sorted(labels)))
        old = rows.get(key, [0] * len(values))
        rows[key] = [a + b for a, b in zip(old, values)]
    types = [(text[message(t).get(1, 0)], text[message(t).get(2, 0)]) for t in top[1]]
    period = message(top.get(11, b''))
    out = sorted(repr((key, values)) for key, values in rows.items() if any(values))
    out.append('types %r' % types)
    out.append('period %r %r %r' % (signed(top.get(12, 0)), text[period.get(1, 0)], text[period.get(2, 0)]))
    out.append('time %d duration %d' % (signed(top.get(9, 0)), signed(top.get(10, 0))))
    out.append('default %r drop %r keep %r' % (text[top.get(14, 0)], text[top.get(7, 0)], text[top.get(8, 0)]))
    comments = [text[i] for i in integers(*top[13])]
    out.append('comments %r' % [c for c in comments if not c.startswith(omit)])
    out += sorted('mapping %r' % (m,) for m in used)
    return '\n'.join(out)


if __name__ == '__main__':
    print(normal(sys.argv[1], tuple(sys.argv[2:]) or ('\0',)))
