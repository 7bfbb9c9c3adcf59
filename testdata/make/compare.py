#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare.py - small pairs and series of profiles with exactly known differences.

usage: compare.py FOLDER        writes every file below; the same bytes at each run
"""
import os
import sys

from emit import CPU, TICK, TIME, Profile, gzip

HOUR = 3_600_000_000_000
COUNT = [('samples', 'count')]
HEAP = [('inuse_objects', 'count'), ('inuse_space', 'bytes')]


class Build(Profile):
    """A profile of one build: its own source folder, addresses and build id."""

    def __init__(self, types, period, folder, at, build_id):
        super().__init__(types, period, mapping=False)
        self.folder, self.at_addr = folder, at
        self.mapping(1, at, at + 0x100000, 0, folder + '/shop', build_id)
        self.has_mapping = True

    def stack(self, path):
        """Like Profile.stack, but a frame is 'name' or 'name@file'; the file is in the folder."""
        out = []
        for frame in reversed(path.split(';')):
            name, _, file = frame.partition('@')
            file = self.folder + '/' + file if file else ''
            out.append(self.loc((name, file, 10), addr=self.at_addr + 16 * (len(self.ids) + 1)))
        return out


def simple(samples, types=COUNT, period=None, scale=1, **how):
    p = Profile(types, period)
    for path, n in samples:
        p.sample(path, [n] * (len(types) - 1) + [n * scale])
    return gzip(p.encode(**how))


def build(samples, folder, at, build_id, **how):
    p = Build(CPU, TICK, folder, at, build_id)
    for path, n in samples:
        p.sample(path, [n, n * TICK[2]])
    return gzip(p.encode(**how))


def labelled(samples, **how):
    p = Profile(COUNT)
    for path, n, job in samples:
        p.sample(path, [n], [p.label('job', job)])
    return gzip(p.encode(**how))


def leak(objects, time):
    p = Profile(HEAP, ('space', 'bytes', 524288))
    for path, n in objects:
        p.sample(path, [n, n * 1024])
    return gzip(p.encode(time=time, duration=0))


FILES = {
    'words-base.pb.gz': simple([('main;both1', 25), ('main;both2', 25), ('main;base_only', 50)]),
    'words-new.pb.gz': simple([('main;both1', 25), ('main;both2', 50), ('main;new', 125)]),
    'parent-base.pb.gz': simple([('main;parent;child1', 10), ('main;parent;child2', 5), ('main;rest', 85)]),
    'parent-new.pb.gz': simple([('main;parent;child1', 20), ('main;parent;child2', 10), ('main;rest', 85)]),
    'build-base.pb.gz': build(
        [('main@main.c;parse@json/parse.c;hash.part.0@util/hash.c', 20), ('main@main.c;parse@xml/parse.c', 10),
         ('main@main.c;fold@fold.c;fold@fold.c', 30), ('main@main.c;rank_orders@rank.c;compare@rank.c', 25),
         ('main@main.c;init@a.c', 4), ('main@main.c;init@b.c', 6), ('main@main.c;slow@slow.c', 5)],
        '/home/ann/shop', 0x400000, 'aaaa', duration=10_000_000_000, comments=['host=alpha']),
    'build-new.pb.gz': build(
        [('main@main.c;parse@json/parse.c;hash.constprop.1@util/hash.c', 15), ('main@main.c;parse@xml/parse.c', 20),
         ('main@main.c;hash.cold@util/hash.c', 5), ('main@main.c;fold@fold.c', 30), ('main@main.c;sort_orders@rank.c;compare@rank.c', 26),
         ('main@main.c;init@a.c', 5), ('main@main.c;init@c.c', 5), ('main@main.c;slow@lib/slow.c', 4)],
        '/build/ci/42', 0x7000000, 'bbbb', time=TIME + HOUR, duration=20_000_000_000, comments=['hostname: beta']),
    'rate-100hz.pb.gz': simple([('main;a', 600), ('main;b', 400)], period=('cpu', 'nanoseconds', 10_000_000),
                               duration=10_000_000_000),
    'rate-1khz.pb.gz': simple([('main;a', 6100), ('main;b', 3900)], period=('cpu', 'nanoseconds', 1_000_000),
                              duration=10_000_000_000, time=TIME + HOUR),
    'units-ms.pb.gz': simple([('main;a', 30), ('main;b', 20)], [('samples', 'count'), ('cpu', 'milliseconds')], scale=10),
    'units-ns.pb.gz': simple([('main;a', 40), ('main;b', 20)], [('cpu', 'nanoseconds')], scale=10_000_000),
    'label-base.pb.gz': labelled([('main;work', 100, 'load'), ('main;idle', 50, 'steady')]),
    'label-new.pb.gz': labelled([('main;work', 300, 'load'), ('main;idle', 100, 'steady')]),
    'trend-1.pb.gz': leak([('main;cache', 100), ('main;pool', 50), ('main;leaf;note', 10)], TIME),
    'trend-2.pb.gz': leak([('main;cache', 90), ('main;pool', 60), ('main;leaf;note', 20)], TIME + HOUR),
    'trend-3.pb.gz': leak([('main;cache', 120), ('main;pool', 70), ('main;leaf;note', 40), ('main;late', 5)], TIME + 3 * HOUR),
    'trend-4.pb.gz': leak([('main;cache', 80), ('main;pool', 75), ('main;leaf;note', 80), ('main;late', 9)], TIME + 4 * HOUR),
}

README = '''# Pairs and series of profiles

`make/compare.py` writes all files and this page; the bytes are always the same.

| files | differences |
|---|---|
| `words-*` | one function doubles, one is removed, one is new, one is unchanged |
| `parent-*` | a parent whose two children double, and an unchanged rest |
| `build-*` | another source folder, addresses, build id, host, time and duration; compiler suffixes; two functions with \
the same name in two files; a moved function, a renamed one, one for which neither is certain |
| `rate-*` | the same work sampled 100 and 1000 times a second; only samples are counted |
| `units-*` | milliseconds and nanoseconds, and a sample type that one side lacks |
| `label-*` | twice the steady work, three times the other; the label job distinguishes them |
| `trend-*` | four heaps, 0, 1, 3 and 4 hours after the first: one leak doubles each time, a pool grows slowly, a cache \
varies, one function starts late |
'''

if __name__ == '__main__':
    with open(os.path.join(sys.argv[1], 'README.md'), 'w') as out:
        out.write(README)
    for name, data in FILES.items():
        with open(os.path.join(sys.argv[1], name), 'wb') as out:
            out.write(data)
