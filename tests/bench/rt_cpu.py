# rt_cpu.py - CPU profiles: totals, fairness, shares, cost
# SPDX-License-Identifier: Apache-2.0

import os
import random

from rt_tools import Profile, Ran, in_turn, median, quantile, ratios, spread, table, under_cpa, under_gperf

LOADS = (('1 thread', 'burn', '1', 2.0), ('2 threads', 'burn', '2', 1.0), ('8 threads', 'burn', '8', 0.4),
         ('4 threads, 1 ms bursts', 'burst', '4', 0.4), ('read(2)', 'read', None, 2.0))
RATES = (100, 250, 1000)


def load(b, what, n, seconds):
    return [os.path.join(b.bin, 'rt_load'), what, *([n] if n else []), str(seconds)]


def one(b, who, hz, argv):
    """Run a workload under a profiler. Gives its own numbers, and the profile, or None where there is none."""
    out = b.path('one.' + who)
    b.clean('one.*')
    if who == 'cpa':
        done = Ran(under_cpa(b, argv, f'--hz={hz}', f'--cpu={out}'))
    else:
        done = Ran(argv, under_gperf(b, hz, out))
    ok = os.path.exists(out) and os.path.getsize(out) > 0
    files = [out] if who == 'cpa' else [argv[0], out]
    return done.numbers(), Profile(b, files) if ok else None


def totals(b, rounds):
    """The sum of a profile against the process's own clock."""
    print('### CPU time: the profile against the clock of the process\n')
    rows, worst = [], 0.0
    for hz in RATES:
        for name, what, n, seconds in LOADS:
            argv = load(b, what, n, seconds)

            def part(who, argv=argv, hz=hz):
                numbers, profile = one(b, who, hz, argv)
                return 100 * (profile.total if profile else 0) / numbers['total'][0]
            turns = {'cpa': lambda: part('cpa')}
            if b.gperf:
                turns['gperf'] = lambda: part('gperf')
            found = in_turn(rounds, turns)
            worst = max(worst, abs(median(found['cpa']) - 100))
            rows.append((f'{hz} Hz, {name}', *(f'{median(v):.1f} %' for v in found.values())))
    table(['', 'cpa', *(['libprofiler'] if b.gperf else [])], rows)
    b.goal('total CPU time within 2 % of the clock, 100 to 1000 Hz, 1 to 8 threads', worst <= 2,
           f'farthest median {worst:.2f} % off')


def fairness(b, rounds):
    """Eight threads with the same CPU time each: what the profile gives each of them."""
    print('### Eight threads of the same CPU time: least and most that the profile gives to one\n')
    rows = []
    for who in ['cpa'] + (['gperf'] if b.gperf else []):
        least, most = [], []
        for _ in range(rounds):
            numbers, profile = one(b, who, 1000, load(b, 'fair', '8', 0.5))
            got = [(profile.of(f'work_{i}') if profile else 0) / numbers[f'work_{i}'][0] for i in range(8)]
            least.append(min(got))
            most.append(max(got))
        rows.append(('libprofiler' if who == 'gperf' else who, f'{median(least):.2f}', f'{median(most):.2f}'))
        if who == 'cpa':
            b.goal('each of 8 threads gets 0.90 to 1.10 of its CPU time', min(least) >= 0.9 and max(most) <= 1.1,
                   f'{min(least):.3f} to {max(most):.3f} in {rounds} runs at 1000 Hz')
    table(['1000 Hz', 'least', 'most'], rows)


