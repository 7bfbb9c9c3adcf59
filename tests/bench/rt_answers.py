# rt_answers.py - latency of responses, and accuracy of CPU profiles on demand
# SPDX-License-Identifier: Apache-2.0

import os
import threading
import time

from rt_cpu import load
from rt_serve import Captured, Served, cpu_ns
from rt_tools import Ran, in_turn, median, spread

KINDS = (('cmdline', 'cmdline'), ('index', ''), ('heap', 'heap'), ('heap, debug=1', 'heap?debug=1'), ('block', 'block'),
         ('mutex', 'mutex'), ('threads', 'goroutine'), ('threads, debug=2', 'goroutine?debug=2'),
         ('profile, beyond its 1 s', 'profile?seconds=1'))
RATES = ('--block-rate=10000', '--mutex-fraction=1')
LINKED = {'CPA_BLOCK_RATE': '10000', 'CPA_MUTEX_FRACTION': '1'}


def service(b, name, mode, waiting, busy):
    """Start a program of rt_service; None if it was not built."""
    program = os.path.join(b.bin, name)
    if not os.path.exists(program):
        return None
    run = mode == 'run'
    return Served(b, mode, [program, str(waiting), str(busy)], RATES if run else (), None if run or mode == 'none' else LINKED)


def beyond(s, path):
    """Latency of a response in milliseconds, without the requested seconds, and its size."""
    took, size = s.get(path)
    return 1000 * (took - path.count('seconds=1')), size


