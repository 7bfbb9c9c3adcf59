#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""readme.py - write testdata/README.md: for each file who made it, how, and what is in it.

usage: readme.py TESTDATA     asks `go tool pprof` about every file
"""
import hashlib
import os
import re
import subprocess
import sys

import bad
import edge

REAL = [  # file, part of make.sh, command, what
    ('go-cpu.pb.gz', 'go', 'shop DIR', 'CPU profile, 4 s at 100 Hz, labels route, tenant, role; inlined frames, generics, closures'),
    ('go-heap1.pb.gz', 'go', 'shop DIR', 'heap after 1 s, MemProfileRate 256 KiB'),
    ('go-heap2.pb.gz', 'go', 'shop DIR', 'heap 4 s later: `depot.(*Depot).note` leaked in between'),
    ('go-allocs.pb.gz', 'go', 'shop DIR', 'allocs, same moment as go-heap2 (default_sample_type alloc_space)'),
    ('go-goroutine.pb.gz', 'go', 'shop DIR', 'goroutines under load, with labels'),
    ('go-block.pb.gz', 'go', 'shop DIR', 'blocking, SetBlockProfileRate 20 µs'),
    ('go-mutex.pb.gz', 'go', 'shop DIR', 'mutex contention, fraction 5'),
    ('go-threadcreate.pb.gz', 'go', 'shop DIR', 'thread creation'),
    ('go-heap.txt', 'go', 'shop DIR', 'legacy heap text (debug=1), taken just before go-heap1; `#` lines hold symbols and MemStats'),
    ('go-goroutine.txt', 'go', 'shop DIR', 'Go count text (debug=1), taken just after go-goroutine.pb.gz'),
    ('go-threadcreate.txt', 'go', 'shop DIR', 'Go count text (debug=1); long rows of address 0, as Go 1.26 writes them'),
    ('go-block.txt', 'go', 'shop DIR', 'contention text (debug=1), `--- contention:`'),
    ('go-mutex.txt', 'go', 'shop DIR', 'contention text (debug=1), `--- mutex:`'),
    ('cpp.cpu', 'cpp', 'grid cpu FILE', 'gperftools CPU binary, 64-bit little endian, three threads, 3 s at 100 Hz, mappings'),
    ('cpp-32le.cpu', 'cpp', 'reencode.py cpp.cpu 32 little FILE', 'cpp.cpu as a 32-bit little-endian machine would write it; how addresses move is told in reencode.py'),
    ('cpp-32be.cpu', 'cpp', 'reencode.py cpp.cpu 32 big FILE', 'the same, 32-bit big endian'),
    ('cpp-64be.cpu', 'cpp', 'reencode.py cpp.cpu 64 big FILE', 'cpp.cpu in 64-bit big endian, addresses untouched'),
    ('cpp-cpu.pb.gz', 'cpp', 'pprof -symbolize=local -proto grid cpp.cpu', 'cpp.cpu with symbols: inlined frames, columns, templates in the system names'),
    ('cpp.heap', 'cpp', 'grid heap FILE', '`heapprofile` text of the gperftools heap profiler: every allocation, not sampled'),
    ('cpp.heap_v2', 'cpp', 'TCMALLOC_SAMPLE_PARAMETER=65536 grid heap_v2 FILE', '`heap_v2/65536` text from MallocExtension::GetHeapSample: sampled, to be scaled up'),
    ('cpp.growth', 'cpp', 'grid growth FILE', '`growth` text from MallocExtension::GetHeapGrowthStacks'),
    ('cpp.contention', 'cpp', 'grid contention FILE', '`--- contention:` text, waits of an instrumented mutex in cycles, every wait'),
    ('cpp.contentionz', 'cpp', 'grid contentionz FILE', '`--- contentionz 1 ---` text, one wait in 7'),
    ('cpp.threadz', 'cpp', 'grid threadz FILE', 'thread text: nine threads, five idle ones of which four say "same as previous thread"'),
    ('rust-cpu.pb.gz', 'rust', 'tally FILE, then gzip -9n', 'pprof-rs CPU profile, 250 Hz, no addresses and no mappings, names with generics, thread names as label'),
    ('node-wall.pb.gz', 'node', 'node ledger.js DIR', 'wall and CPU time of V8, 5 ms, labels job, tenant; pseudo functions such as Garbage Collection'),
    ('node-heap.pb.gz', 'node', 'node ledger.js DIR', 'V8 sampling heap profile, 64 KiB'),
    ('java.cpu', 'java', 'java Orchard cpu FILE', 'Java CPU binary (version word 1) and location table; a sample is a thread whose CPU clock moved 2 ms in 10'),
    ('java.heap', 'java', 'java Orchard heap FILE', '`--- heapz 1 ---` text; bytes each thread really allocated, put to the stack seen next, stacks cut at 20'),
    ('java.contention', 'java', 'java Orchard contention FILE', '`--- contentionz 1 ---` text; milliseconds blocked by ThreadInfo, put to the stack it was blocked at'),
]
SOURCE = {'go': 'make/shop', 'cpp': 'make/grid', 'rust': 'make/tally', 'node': 'make/ledger', 'java': 'make/orchard'}

HEAD = '''# Test profiles

Every file here was made for this project: the first table by small programs of our own under the profilers
named, the other two byte by byte by scripts. Nothing was taken from another project or from anybody's machine.
`make/make.sh` makes them all anew; `edge/` and `bad/` come out the same each time (so a changed checksum
there is a changed script), while a real profile comes out different at each run and tests know the numbers of
the ones committed. So make a real one again only on purpose: `make/make.sh go`, for example, and then `make/make.sh readme`.

The column *holds* is what `go tool pprof -symbolize=none -raw` counts; the checksum is the first 16 digits of
`sha256sum`. Addresses are those of programs that are not kept, so only what carries symbols can be given names.
This page is written by `make/readme.py`; `compare/` and `gate/` have one of their own, by `make/compare.py` and `make/gate.py`.

'''


def pprof(path, *flags):
    got = subprocess.run(['go', 'tool', 'pprof', '-symbolize=none', *flags, path], capture_output=True, timeout=300)
    return got.returncode, got.stdout.decode(errors='replace'), got.stderr.decode(errors='replace')


def holds(path):
    code, raw, _ = pprof(path, '-raw')
    if code:
        return 'not read by pprof'
    types = raw.split('Samples:\n', 1)[1].split('\n', 1)[0].replace('[dflt]', '').split()
    samples = re.findall(r'^ +[-0-9 ]+: [0-9 ]*$', raw.split('Samples:\n', 1)[1].split('\nLocations', 1)[0], re.M)
    locs = re.findall(r'^ +\d+: 0x', raw.split('\nLocations\n', 1)[1].split('\nMappings', 1)[0], re.M) if '\nLocations' in raw else []
    return '%s; %d samples, %d locations' % (' '.join(types), len(samples), len(locs))


def answer(path):
    """What pprof says: its complaint, or that it reads the file."""
    code, _, err = pprof(path, '-top')
    lines = [l for l in err.splitlines() if 'failed to fetch' not in l and l.strip()]
    if code == 0:
        return '(reads it)'
    return '`%s`' % lines[0].replace(path + ': ', '')[:110].replace('|', '\\|') if lines else '(exit %d)' % code


def digest(path):
    return '`%s`' % hashlib.sha256(open(path, 'rb').read()).hexdigest()[:16]


def table(*rows):
    for n, row in enumerate(rows):
        yield '| %s |' % ' | '.join(str(c).replace('\n', ' ') for c in row)
        if n == 0:
            yield '|%s' % ('---|' * len(row))


def main(root):
    made = dict(line.rstrip().split(': ', 1) for line in open(os.path.join(root, 'make/versions.txt')))
    out = [HEAD + '## Made by programs\n']
    for part in SOURCE:
        out.append('- **%s**: source in `%s/`; %s' % (part, SOURCE[part], made.get(part, 'not made yet')))
    out.append('\nAll on Debian 12, x86-64, 2 cores.\n')
    rows = [('file', 'part', 'command', 'what it is', 'holds', 'bytes', 'sha256')]
    for name, part, command, what in REAL:
        path = os.path.join(root, name)
        if os.path.exists(path):
            rows.append(('`%s`' % name, part, '`%s`' % command, what, holds(path), os.path.getsize(path), digest(path)))
    out += table(*rows)
    for folder, files, title, last in (
            ('edge', edge.edge.files, '## edge/: small, valid, unusual\n\nAll by `python3 make/edge.py edge` with `make/emit.py`.\n', 'pprof'),
            ('bad', bad.bad.files, '## bad/: broken, one way each\n\nAll by `python3 make/bad.py bad` with `make/emit.py`. A reader must '
             'refuse each or read it, with a bounded use of time and memory; the last column tells what pprof does, not what is right.\n', 'pprof')):
        out.append('\n' + title)
        rows = [('file', 'what it is', 'bytes', 'sha256', last)]
        for name, (what, _) in sorted(files.items()):
            path = os.path.join(root, folder, name)
            if os.path.exists(path):
                rows.append(('`%s`' % name, what.replace('|', '\\|'), os.path.getsize(path), digest(path), answer(path)))
        out += table(*rows)
    with open(os.path.join(root, 'README.md'), 'w') as f:
        f.write('\n'.join(out) + '\n')


if __name__ == '__main__':
    main(sys.argv[1])
