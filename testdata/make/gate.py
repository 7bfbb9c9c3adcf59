#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gate.py - write README.md of testdata/gate: the true differences between the sets, and the contents of each file.

usage: gate.py FOLDER     reads truth.txt and the profiles there; `go tool pprof` counts their samples
"""
import hashlib
import os
import re
import statistics
import subprocess
import sys

SETS = [  # files, build tag, difference from base
    ('base-1 ... base-6', '', 'this is the base'),
    ('same-1 ... same-6', '', 'nothing: other runs of the same program'),
    ('slow-1 ... slow-6', 'slow', '`score.Grade` does 21 passes, not 14: it costs 1.5 times as much; its caller `main.analyse` 1.1 times'),
    ('mixed-1 ... mixed-6', 'mixed', '`smooth.Filter`, a quarter of the program, does 60 % less; `tree.Walk` does 30 % more'),
    ('renamed-1 ... renamed-3', 'renamed', '`score.Grade` is called `score.Assess`; nothing else'),
    ('newcode-1 ... newcode-3', 'newcode', '`main.extra` and `main.audit` are new, a twelfth of the program'),
    ('moved-1 ... moved-3', 'moved', 'the loop of `grid.(*Board).line` is in its caller `Rotate`; together they cost the same'),
    ('short-base, short-slow', '`slow` for the second', 'as slow, but a tenth of the work: too little to decide'),
    ('heap-base-1 ... 3, heap-same-1 ... 3', '', 'nothing (allocs, one sample in 16 KiB)'),
    ('heap-more-1 ... 3', 'more', '`store.names` allocates 143000 pieces, not 110000: 1.3 times as much, the program 1.1 times'),
    ('mutex-base-1 ... 3, mutex-more-1 ... 3', '`more` for the second', '`ledger` holds its lock 3 times as long; the other '
     'two locks are held as before. Every contention is recorded. The increase of the waiting time depends on the scheduler'),
    ('block-base-1 ... 3, block-more-1 ... 3', '`more` for the second', 'the same, as a block profile'),
]

HEAD = '''# Repeated profiles with a known truth

Made by `make/make.sh gate`: the program `make/mill`, %s, built with different tags, profiled alternately by
`make/mill/capture.sh` on a shared machine with two processors (Debian 12, x86-64), next to other work. Each CPU profile
is the same amount of work: about 6 s at 250 samples per second. `make/gate.py` writes this page. Tests contain the
numbers of these files: replace them only on purpose.

## What differs

| files | tag | true difference from base |
|---|---|---|
'''

COST = '''
## Cost of a step

Nanoseconds of CPU time for one call, without a profiler: the minimum of 1000 tries of 10 calls (`mill time`; `truth.txt`
has its output). In brackets, if it differs by more than 3 %%: the ratio to the cost in base, relative to the median
step, since the speed of the machine varies.

| step | share in base |%s
|---|---|%s
'''

FILES = '''
## Files

*samples* is the sum of the first sample type, from `go tool pprof`; the checksum is the first 16 digits of `sha256sum`.

| file | samples | bytes | sha256 |
|---|---|---|---|
'''


def truth(path):
    """{build: {step: nanoseconds}}, in the order of the file."""
    out = {}
    with open(path) as lines:
        for line in lines:
            build, step, ns = line.split()[:3]
            out.setdefault(build, {})[step] = float(ns)
    return out


def cell(ns, base, pace):
    if base < 100:
        return '%.0f' % ns if ns >= 100 else '-'
    ratio = ns / base / pace
    return '%.0f' % ns + (' (x%.2f)' % ratio if abs(ratio - 1) > 0.03 else '')


def samples(path):
    said = subprocess.run(['go', 'tool', 'pprof', '-symbolize=none', '-top', '-sample_index=0', path],
                          capture_output=True, text=True, check=True).stdout
    return re.search(r' of (\S+) total', said).group(1)


def page(folder):
    cost = truth(os.path.join(folder, 'truth.txt'))
    go = subprocess.run(['go', 'version'], capture_output=True, text=True, check=True).stdout.split()[2]
    out = [HEAD % go]
    out += ['| %s | %s | %s |\n' % (files, '`%s`' % tag if tag and tag[0] != '`' else tag or '-', what) for files, tag, what in SETS]
    out.append(COST % (''.join(' %s |' % b for b in cost), '---|' * len(cost)))
    base = cost['base']
    pace = {b: statistics.median(c[step] / base[step] for step in base if base[step] >= 100) for b, c in cost.items()}
    for step, ns in base.items():
        cells = ''.join(' %s |' % cell(c[step], ns, pace[b]) for b, c in cost.items())
        out.append('| %s | %.1f %% |%s\n' % (step, 100 * ns / base['day'], cells))
    out.append(FILES)
    for name in sorted(os.listdir(folder)):
        if not name.endswith('.pb.gz'):
            continue
        path = os.path.join(folder, name)
        with open(path, 'rb') as file:
            data = file.read()
        out.append('| `%s` | %s | %d | `%s` |\n' % (name, samples(path), len(data), hashlib.sha256(data).hexdigest()[:16]))
    return ''.join(out)


if __name__ == '__main__':
    text = page(sys.argv[1])
    with open(os.path.join(sys.argv[1], 'README.md'), 'w') as readme:
        readme.write(text)
