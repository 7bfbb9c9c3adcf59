#!/usr/bin/env python3
"""runtime.py - compare the collection runtime with gperftools and with no profiling, alternately

usage: runtime.py TOP BUILD [quick | TABLE...]
Prints Markdown for docs/bench.md, and writes BUILD/bench-runtime.json. Exit status: 1 if a goal is missed, 2 if the
machine was too noisy or on errors.
"""
# SPDX-License-Identifier: Apache-2.0

import json
import os
import shutil
import sys
import time

import rt_answers
import rt_attach
import rt_cpu
import rt_endpoint
import rt_faults
import rt_memory
import rt_stacks
import rt_start
from rt_tools import Bench, Ran, in_turn, median, spread

TABLES = {
    'totals': lambda b: rt_cpu.totals(b, b.rounds(3)),
    'fairness': lambda b: rt_cpu.fairness(b, b.rounds(5)),
    'shares': lambda b: rt_cpu.shares(b, 20),
    'engines': lambda b: rt_cpu.engines(b, b.rounds(20)),
    'sample': lambda b: rt_stacks.sample(b, b.rounds(7)),
    'stacks': rt_stacks.stacks,
    'compiler': lambda b: rt_cpu.end_to_end(b, b.rounds(9)),
    'heap': lambda b: (rt_memory.accuracy(b, b.rounds(4000)), rt_memory.standard_errors(b, b.rounds(1000), 12)),
    'allocators': lambda b: rt_memory.allocators(b, b.rounds(9)),
    'start': lambda b: rt_start.start(b, b.rounds(15)),
    'attach': lambda b: rt_attach.attach(b, b.rounds(9)),
    'threads': lambda b: (rt_start.threads(b, b.rounds(9)), rt_stacks.dump(b, b.rounds(7))),
    'locks': lambda b: rt_memory.locks(b, b.rounds(9)),
    'pure': lambda b: (rt_start.pure(b), rt_memory.memory(b)),
    'killed': lambda b: rt_start.killed(b, b.rounds(9)),
    'endpoint': rt_endpoint.endpoint,
    'answers': rt_answers.answers,
    'faults': rt_faults.faults,
    'sweep': rt_faults.sweep,
}
LONG = ('stacks', 'sweep')
NOISE_MAX = 0.05


def noise(b):
    """The interquartile range of runs of the same program; above 5 % the results are useless."""
    argv = [os.path.join(b.bin, 'rt_load'), 'count', '300']
    return spread(in_turn(11, {'none': lambda: Ran(argv).cpu})['none'])


def machine():
    with open('/proc/cpuinfo', encoding='utf-8') as f:
        model = next((line.split(':')[1].strip() for line in f if line.startswith('model name')), 'unknown')
    return f'{model}, {os.cpu_count()} cores, Linux {os.uname().release}, load {os.getloadavg()[0]:.1f}'


def report(b, where, iqr):
    print('### Goals\n')
    for name, met, text in b.goals:
        print(f'- {name}: {text}, ' + {True: 'met', False: '**missed**', None: 'inconclusive'}[met])
    print()
    found = {'machine': where, 'spread_of_none': iqr, 'published': iqr <= NOISE_MAX, 'seconds': b.seconds,
             'goals': [{'goal': n, 'met': m, 'found': t} for n, m, t in b.goals], 'tables': b.tables}
    with open(os.path.join(b.build, 'bench-runtime.json'), 'w', encoding='utf-8') as f:
        json.dump(found, f, indent=1)


def main():
    names = sys.argv[3:]
    quick = names == ['quick']
    if len(sys.argv) < 3 or not quick and any(t not in TABLES for t in names):
        print(__doc__ + 'tables: ' + ' '.join(TABLES), file=sys.stderr)
        return 2
    b = Bench(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), quick)
    where = machine()
    print(f'\n{where}' + ('' if b.gperf else '; libprofiler not found: no columns for it') + '\n')
    iqr = noise(b)
    print(f'The interquartile range of runs of the same program is {100 * iqr:.1f} %.\n')
    try:
        for name in [t for t in TABLES if t not in LONG] if quick else names or TABLES:
            begin = time.monotonic()
            b.log(name)
            TABLES[name](b)
            sys.stdout.flush()
            b.seconds[name] = round(time.monotonic() - begin, 1)
        iqr = max(iqr, noise(b))
        report(b, where, iqr)
    finally:
        shutil.rmtree(b.dir, ignore_errors=True)
    if iqr > NOISE_MAX:
        print(f'bench: interquartile range of runs of the same program is {100 * iqr:.1f} %: too noisy to publish',
              file=sys.stderr)
        return 2
    return 1 if any(met is False for _, met, _ in b.goals) else 0


if __name__ == '__main__':
    sys.exit(main())