def shares(b, seconds):
    """50, 30, 15, 5 % of some CPU seconds."""
    print(f'### Shares of functions, {seconds} CPU seconds at 100 Hz\n')
    rows, far = [], 0.0
    sigma_ok = True
    for who in ['cpa'] + (['gperf'] if b.gperf else []):
        numbers, profile = one(b, who, 100, load(b, 'shares', None, seconds))
        row, whole = [], sum(v[0] for k, v in numbers.items() if k.startswith('part_'))
        for part in ('part_50', 'part_30', 'part_15', 'part_05'):
            want = numbers[part][0] / whole
            got = profile.of(part) / profile.total if profile else 0
            row.append(f'{100 * got:.2f} %')
            if who == 'cpa':
                far = max(far, abs(got - want))
                sigma_ok &= abs(got - want) <= 3 * (want * (1 - want) / (100 * seconds)) ** 0.5
        rows.append(('libprofiler' if who == 'gperf' else who, *row))
    table(['', '50 %', '30 %', '15 %', '5 %'], rows)
    b.goal('shares within 2 points and 3 sigma', far <= 0.02 and sigma_ok, f'farthest {100 * far:.2f} points')


def many_functions(n=900, seed=3):
    """C that keeps a compiler busy for some seconds."""
    draw = random.Random(seed)
    text = ['double g(double);']
    for i in range(n):
        body = ''.join(f' x = g(x * {draw.random():.4f} + {k}) / (1 + a[{k}] * x); if (x > {draw.randrange(99)}) a[{k}] += x;'
                       for k in range(14))
        text.append(f'double f{i}(double x, double *a) {{ for (int i = 0; i < {draw.randrange(2, 40)}; i++) {{{body} }} return x; }}')
    return '\n'.join(text)


def end_to_end(b, rounds):
    """User and system time of a compiler, with and without profilers."""
    source, out = b.path('many.c'), b.path('e2e.prof')
    with open(source, 'w', encoding='utf-8') as f:
        f.write(many_functions())
    argv = [Ran(['gcc', '-print-prog-name=cc1']).text().strip(), '-quiet', '-O2', source, '-o', b.path('many.s')]

    def under(who, hz):
        def cost():
            b.clean('e2e.prof*')
            if who == 'none':
                return Ran(argv).cpu
            if who == 'cpa':
                return Ran(under_cpa(b, argv, f'--hz={hz}', f'--cpu={out}')).cpu
            return Ran(argv, under_gperf(b, hz, out)).cpu
        return cost
    turns = {'none': under('none', 0), 'cpa, 100 Hz': under('cpa', 100), 'cpa, 1000 Hz': under('cpa', 1000)}
    if b.gperf:
        turns['libprofiler, 100 Hz'] = under('gperf', 100)
        turns['libprofiler, 1000 Hz'] = under('gperf', 1000)
    found = in_turn(rounds, turns)
    found['none again'] = found['none'][1:] + found['none'][:1]
    ratio = ratios(found, 'none')
    noise = spread(found['none'])
    print('### A compiler (cc1), user and system time, the collector\'s with it\n')
    table(['', 'median s', 'ratio to none, in pairs'],
          [(name, f'{median(values):.2f}', f'{ratio[name]:.4f}') for name, values in found.items()])
    print(f'The middle half of `none` is {100 * noise:.1f} % apart, {rounds} rounds.\n')
    for name, most in (('cpa, 100 Hz', 1.005), ('cpa, 1000 Hz', 1.02)):
        met = ratio[name] <= most
        if not met and ratio[name] - most <= noise:
            met = None
        b.goal(f'a compiler under {name}: at most {most:.3f}', met, f'{ratio[name]:.4f}, noise {noise:.4f}')


