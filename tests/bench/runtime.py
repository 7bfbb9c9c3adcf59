#!/usr/bin/env python3
"""runtime.py - the collection runtime against gperftools and against nothing, in turns

usage: runtime.py TOP BUILD [TABLE...]
Prints Markdown for docs/bench.md; exits 1 when a goal is missed, 2 when the machine was too noisy or on trouble.
"""
# SPDX-License-Identifier: Apache-2.0

import json
import os
import shutil
import sys

import rt_cpu
import rt_faults
import rt_memory
import rt_stacks
from rt_tools import Bench, Ran, in_turn, median, spread

TABLES = {
    'totals': lambda b: rt_cpu.totals(b, 5),
    'fairness': lambda b: rt_cpu.fairness(b, 5),
    'shares': lambda b: rt_cpu.shares(b, 20),
    'sample': lambda b: rt_stacks.sample(b, 7),
    'stacks': rt_stacks.stacks,
    'compiler': lambda b: rt_cpu.end_to_end(b, 9),
    'heap': lambda b: (rt_memory.accuracy(b, 10000), rt_memory.standard_errors(b, 2000, 12)),
    'allocators': lambda b: rt_memory.allocators(b, 9),
    'start': lambda b: rt_cpu.start(b, 9),
    'threads': lambda b: (rt_cpu.threads(b, 9), rt_stacks.dump(b, 7)),
    'locks': lambda b: rt_memory.locks(b, 9),
    'pure': lambda b: (rt_cpu.pure(b), rt_stacks.memory(b)),
    'killed': lambda b: rt_cpu.killed(b, 9),
    'faults': rt_faults.faults,
    'sweep': rt_faults.sweep,
}


def noise(b):
    """How far runs of the same program are apart: with more than 5 % nothing here is worth printing."""
    argv = [os.path.join(b.bin, 'rt_load'), 'burn', '1', '0.3']
    found = in_turn(9, {'none': lambda: Ran(argv).cpu})['none']
    return spread(found), median(found)


def machine():
    with open('/proc/cpuinfo', encoding='utf-8') as f:
        model = next((line.split(':')[1].strip() for line in f if line.startswith('model name')), 'unknown')
    return f'{model}, {os.cpu_count()} cores, Linux {os.uname().release}, load {os.getloadavg()[0]:.1f}'


def report(b):
    print('### Goals\n')
    for name, met, text in b.goals:
        print(f'- {name}: {text}, ' + {True: 'met', False: '**missed**', None: 'cannot tell'}[met])
    print()
    with open(os.path.join(b.build, 'bench-runtime.json'), 'w', encoding='utf-8') as f:
        json.dump([{'goal': n, 'met': m, 'found': t} for n, m, t in b.goals], f, indent=1)


def main():
    if len(sys.argv) < 3 or any(t not in TABLES for t in sys.argv[3:]):
        print(__doc__ + 'tables: ' + ' '.join(TABLES), file=sys.stderr)
        return 2
    b = Bench(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]))
    print(f'\n{machine()}' + ('' if b.gperf else '; libprofiler is not here: no columns for it') + '\n')
    apart, _ = noise(b)
    print(f'The same program again is {100 * apart:.1f} % apart (middle half).\n')
    try:
        for name in sys.argv[3:] or TABLES:
            b.say(name)
            TABLES[name](b)
            sys.stdout.flush()
        report(b)
    finally:
        shutil.rmtree(b.dir, ignore_errors=True)
    if apart > 0.05:
        print('bench: the machine is too noisy for these numbers to be published', file=sys.stderr)
        return 2
    return 1 if any(met is False for _, met, _ in b.goals) else 0


if __name__ == '__main__':
    sys.exit(main())
