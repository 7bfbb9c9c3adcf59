# rt_stacks.py - cost of a sample and of a thread dump, and completeness of stacks
# SPDX-License-Identifier: Apache-2.0

import os
import re
import shutil
import signal
import subprocess
import time

from rt_tools import Profile, Ran, median, under_cpa, under_gperf


def bench_program(b, name, goal):
    program = os.path.join(b.build, 'tests/runtime', name)
    if os.path.exists(program):
        return program
    b.goal(goal, None, f'no {name}')
    return None


def sample(b, rounds):
    """Cost of a sample including delivery, at depths of 8, 30 and 60."""
    goal = 'a sample at depth 30 costs at most 2 us, and a quarter of libprofiler\'s'
    program = bench_program(b, 'sample_bench', goal)
    if not program:
        return
    hz = 100
    which = [('cpa', under_cpa(b, [program], f'--hz={hz}', '--cpu=' + b.path('s.prof')), {})]
    if b.gperf:
        which.append(('libprofiler', [program], under_gperf(b, hz, b.path('s.gperf'))))
    which.append(('an empty handler', [program, '-e'], {}))
    found, taken = {}, True
    for i in range(rounds):
        for name, argv, env in which[i % len(which):] + which[:i % len(which)]:
            b.clean('s.*')
            numbers = Ran(argv, env).numbers()
            n_taken = numbers.pop('samples', [0])[0]
            if name == 'cpa':
                taken &= 0 < n_taken <= Profile(b, [b.path('s.prof')], '-sample_index=samples', unit='count').total + 1
            for depth, value in numbers.items():
                found.setdefault(name, {}).setdefault(depth, []).append(value[0] / 1000)
    depths = list(found.get('cpa', {}))
    if not depths or not taken:
        b.goal(goal, False, 'samples are missing in the profile')
        return
    b.table('One sample, delivery included, us of CPU time', ['', *depths],
            [(n, *(f'{median(found[n].get(d, [])):.2f}' for d in depths)) for n, _, _ in which if n in found])
    ours, theirs = median(found['cpa']['depth_30']), median(found.get('libprofiler', {}).get('depth_30', []))
    b.goal(goal, ours <= 2 and not ours > theirs / 4, f'{ours:.2f} us of {theirs:.2f}')


STACK_GOALS = ('at least 99.5 % of stacks are complete, and as many equal to libunwind\'s',
               'a walk in real programs takes at most 15 us (median), 25 us (p90)')


def stacks(b):
    """Programs of Debian: compare each sample with libunwind, and its cost."""
    script = os.path.join(b.top, 'tests/runtime/unwind_compare.sh')
    done = Ran(['sh', script, b.build], limit=600)
    if done.status != 0: # libunwind-dev is missing
        for name in STACK_GOALS:
            b.goal(name, None, 'no libunwind to compare with')
        return
    print('### Stacks of programs without frame pointers, against libunwind\n')
    print(''.join('    ' + line + '\n' for line in done.text().splitlines()))
    whole = [float(v) for v in re.findall(r'complete[^\d]*([\d.]+)\s*%', done.text())]
    same = [float(v) for v in re.findall(r'equal[^\d]*([\d.]+)\s*%', done.text())]
    b.goal(STACK_GOALS[0], bool(whole and same) and min(whole) >= 99.5 and min(same) >= 99.5,
           f'complete {min(whole, default=0):.2f} %, equal {min(same, default=0):.2f} %')
    walks = [(int(m), int(p)) for m, p in re.findall(r'cached (\d+)/(\d+)', done.text())]
    slow, slowest = max((w[0] for w in walks), default=0) / 1000, max((w[1] for w in walks), default=0) / 1000
    b.goal(STACK_GOALS[1], bool(walks) and slow <= 15 and slowest <= 25, f'at most {slow:.1f} and {slowest:.1f} us')


def eu_stack_ms(waits):
    """Dump the same 1000 threads with eu-stack; None if that is missing."""
    if not shutil.which('eu-stack'):
        return None
    with subprocess.Popen([waits, '1000'], stdout=subprocess.PIPE) as p:
        p.stdout.readline()
        begin = time.monotonic()
        subprocess.run(['eu-stack', '-p', str(p.pid)], capture_output=True, check=False)
        found = 1000 * (time.monotonic() - begin)
        p.send_signal(signal.SIGKILL)
    return found


def dump(b, rounds):
    """Dump 1000 threads, with and without the library, and count interrupted calls."""
    goal = '1000 threads are dumped within 100 ms, and none sees EINTR'
    program = bench_program(b, 'threads_dump', goal)
    if not program:
        return
    waits, interrupted = (os.path.join(b.build, 'tests/runtime', name) for name in ('waits', 'interrupted'))
    found, whole, others = {}, True, []
    for _ in range(rounds):
        for name, options in (('with the library', ['-l', b.library]), ('unprepared', [])):
            text = Ran([program, '-n', '5', '-w', '20', *options, waits, '1000']).text()
            dumps = re.findall(r'^dump ([\d.]+) ms, (\d+) threads', text, re.M)
            whole &= len(dumps) == 5 and all(n == '1001' for _, n in dumps)
            found.setdefault(name, []).extend(float(ms) for ms, _ in dumps)
        others.append(eu_stack_ms(waits))
    others = [o for o in others if o is not None]
    bothered = sum(Ran([program, '-n', '30', '-w', '20', *options, '-t', interrupted, '20']).status
                   for options in ([], ['-l', b.library]))
    rows = [(k, f'{min(v):.1f}', f'{median(v):.1f}', f'{max(v):.1f}') for k, v in found.items() if v]
    if others:
        rows.append(('eu-stack, which stops it', f'{min(others):.1f}', f'{median(others):.1f}', f'{max(others):.1f}'))
    b.table('A dump of 1000 threads, ms', ['', 'minimum', 'median', 'maximum'], rows)
    slowest = max((median(v) for v in found.values()), default=float('nan'))
    b.goal(goal, whole and slowest <= 100 and bothered == 0,
           f'{slowest:.1f} ms, {"all" if whole else "not all"} answered, {bothered} kinds of calls saw EINTR')
