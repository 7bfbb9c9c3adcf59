# rt_start.py - what beginnings and ends cost: of programs, of threads; and what is in the target
# SPDX-License-Identifier: Apache-2.0

import os

from rt_cpu import load, one
from rt_tools import Profile, Ran, in_turn, median, more_than, quantile, spread, under_cpa, under_gperf

def start(b, rounds):
    """What a start takes: many programs that do nothing, from one that is profiled."""
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
    """Thread created and joined: what it costs, by the wall clock and in CPU time."""
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
    for name, most, when in (('cpa, library idle', 3, 'idle'), ('cpa, 100 Hz', 25, 'profiling')):
        b.judge(f'a thread takes at most {most} us of CPU more when {when}', cpu_more[name], most, noise,
                f'{cpu_more[name]:+.2f} us, {wall_more[name]:+.2f} on the wall clock')


def killed(b, rounds):
    """What is there after SIGKILL: CPU time, and the heap."""
    left, heap_left = [], []
    argv, heap = load(b, 'kill', None, 0.6), b.path('killed.heap')
    cpu = b.path('killed.cpu')
    for _ in range(rounds):
        b.clean('killed.*')
        numbers = Ran(under_cpa(b, argv, '--hz=1000', f'--cpu={cpu}', f'--heap={heap}', '--heap-rate=1kB')).numbers()
        left.append((numbers['total'][0] - Profile(b, [cpu]).total) / 1e6)
        there = Profile(b, [heap], '-sample_index=inuse_space', unit='B').of('before_kill')
        heap_left.append(1 - there / numbers['kept'][0])
    gone = ''
    if b.gperf:
        _, profile = one(b, 'gperf', 1000, argv)
        gone = f'; libprofiler: {"a profile" if profile else "nothing is written"}'
    print(f'### After SIGKILL\n\nMissing at the end, of 600 ms: median {median(left):.1f} ms, most {quantile(left, 1):.1f} ms; '
          f'of what was kept: at most {100 * max(heap_left):.1f} %{gone}.\n')
    b.goal('the profile of a killed program lacks at most its last 200 ms', max(left) <= 200, f'{max(left):.1f} ms')
    b.goal('so does its heap profile', max(heap_left) <= 1 / 3, f'{100 * max(heap_left):.1f} % of 600 ms')


def pure(b):
    """What is in the target that was not there."""
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
            b.goal('nothing in the target: no thread, no file, no heap', same, str(rows[-1][1:]))
    b.table('In the target, more than alone', ['', 'threads', 'open files', 'heap bytes'], rows)