def start(b, rounds):
    """What a start takes: many programs that do nothing, from one that is profiled."""
    n, out = 200, b.path('start.prof')
    argv = ['sh', '-c', f'i=0; while [ $i -lt {n} ]; do /bin/true; i=$((i+1)); done']

    def wall(command, env=None):
        def each():
            b.clean('start.prof*')
            return 1000 * Ran(command, env).wall / n
        return each
    turns = {'none': wall(argv), 'cpa run --follow': wall(under_cpa(b, argv, '--follow', f'--cpu={out}')),
             'cpa run, not followed': wall(under_cpa(b, argv, f'--cpu={out}'))}
    if b.gperf:
        turns['libprofiler, idle'] = wall(argv, {'LD_PRELOAD': b.gperf})
        turns['libprofiler'] = wall(argv, under_gperf(b, 100, out))
    found = in_turn(rounds, turns)
    print('### Start of a program (/bin/true), ms\n')
    more = {k: median([v - w for v, w in zip(values, found['none'])]) for k, values in found.items()}
    table(['', 'median ms', 'more than none'], [(k, f'{median(v):.2f}', f'{more[k]:+.2f}') for k, v in found.items()])
    b.goal('start-up adds at most 0.3 ms', more['cpa run --follow'] <= 0.3, f'{more["cpa run --follow"]:+.2f} ms')


def threads(b, rounds):
    """Thread created and joined."""
    argv, out = load(b, 'threads', None, 3000), b.path('threads.prof')

    def each(command, env=None):
        return lambda: Ran(command, env).numbers()['ns_each'][0] / 1000
    turns = {'none': each(argv), 'cpa, 100 Hz': each(under_cpa(b, argv, f'--cpu={out}')),
             'cpa, library idle': each(argv, {'LD_PRELOAD': b.library})}
    if b.gperf:
        turns['libprofiler, 100 Hz'] = each(argv, under_gperf(b, 100, out))
    found = in_turn(rounds, turns)
    more = {k: median([v - w for v, w in zip(values, found['none'])]) for k, values in found.items()}
    print('### A thread created and joined, us\n')
    table(['', 'median us', 'more than none'], [(k, f'{median(v):.1f}', f'{more[k]:+.1f}') for k, v in found.items()])
    b.goal('a thread costs at most 3 us more when idle', more['cpa, library idle'] <= 3,
           f'{more["cpa, library idle"]:+.1f} us')
    b.goal('a thread costs at most 25 us more when profiling', more['cpa, 100 Hz'] <= 25, f'{more["cpa, 100 Hz"]:+.1f} us')


def killed(b, rounds):
    """What is there after SIGKILL."""
    left = []
    for _ in range(rounds):
        numbers, profile = one(b, 'cpa', 1000, load(b, 'kill', None, 0.6))
        left.append((numbers['total'][0] - (profile.total if profile else 0)) / 1e6)
    gone = ''
    if b.gperf:
        numbers, profile = one(b, 'gperf', 1000, load(b, 'kill', None, 0.6))
        gone = f'; libprofiler: {"nothing is written" if not profile else "a profile"}'
    print(f'### After SIGKILL\n\nMissing at the end, of 600 ms: median {median(left):.1f} ms, most {quantile(left, 1):.1f} ms'
          f'{gone}.\n')
    b.goal('the profile of a killed program lacks at most its last 200 ms', max(left) <= 200, f'{max(left):.1f} ms')


def pure(b):
    """What is in the target that was not there."""
    argv = load(b, 'pure', None, 0)
    rows = []
    base = Ran(argv).numbers()
    for name, done in (('none', Ran(argv)),
                       ('cpa', Ran(under_cpa(b, argv, '--cpu=' + b.path('pure.prof'), '--heap=' + b.path('pure.heap')))),
                       ('libprofiler', Ran(argv, under_gperf(b, 100, b.path('pure.gperf'))) if b.gperf else None)):
        if not done:
            continue
        numbers = done.numbers()
        rows.append((name, *(f'{numbers[k][0] - base[k][0]:+.0f}' for k in ('threads', 'fds', 'heap'))))
        if name == 'cpa':
            same = all(numbers[k] == base[k] for k in ('threads', 'fds', 'heap'))
            b.goal('nothing in the target: no thread, no file, no heap', same, str(rows[-1][1:]))
    print('### In the target, more than alone\n')
    table(['', 'threads', 'open files', 'heap bytes'], rows)
