# rt_stacks.py - what a sample and a dump of threads cost, and how whole stacks are
# SPDX-License-Identifier: Apache-2.0

import os
import re

from rt_tools import Ran, in_turn, median, table, under_cpa, under_gperf


def bench_program(b, name, goal):
    program = os.path.join(b.build, 'tests/runtime', name)
    if os.path.exists(program):
        return program
    b.goal(goal, None, f'no {name}')
    return None


def sample(b, rounds):
    """One sample with its delivery, at depths of 8, 30 and 60."""
    goal = 'a sample at depth 30 costs at most 5 us, and a quarter of libprofiler\'s'
    program = bench_program(b, 'sample_bench', goal)
    if not program:
        return
    which = [('cpa', under_cpa(b, [program], '--hz=1', '--cpu=' + b.path('s.prof')), {})]
    if b.gperf:
        which.append(('libprofiler', [program], under_gperf(b, 1, b.path('s.gperf'))))
    which.append(('an empty handler', [program], {}))
    found = {}
    for i in range(rounds):
        for name, argv, env in which[i % len(which):] + which[:i % len(which)]:
            b.clean('s.*')
            for depth, value in Ran(argv, env).numbers().items():
                found.setdefault(name, {}).setdefault(depth, []).append(value[0] / 1000)
    depths = list(found['cpa'])
    print('### One sample, delivery included, us\n')
    table(['', *depths], [(n, *(f'{median(found[n].get(d, [])):.2f}' for d in depths)) for n, _, _ in which if n in found])
    depth = next((d for d in depths if '30' in d), depths[0])
    ours, theirs = median(found['cpa'][depth]), median(found.get('libprofiler', {}).get(depth, []))
    b.goal(goal, ours <= 5 and not ours > theirs / 4, f'{ours:.2f} us of {theirs:.2f}')


def stacks(b):
    """Programs of Debian: each sample against libunwind, and what it cost."""
    script = os.path.join(b.top, 'tests/runtime/unwind_compare.sh')
    done = Ran([script, b.build], limit=600)
    print('### Stacks of programs without frame pointers, against libunwind\n')
    print(''.join('    ' + line + '\n' for line in done.text().splitlines()))
    whole = [float(v) for v in re.findall(r'complete[^\d]*([\d.]+)\s*%', done.text())]
    same = [float(v) for v in re.findall(r'equal[^\d]*([\d.]+)\s*%', done.text())]
    b.goal('at least 99.5 % of stacks are complete, and as many equal to libunwind\'s',
           bool(whole and same) and min(whole) >= 99.5 and min(same) >= 99.5 if done.status == 0 else None,
           f'complete {min(whole, default=0):.2f} %, equal {min(same, default=0):.2f} %')
    walks = [(int(m), int(p)) for m, p in re.findall(r'cached (\d+)/(\d+)', done.text())]
    slow, slowest = max((w[0] for w in walks), default=0) / 1000, max((w[1] for w in walks), default=0) / 1000
    b.goal('a walk in real programs takes at most 15 us (median), 25 us (p90)',
           slow <= 15 and slowest <= 25 if walks else None, f'at most {slow:.1f} and {slowest:.1f} us')


def dump(b, rounds):
    """A dump of 1000 threads."""
    goal = '1000 threads are dumped within 100 ms, and none sees EINTR'
    program = bench_program(b, 'threads_bench', goal)
    if not program:
        return
    runs = [Ran([program, '1000']).numbers() for _ in range(rounds)]
    if not runs[0]:
        b.goal(goal, None, 'threads_bench says nothing')
        return
    print('### A dump of 1000 threads\n')
    table(['', 'median', 'most'], [(k, f'{median([r[k][0] for r in runs]):.1f}', f'{max(r[k][0] for r in runs):.1f}')
                                   for k in runs[0]])
    ms, interrupted = median([r['ms'][0] for r in runs]), sum(r.get('eintr', [0])[0] for r in runs)
    b.goal(goal, ms <= 100 and interrupted == 0, f'{ms:.1f} ms, {interrupted:.0f} EINTR')


def memory(b):
    """What the target takes more, by threads that burn."""
    rows, met = [], True
    for n in (1, 8, 32):
        argv = [os.path.join(b.bin, 'rt_load'), 'memory', str(n), '0.2']
        found = in_turn(3, {'none': lambda a=argv: Ran(a).numbers()['rss'][0],
                            'cpa': lambda a=argv: Ran(under_cpa(b, a, '--cpu=' + b.path('m.prof'))).numbers()['rss'][0]})
        more = median(found['cpa']) - median(found['none'])
        met &= more <= 1024 + 64 * n
        rows.append((f'{n} threads', f'{more:.0f}', 1024 + 64 * n))
    print('### Memory of the target, KiB more than alone\n')
    table(['', 'more', 'goal'], rows)
    b.goal('at most 1 MiB and 64 KiB for each running thread', met, ', '.join(f'{r[0]}: {r[1]} KiB' for r in rows))
