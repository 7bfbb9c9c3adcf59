# rt_endpoint.py - cost of a profile server for the program: idle, and during a capture of CPU time
# SPDX-License-Identifier: Apache-2.0

import os
import time

from rt_serve import Served, cpu_ns, fds, n_timers, status, tasks, woken
from rt_tools import Ran, in_turn, median, more_than, ratios, spread, under_cpa

LOADS = (('compute', 'count', 1600), ('allocate', 'allocate', 60), ('lock', 'lock', 100), ('call', 'call', 3),
         ('threads', 'threads', 8000))
RATE = str(512 << 10)
# pairs of configurations, without and with a server
PAIRS = (('none', None), ('linked, idle', 'linked, served'), ('linked, heap', 'linked, served, heap'),
         ('none', 'run, served'), ('run --heap', 'run, served, heap'))


def ways(b):
    """{name: (function from argv to argv, environment)}"""
    linked = {'LD_PRELOAD': b.library}
    served = dict(linked, CPA_LISTEN='127.0.0.1:0')

    def plain(argv):
        return argv

    def under(*options):
        return lambda argv: under_cpa(b, argv, *options)
    return {'none': (plain, {}), 'linked, idle': (plain, linked), 'linked, served': (plain, dict(served, CPA_HEAP_RATE='0')),
            'linked, heap': (plain, dict(linked, CPA_HEAP_RATE=RATE)), 'linked, served, heap': (plain, served),
            'run, served': (under('--enable-profiling', '--heap-rate=0'), {}),
            'run --heap': (under('--heap=' + b.path('idle.heap')), {}), 'run, served, heap': (under('--enable-profiling'), {})}


def idle(b, rounds):
    """CPU time of the program from its own clock, with an idle server."""
    rows, found = [], {}
    for name, what, n in LOADS:
        argv = [os.path.join(b.bin, 'rt_load'), what, str(n)]

        def each(way, argv=argv):
            make, env = way
            return lambda: Ran(make(argv), env).numbers()['total'][0] / 1e6
        found[name] = in_turn(rounds, {way: each(mode) for way, mode in ways(b).items()})
    rows.append(('none, ms', *(f'{median(found[load]["none"]):.0f}' for load in found)))
    for base, way in PAIRS:
        for one, to in (((base, 'none'),) if base != 'none' else ()) + (((way, base),) if way else ()):
            rows.append((f'{one} / {to}', *(f'{ratios(by, to)[one]:.3f}' for by in found.values())))
    b.table('An idle server: CPU time of the program, paired ratio', ['', *found], rows)
    for base, way in PAIRS[1:]:
        for load, by in found.items():
            noise = max(spread(by[base]), spread(by[way]))
            ratio = ratios(by, base)[way]
            b.judge(f'an idle server costs nothing: {way} / {base}, {load}', ratio, 1.01, noise, f'{ratio:.4f}')


def single(b, rounds):
    """Operations that the C library optimises for one thread; a server in the program would be a second thread."""
    argv = [os.path.join(b.bin, 'rt_single')]
    keys = ('threads', 'shared_ptr', 'putc', 'malloc')

    def each(way):
        make, env = way
        return lambda: Ran(make(argv), env).numbers()
    turns = {name: each(way) for name, way in ways(b).items() if name in
             ('none', 'linked, idle', 'linked, served', 'run, served')}
    found = in_turn(rounds, turns)
    of = {key: {name: [v[key][0] for v in values] for name, values in found.items()} for key in keys}
    b.table('A single-threaded program, ns of CPU time', ['', *keys],
            [(name, *(f'{median(of[k][name]):.{0 if k == "threads" else 2}f}' for k in keys)) for name in found])
    for name in ('linked, idle', 'run, served'):
        for key in keys[1:3]:
            more, noise = more_than(of[key], 'none')[name], spread(of[key]['none']) * median(of[key]['none'])
            b.judge(f'a single-threaded program stays so, {name}, {key}: at most 0.3 ns more', more, 0.3, noise, f'{more:+.2f} ns')


def state_of(s, base, seconds):
    """Resources and activity of the program and of cpa while the server is idle."""
    before, used = woken(s.pid), cpu_ns(s.pid)
    parent = (woken(s.p.pid), cpu_ns(s.p.pid)) if s.p.pid != s.pid else None
    time.sleep(seconds)
    n, sockets = fds(s.pid)
    row = {'threads': len(tasks(s.pid)), 'files': n, 'sockets': sockets, 'timers': n_timers(s.pid),
           'wakes per second': sum(woken(s.pid).values()) - sum(before.values()), 'CPU ms per second': (cpu_ns(s.pid) - used) / 1e6,
           'RSS KiB': status(s.pid, 'VmRSS'), "cpa: wakes per second": 0, 'CPU us per second': 0, 'RSS MiB': 0}
    if parent:
        row.update({"cpa: wakes per second": (sum(woken(s.p.pid).values()) - sum(parent[0].values())) / seconds,
                    'CPU us per second': (cpu_ns(s.p.pid) - parent[1]) / 1e3 / seconds, 'RSS MiB': status(s.p.pid, 'VmRSS') / 1024})
    row['wakes per second'] /= seconds
    row['CPU ms per second'] /= seconds
    if base:
        for key in ('threads', 'files', 'sockets', 'RSS KiB'):
            row[key] -= base[key]
    return row


