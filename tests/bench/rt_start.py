# rt_start.py - cost of starting programs and threads, loss by SIGKILL, and changes inside the target
# SPDX-License-Identifier: Apache-2.0

import os

from rt_cpu import load, one
from rt_tools import Profile, Ran, in_turn, median, more_than, quantile, spread, under_cpa, under_gperf

def start(b, rounds):
    """Cost of a start: a profiled program starts many trivial programs."""
    out = b.path('start.prof')
    argv = [os.path.join(b.bin, 'rt_load'), 'start', '100', '/bin/true']

    def each(command, env=None):
        def one_round():
            b.clean('start.prof*')
            return Ran(command, env).numbers()
        return one_round
    turns = {'none': each(argv), 'cpa run --follow': each(under_cpa(b, argv, '--follow', f'--cpu={out}')),
             'cpa run, not followed': each(under_cpa(b, argv, f'--cpu={out}')),
             'linked, and not profiled': each(argv, {'LD_PRELOAD': b.library})}
    if b.gperf:
        turns['libprofiler, idle'] = each(argv, {'LD_PRELOAD': b.gperf})
        turns['libprofiler'] = each(argv, under_gperf(b, 100, out))
    found = in_turn(rounds, turns)
    cpu = {k: [v['cpu_us'][1] / 1000 for v in values] for k, values in found.items()}
    wall = {k: [v['wall_us'][1] / 1000 for v in values] for k, values in found.items()}
    cpu_more, wall_more = more_than(cpu, 'none'), more_than(wall, 'none')
    b.table('Start of a program (/bin/true), ms', ['', 'CPU', 'more', 'wall', 'more'],
            [(k, f'{median(cpu[k]):.2f}', f'{cpu_more[k]:+.2f}', f'{median(wall[k]):.2f}', f'{wall_more[k]:+.2f}') for k in cpu])
    for name, text in (('linked, and not profiled', 'when nothing is profiled'), ('cpa run --follow', 'when it is profiled')):
        b.judge(f'a start takes at most 0.3 ms of CPU more {text}', cpu_more[name], 0.3,
                spread(cpu['none']) * median(cpu['none']), f'{cpu_more[name]:+.3f} ms, {wall_more[name]:+.3f} on the wall clock')


def threads(b, rounds):
    """Cost of creating and joining a thread, wall and CPU time."""
    argv, out = load(b, 'threads', None, 3000), b.path('threads.prof')

    def each(command, env=None):
        return lambda: Ran(command, env).numbers()
    turns = {'none': each(argv), 'cpa, library idle': each(argv, {'LD_PRELOAD': b.library}),
             'cpa, 100 Hz': each(under_cpa(b, argv, f'--cpu={out}'))}
    if b.gperf:
        turns['libprofiler, 100 Hz'] = each(argv, under_gperf(b, 100, out))
    found = in_turn(rounds, turns)
    cpu = {k: [v['cpu_each'][0] / 1000 for v in values] for k, values in found.items()}
    wall = {k: [v['ns_each'][0] / 1000 for v in values] for k, values in found.items()}
    cpu_more, wall_more = more_than(cpu, 'none'), more_than(wall, 'none')
    b.table('A thread created and joined, us', ['', 'CPU', 'more', 'wall', 'more'],
            [(k, f'{median(cpu[k]):.1f}', f'{cpu_more[k]:+.1f}', f'{median(wall[k]):.1f}', f'{wall_more[k]:+.1f}') for k in cpu])
    noise = spread(cpu['none']) * median(cpu['none'])
    for name, limit, when in (('cpa, library idle', 3, 'idle'), ('cpa, 100 Hz', 25, 'profiling')):
        b.judge(f'a thread takes at most {limit} us of CPU more when {when}', cpu_more[name], limit, noise,
                f'{cpu_more[name]:+.2f} us, {wall_more[name]:+.2f} on the wall clock')


def killed(b, rounds):
    """Completeness of CPU and heap profiles after SIGKILL."""
    missing, heap_missing = [], []
    argv, heap = load(b, 'kill', None, 0.6), b.path('killed.heap')
    cpu = b.path('killed.cpu')
    for _ in range(rounds):
        b.clean('killed.*')
        numbers = Ran(under_cpa(b, argv, '--hz=1000', f'--cpu={cpu}', f'--heap={heap}', '--heap-rate=1kB')).numbers()
        missing.append((numbers['total'][0] - Profile(b, [cpu]).total) / 1e6)
        there = Profile(b, [heap], '-sample_index=inuse_space', unit='B').of('before_kill')
        heap_missing.append(1 - there / numbers['kept'][0])
    gone = ''
    if b.gperf:
        _, profile = one(b, 'gperf', 1000, argv)
        gone = f'; libprofiler: {"a profile" if profile else "nothing is written"}'
    print(f'### After SIGKILL\n\nMissing at the end, of 600 ms: median {median(missing):.1f} ms, maximum {quantile(missing, 1):.1f} ms; '
          f'of the heap in use: at most {100 * max(heap_missing):.1f} %{gone}.\n')
    b.goal('the profile of a killed program lacks at most its last 200 ms', max(missing) <= 200, f'{max(missing):.1f} ms')
    b.goal('so does its heap profile', max(heap_missing) <= 1 / 3, f'{100 * max(heap_missing):.1f} % of 600 ms')


def pure(b):
    """Threads, files and heap that profiling adds to the target."""
    argv = load(b, 'pure', None, 0)
    rows = []
    base = Ran(argv).numbers()
    kinds = [f'--{k}=' + b.path('pure.' + k) for k in ('cpu', 'heap', 'block', 'mutex', 'threadcreate')]
    for name, done in (('none', Ran(argv)), ('cpa, all kinds', Ran(under_cpa(b, argv, *kinds))),
                       ('libprofiler', Ran(argv, under_gperf(b, 100, b.path('pure.gperf'))) if b.gperf else None)):
        if not done:
            continue
        numbers = done.numbers()
        rows.append((name, *(f'{numbers[k][0] - base[k][0]:+.0f}' for k in ('threads', 'fds', 'heap'))))
        if name.startswith('cpa'):
            same = all(numbers[k] == base[k] for k in ('threads', 'fds', 'heap'))
            b.goal('nothing is added to the target: no thread, no file, no heap', same, str(rows[-1][1:]))
    b.table('Added to the target', ['', 'threads', 'open files', 'heap bytes'], rows)