def latency(b, rounds):
    """1000 waiting threads and one that works; a small program, one with much DWARF, and a Go server."""
    servers = {'Go': ('rt_service_go', 'none', ''), 'run': ('rt_service', 'run', ''), 'run, addresses': ('rt_service', 'run', 'symbolize=0'),
               'linked': ('rt_service', 'linked', ''), 'run, large': ('rt_service_large', 'run', ''),
               'run, large, addresses': ('rt_service_large', 'run', 'symbolize=0'), 'linked, large': ('rt_service_large', 'linked', '')}
    names, cells, first = [], {}, {}
    for name, (program, mode, query) in servers.items():
        s = service(b, program, mode, 1000, 1)
        if not s:
            continue
        names.append(name)
        with s:
            time.sleep(1) # so that there are allocations and waits
            for kind, path in KINDS:
                if query and 'debug' not in path and path not in ('', 'cmdline'):
                    path += ('&' if '?' in path else '?') + query
                n = max(3, rounds // 4) if 'seconds' in path else rounds
                first[name, kind] = beyond(s, path)
                cells[name, kind] = [beyond(s, path)[0] for _ in range(n)]
    b.table(f'Latency of a complete response, ms, 1000 waiting threads, median of {rounds}', ['', *names],
            [(kind, *(f'{median(cells[name, kind]):.1f}' for name in names)) for kind, _ in KINDS])
    b.table('The first of these responses, ms', ['', *names], [(kind, *(f'{first[name, kind][0]:.0f}' for name in names)) for kind, _ in KINDS])
    for name in names[1:]:
        for kind, limit in (('heap', 20), ('block', 20), ('threads', 200), ('profile, beyond its 1 s', 100)):
            got = cells[name, kind]
            b.judge(f'{kind} of {name} within {limit} ms', median(got), limit, spread(got) * median(got), f'{median(got):.1f} ms')


class Clock(threading.Thread):
    """Records the clock of a process every 10 ms."""

    def __init__(self, pid):
        super().__init__()
        self.pid, self.seen, self.over = pid, [], threading.Event()

    def run(self):
        while not self.over.wait(0.01):
            before = time.time_ns()
            used = cpu_ns(self.pid)
            after = time.time_ns()
            if after - before < 2e6: # else the time of the reading is uncertain
                self.seen.append(((before + after) // 2, used))

    def at(self, t):
        """The clock at a time, interpolated between two readings."""
        lower = max((x for x in self.seen if x[0] <= t), default=self.seen[0])
        upper = min((x for x in self.seen if x[0] > t), default=self.seen[-1])
        part = (t - lower[0]) / (upper[0] - lower[0]) if upper[0] > lower[0] else 0
        return lower[1] + part * (upper[1] - lower[1])


def capture(b, s, seconds, hz):
    """A profile, and the CPU time of the program from its begin to its end."""
    out, clock = b.path('answer.pb.gz'), Clock(s.pid)
    clock.start()
    time.sleep(0.05)
    s.get(f'profile?seconds={seconds}&hz={hz}', out)
    time.sleep(0.05)
    clock.over.set()
    clock.join()
    p = Captured(b, out)
    return p, clock.at(p.begin + p.duration) - clock.at(p.begin)


def accuracy(b, rounds, seconds):
    rows, worst = [], 0.0
    for mode in ('run', 'linked'):
        for n in (1, 8):
            with Served(b, mode, [os.path.join(b.build, 'tests/runtime/waits'), '0', '1000', str(n)]) as s:
                for hz in (100, 1000):
                    found = [capture(b, s, seconds, hz) for _ in range(rounds)]
                    parts = [100 * p.total / used for p, used in found]
                    worst = max([worst, *(abs(part - 100) for part in parts)])
                    rows.append((f'{mode}, {n} threads, {hz} Hz', f'{min(parts):.2f} %', f'{median(parts):.2f} %', f'{max(parts):.2f} %',
                                 f'{max(100 * p.not_sampled / p.total for p, _ in found):.2f} %',
                                 f'{median([p.duration / 1e9 for p, _ in found]):.3f}'))
    b.table(f'profile?seconds={seconds} compared with the clock of the program', ['', 'minimum', 'median', 'maximum', 'not sampled, maximum', 'duration, s'],
            rows)
    b.goal('a requested profile has the CPU time of its interval within 2 %', worst <= 2, f'largest error {worst:.2f} %')


def shares(b, seconds):
    """Four functions that alternate, 50, 30, 15 and 5 %, captured until the program ends."""
    out, rows, far = b.path('shares.pb.gz'), [], 0.0
    for mode in ('run', 'linked'):
        with Served(b, mode, load(b, 'shares', None, seconds), ready='') as s:
            s.get('profile?seconds=280&hz=100', out)
            output = s.p.communicate(timeout=60)[0].decode()
        used = {w[0]: float(w[1]) for w in map(str.split, output.splitlines()) if len(w) == 2}
        p, parts = Captured(b, out), ('part_50', 'part_30', 'part_15', 'part_05')
        whole = sum(used[k] for k in parts)
        got = [p.of(k) / p.total for k in parts]
        far = max([far, *(abs(g - used[k] / whole) for g, k in zip(got, parts))])
        rows.append((mode, *(f'{100 * g:.2f} %' for g in got), f'{100 * p.total / used["total"]:.2f} %'))
    b.table(f'Shares of functions on demand, {seconds} CPU seconds at 100 Hz', ['', '50 %', '30 %', '15 %', '5 %', 'total'], rows)
    b.goal('shares on demand within 2 points', far <= 0.02, f'largest error {100 * far:.2f} points')


def first_sample(b, rounds):
    """Time from the request until threads have timers, and the share of a second that is not sampled."""
    rows, found = [], {}
    for mode in ('run', 'linked'):
        for n in (1, 8, 100, 1000):
            one, every, missed = [], [], []
            with Served(b, mode, [os.path.join(b.build, 'tests/runtime/waits'), '0', '1000', str(n)]) as s:
                for _ in range(rounds):
                    out = b.path('first.pb.gz')

                    def meanwhile(_, s=s, one=one, every=every, n=n):
                        took = s.wait(1)
                        if took is not None:
                            one.append(took * 1000)
                            more = s.wait(n)
                            every.append(took * 1000 + more * 1000 if more is not None else float('nan'))
                    s.while_asked('profile?seconds=1&hz=100', out, meanwhile)
                    p = Captured(b, out)
                    missed.append(100 * p.not_sampled / p.total if p.total else 100)
                    s.wait(0)
            found[mode, n] = missed
            rows.append((f'{mode}, {n} threads', f'{median(one):.1f}', f'{max(one, default=float("nan")):.1f}', f'{median(every):.1f}',
                         f'{median(missed):.2f} %', f'{max(missed):.2f} %'))
    b.table('Time from the request to a timer, ms; share of a second that is not sampled',
            ['', 'first thread', 'maximum', 'all threads', 'not sampled', 'maximum'], rows)
    for mode in ('run', 'linked'):
        worst = max(median(found[mode, n]) for n in (1, 8, 100, 1000))
        b.goal(f'at most 2 % of the CPU time of a second is not sampled, {mode}', worst <= 2, f'{worst:.2f} %')


def snapshots(b, rounds):
    """Six profiles in parallel and one after the other; the stacks of 1000 threads."""
    seconds, folder, kinds = 1, b.path('snapshot'), ('heap', 'allocs', 'goroutine', 'block', 'mutex')
    with service(b, 'rt_service', 'run', 1000, 1) as s:
        def one_by_one():
            begin = time.monotonic()
            for path in (f'profile?seconds={seconds}', *kinds):
                Ran(['curl', '-sf', '-o', b.path('one'), f'{s.base}/debug/pprof/{path}'])
            return 1000 * (time.monotonic() - begin)

        def snapshot():
            done = Ran([b.cpa, 'snapshot', f'--seconds={seconds}', '--force', '-o', folder, s.base])
            return 1000 * done.wall if done.status == 0 else None

        def threads():
            done = Ran([b.cpa, 'threads', str(s.pid)])
            return 1000 * done.wall if done.status == 0 else None
        found = in_turn(rounds, {'cpa snapshot': snapshot, 'curl six times': one_by_one, 'cpa threads PID': threads})
    b.table(f'Six profiles including {seconds} s of CPU time, and cpa threads, for 1001 threads, ms', ['', 'minimum', 'median', 'maximum'],
            [(name, *(f'{f(v):.0f}' for f in (min, median, max))) for name, v in found.items()])
    for name, limit in (('cpa snapshot', 1000 * seconds + 200), ('cpa threads PID', 100)):
        got = found[name]
        b.judge(f'{name} of 1000 threads within {limit} ms', median(got), limit, spread(got) * median(got), f'{median(got):.0f} ms')


def answers(b):
    latency(b, b.rounds(20))
    first_sample(b, 5 if b.quick else 15)
    accuracy(b, 1 if b.quick else 3, 3 if b.quick else 10)
    shares(b, 10 if b.quick else 20)
    snapshots(b, b.rounds(15))