def states(b, seconds):
    """Threads, files, timers, wakeups, memory: increase by the server."""
    argv = [os.path.join(b.build, 'tests/runtime/waits'), '20', '100']
    kinds = (('none', 'none', (), {}), ('linked, idle', 'none', (), {'LD_PRELOAD': b.library}),
             ('linked, served', 'linked', (), {'CPA_HEAP_RATE': '0'}), ('linked, served, heap', 'linked', (), {}),
             ('run, served', 'run', ('--heap-rate=0',), {}), ('run, served, heap', 'run', (), {}))
    found = {}
    for name, mode, options, env in kinds:
        with Served(b, mode, argv, options, env) as s:
            if mode != 'none':
                s.get('cmdline')
                time.sleep(1.5) # the request has ended and the server is idle
            found[name] = state_of(s, found.get('none'), seconds)
    keys = list(found['none'])
    b.table('20 waiting threads and an idle server: increase', ['', *keys],
            [(name, *(f'{v:.1f}' if isinstance(v, float) else str(v) for v in row.values())) for name, row in found.items()])
    for name in ('run, served', 'run, served, heap'):
        row = found[name]
        b.goal(f'the server adds nothing to the program: {name}', not any(row[k] for k in keys[:5]),
               ', '.join(f'{k} {row[k]:+g}' for k in keys[:5]))
    for name in ('linked, served', 'linked, served, heap'):
        row = found[name]
        b.goal(f'one thread that sleeps, no timer: {name}', row['threads'] == 1 and not row['timers'] and
               row['wakes per second'] < 0.1, ', '.join(f'{k} {row[k]:+g}' for k in keys[:5]))


def pieces_of(b, mode, hz, seconds):
    """CPU time of the same work before, during and after a capture; numbers of timers; CPU time of cpa."""
    argv = [os.path.join(b.bin, 'rt_load'), 'pieces', str(3 * seconds + 2)]
    out, state = b.path('pieces.pb.gz'), {}
    with Served(b, mode, argv, ready='begin') as s:
        time.sleep(seconds)
        state['timers before'] = n_timers(s.pid)
        state['begin'] = time.time_ns()
        parent = cpu_ns(s.p.pid) if mode == 'run' else 0

        def meanwhile(done):
            s.wait(1)
            time.sleep(seconds / 2)
            state['timers'] = 0 if done() else n_timers(s.pid)
        s.while_asked(f'profile?seconds={seconds}&hz={hz}', out, meanwhile)
        state['cpa'] = (cpu_ns(s.p.pid) - parent) / 1e9 / seconds if mode == 'run' else 0
        state['end'] = time.time_ns()
        s.wait(0)
        state['timers after'] = n_timers(s.pid)
        text, _ = s.p.communicate(timeout=60)
    of = {'before': [], 'captured': [], 'after': []}
    for line in text.split(b'\n')[:-1]:
        words = line.split()
        if len(words) == 2 and words[0].isdigit():
            at, cost = int(words[0]), int(words[1])
            if at < state['begin']:
                of['before'].append(cost)
            elif state['begin'] + 1e8 < at < state['end'] - 1e8:
                of['captured'].append(cost)
            elif at > state['end'] + 1e8:
                of['after'].append(cost)
    base = median(of['before'] + of['after'])
    return {'while': median(of['captured']) / base, 'after': median(of['after']) / median(of['before']),
            'iqr': spread(of['before'] + of['after']), 'cpa': state['cpa'],
            'timers': tuple(state[k] for k in ('timers before', 'timers', 'timers after'))}


def captured(b, rounds, seconds):
    rows = []
    for mode in ('run', 'linked'):
        for hz in (100, 1000):
            found = [pieces_of(b, mode, hz, seconds) for _ in range(rounds)]
            of = {k: median([f[k] for f in found]) for k in ('while', 'after', 'iqr', 'cpa')}
            timers = {f['timers'] for f in found}
            rows.append((f'{mode}, {hz} Hz', f'{of["while"]:.4f}', f'{of["after"]:.4f}', f'{100 * of["iqr"]:.1f} %',
                         f'{1000 * of["cpa"]:.1f}', ' '.join('-'.join(map(str, t)) for t in sorted(timers))))
            name = f'during a capture at {hz} Hz, {mode}'
            b.judge(f'{name}: at most {1.005 if hz == 100 else 1.02}', of['while'], 1.005 if hz == 100 else 1.02, of['iqr'],
                    f'{of["while"]:.4f}')
            b.judge(f'nothing {name.replace("during", "after")}: at most 1.01', of['after'], 1.01, of['iqr'], f'{of["after"]:.4f}')
            b.goal(f'no timer before and {name.replace("during", "after")}', all(t[0] == t[2] == 0 < t[1] for t in timers), str(sorted(timers)))
    b.table('CPU time of the same work during and after a capture', ['', 'during', 'after', 'interquartile range',
            'cpa ms per second', 'timers before, during, after'], rows)


def endpoint(b):
    idle(b, b.rounds(9))
    single(b, b.rounds(9))
    states(b, 3 if b.quick else 10)
    captured(b, b.rounds(3), 2 if b.quick else 4)
