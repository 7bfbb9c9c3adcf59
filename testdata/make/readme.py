#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""readme.py - write testdata/README.md: origin, command and contents of each file.

usage: readme.py TESTDATA     runs `go tool pprof` on every file
"""
import hashlib
import os
import re
import subprocess
import sys

import bad
import edge

REAL = [  # file, part of make.sh, command, description
    ('go-cpu.pb.gz', 'go', 'shop DIR', 'CPU profile, 4 s at 100 Hz, labels route, tenant, role; inlined frames, generics, closures'),
    ('go-heap1.pb.gz', 'go', 'shop DIR', 'heap after 1 s, MemProfileRate 256 KiB'),
    ('go-heap2.pb.gz', 'go', 'shop DIR', 'heap 4 s later: `depot.(*Depot).note` leaked in between'),
    ('go-allocs.pb.gz', 'go', 'shop DIR', 'allocs, same moment as go-heap2 (default_sample_type alloc_space)'),
    ('go-goroutine.pb.gz', 'go', 'shop DIR', 'goroutines under load, with labels'),
    ('go-block.pb.gz', 'go', 'shop DIR', 'blocking, SetBlockProfileRate 20 µs'),
    ('go-mutex.pb.gz', 'go', 'shop DIR', 'mutex contention, fraction 5'),
    ('go-threadcreate.pb.gz', 'go', 'shop DIR', 'thread creation'),
    ('go-heap.txt', 'go', 'shop DIR', 'legacy heap text (debug=1), taken just before go-heap1; `#` lines contain symbols and MemStats'),
    ('go-goroutine.txt', 'go', 'shop DIR', 'Go count text (debug=1), taken just after go-goroutine.pb.gz'),
    ('go-threadcreate.txt', 'go', 'shop DIR', 'Go count text (debug=1); long rows of address 0, as Go 1.26 writes them'),
    ('go-block.txt', 'go', 'shop DIR', 'contention text (debug=1), `--- contention:`'),
    ('go-mutex.txt', 'go', 'shop DIR', 'contention text (debug=1), `--- mutex:`'),
    ('cpp.cpu', 'cpp', 'grid cpu FILE', 'gperftools CPU binary, 64-bit little endian, three threads, 3 s at 100 Hz, mappings'),
    ('cpp-32le.cpu', 'cpp', 'reencode.py cpp.cpu 32 little FILE', 'cpp.cpu as a 32-bit little-endian machine would write it; reencode.py describes the addresses'),
    ('cpp-32be.cpu', 'cpp', 'reencode.py cpp.cpu 32 big FILE', 'the same, 32-bit big endian'),
    ('cpp-64be.cpu', 'cpp', 'reencode.py cpp.cpu 64 big FILE', 'cpp.cpu in 64-bit big endian, addresses untouched'),
    ('cpp-cpu.pb.gz', 'cpp', 'pprof -symbolize=local -proto grid cpp.cpu', 'cpp.cpu with symbols: inlined frames, columns, templates in the system names'),
    ('cpp.heap', 'cpp', 'grid heap FILE', '`heapprofile` text of the gperftools heap profiler: every allocation, not sampled'),
    ('cpp.heap_v2', 'cpp', 'TCMALLOC_SAMPLE_PARAMETER=65536 grid heap_v2 FILE', '`heap_v2/65536` text from MallocExtension::GetHeapSample: sampled, readers must scale it up'),
    ('cpp.growth', 'cpp', 'grid growth FILE', '`growth` text from MallocExtension::GetHeapGrowthStacks'),
    ('cpp.contention', 'cpp', 'grid contention FILE', '`--- contention:` text, waits of an instrumented mutex in cycles, every wait'),
    ('cpp.contentionz', 'cpp', 'grid contentionz FILE', '`--- contentionz 1 ---` text, one wait in 7'),
    ('cpp.threadz', 'cpp', 'grid threadz FILE', 'thread text: nine threads, five of them idle, four with "same as previous thread"'),
    ('rust-cpu.pb.gz', 'rust', 'tally FILE, then gzip -9n', 'pprof-rs CPU profile, 250 Hz, no addresses and no mappings, names with generics, thread names as label'),
    ('node-wall.pb.gz', 'node', 'node ledger.js DIR', 'wall and CPU time of V8, 5 ms, labels job, tenant; pseudo functions such as Garbage Collection'),
    ('node-heap.pb.gz', 'node', 'node ledger.js DIR', 'V8 sampling heap profile, 64 KiB'),
    ('java.cpu', 'java', 'java Orchard cpu FILE', 'Java CPU binary (version word 1) and location table; a sample is a thread whose CPU clock moved 2 ms in 10'),
    ('java.heap', 'java', 'java Orchard heap FILE', '`--- heapz 1 ---` text; real allocations of each thread, charged to its next observed stack; at most 20 frames'),
    ('java.contention', 'java', 'java Orchard contention FILE', '`--- contentionz 1 ---` text; blocked milliseconds of ThreadInfo, charged to the blocked stack'),
]
SOURCE = {'go': 'make/shop', 'cpp': 'make/grid', 'rust': 'make/tally', 'node': 'make/ledger', 'java': 'make/orchard'}

HEAD = '''# Test profiles

Every file here was made for this project: those of the first table by small programs under the profilers named, the
others byte by byte by scripts. Nothing comes from other projects or from other people's machines.
`make/make.sh` creates all files again. `edge/` and `bad/` are the same each time, so a changed checksum there means a
changed script. Real profiles differ in each run, and tests contain the numbers of the committed ones. So replace a real
profile only on purpose: `make/make.sh go`, for example, and then `make/make.sh readme`.

The column *contents* shows counts of `go tool pprof -symbolize=none -raw`; the checksum is the first 16 digits of
`sha256sum`. The programs are not part of the repository, so addresses without symbols cannot get names.
`make/readme.py` writes this page; `make/compare.py` and `make/gate.py` write those of `compare/` and `gate/`.

'''


def pprof(path, *flags):
    got = subprocess.run(['go', 'tool', 'pprof', '-symbolize=none', *flags, path], capture_output=True, timeout=300)
    return got.returncode, got.stdout.decode(errors='replace'), got.stderr.decode(errors='replace')


def contents(path):
    code, raw, _ = pprof(path, '-raw')
    if code:
        return 'not read by pprof'
    types = raw.split('Samples:\n', 1)[1].split('\n', 1)[0].replace('[dflt]', '').split()
    samples = re.findall(r'^ +[-0-9 ]+: [0-9 ]*$', raw.split('Samples:\n', 1)[1].split('\nLocations', 1)[0], re.M)
    locs = re.findall(r'^ +\d+: 0x', raw.split('\nLocations\n', 1)[1].split('\nMappings', 1)[0], re.M) if '\nLocations' in raw else []
    return '%s; %d samples, %d locations' % (' '.join(types), len(samples), len(locs))


def answer(path):
    """The first error of pprof, or that it reads the file."""
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
    rows = [('file', 'part', 'command', 'description', 'contents', 'bytes', 'sha256')]
    for name, part, command, what in REAL:
        path = os.path.join(root, name)
        if os.path.exists(path):
            rows.append(('`%s`' % name, part, '`%s`' % command, what, contents(path), os.path.getsize(path), digest(path)))
    out += table(*rows)
    for folder, files, title, last in (
            ('edge', edge.edge.files, '## edge/: small, valid, unusual\n\nAll by `python3 make/edge.py edge` with `make/emit.py`.\n', 'pprof'),
            ('bad', bad.bad.files, '## bad/: one defect each\n\nAll by `python3 make/bad.py bad` with `make/emit.py`. A reader must '
             'refuse each or read it, with bounded time and memory. The last column shows the result of pprof, which is not always right.\n', 'pprof')):
        out.append('\n' + title)
        rows = [('file', 'description', 'bytes', 'sha256', last)]
        for name, (what, _) in sorted(files.items()):
            path = os.path.join(root, folder, name)
            if os.path.exists(path):
                rows.append(('`%s`' % name, what.replace('|', '\\|'), os.path.getsize(path), digest(path), answer(path)))
        out += table(*rows)
    with open(os.path.join(root, 'README.md'), 'w') as f:
        f.write('\n'.join(out) + '\n')


if __name__ == '__main__':
    main(sys.argv[1])
