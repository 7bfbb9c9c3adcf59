# rt_cpu.py - CPU profiles: totals, fairness, shares, cost
# SPDX-License-Identifier: Apache-2.0

import os
import random

from rt_tools import Profile, Ran, in_turn, median, ratios, spread, under_cpa, under_gperf

LOADS = (('1 thread', 'burn', '1', 1.2), ('2 threads', 'burn', '2', 0.8), ('8 threads', 'burn', '8', 0.3),
         ('4 threads, 1 ms bursts', 'burst', '4', 0.4), ('read(2)', 'read', None, 1.2))
RATES = (100, 250, 1000)


def load(b, what, n, seconds):
    return [os.path.join(b.bin, 'rt_load'), what, *([n] if n else []), str(seconds)]


def one(b, profiler, hz, argv, *options):
    """Run a workload under a profiler. Returns its output and the profile, or None without a profile."""
    out = b.path('one.' + profiler)
    b.clean('one.*')
    if profiler == 'cpa':
        done = Ran(under_cpa(b, argv, f'--hz={hz}', f'--cpu={out}', *options))
    else:
        done = Ran(argv, under_gperf(b, hz, out))
    ok = os.path.exists(out) and os.path.getsize(out) > 0
    files = [out] if profiler == 'cpa' else [argv[0], out]
    return done.numbers(), Profile(b, files) if ok else None


def totals(b, rounds):
    """The total of a profile compared with the clock of the process."""
    rows, worst = [], 0.0
    for hz in RATES:
        for name, what, n, seconds in LOADS:
            argv = load(b, what, n, seconds)

            def part(profiler, argv=argv, hz=hz):
                numbers, profile = one(b, profiler, hz, argv)
                return 100 * (profile.total if profile else 0) / numbers['total'][0]
            turns = {'cpa': lambda: part('cpa')}
            if b.gperf:
                turns['gperf'] = lambda: part('gperf')
            found = in_turn(rounds, turns)
            worst = max(worst, abs(median(found['cpa']) - 100))
            rows.append((f'{hz} Hz, {name}', *(f'{median(v):.1f} %' for v in found.values())))
    b.table('CPU time: the profile compared with the clock of the process', ['', 'cpa', *(['libprofiler'] if b.gperf else [])],
            rows)
    b.goal('total CPU time within 2 % of the clock, 100 to 1000 Hz, 1 to 8 threads', worst <= 2,
           f'largest error of a median {worst:.2f} %')


def fairness(b, rounds):
    """Shares of eight threads that use the same CPU time."""
    rows = []
    for profiler in ['cpa'] + (['gperf'] if b.gperf else []):
        lowest, highest = [], []
        for _ in range(rounds):
            numbers, profile = one(b, profiler, 1000, load(b, 'fair', '8', 0.5))
            got = [(profile.of(f'work_{i}') if profile else 0) / numbers[f'work_{i}'][0] for i in range(8)]
            lowest.append(min(got))
            highest.append(max(got))
        rows.append(('libprofiler' if profiler == 'gperf' else profiler, f'{median(lowest):.2f}', f'{median(highest):.2f}'))
        if profiler == 'cpa':
            b.goal('each of 8 threads gets 0.90 to 1.10 of its CPU time', min(lowest) >= 0.9 and max(highest) <= 1.1,
                   f'{min(lowest):.3f} to {max(highest):.3f} in {rounds} runs at 1000 Hz')
    b.table('Eight threads with equal CPU time: minimum and maximum in the profile', ['1000 Hz', 'minimum', 'maximum'],
            rows)


def shares(b, seconds):
    """Four functions with 50, 30, 15 and 5 % of the CPU time."""
    rows, far = [], 0.0
    sigma_ok = True
    for profiler in ['cpa'] + (['gperf'] if b.gperf else []):
        numbers, profile = one(b, profiler, 100, load(b, 'shares', None, seconds))
        row, whole = [], sum(v[0] for k, v in numbers.items() if k.startswith('part_'))
        for part in ('part_50', 'part_30', 'part_15', 'part_05'):
            want = numbers[part][0] / whole
            got = profile.of(part) / profile.total if profile else 0
            row.append(f'{100 * got:.2f} %')
            if profiler == 'cpa':
                far = max(far, abs(got - want))
                sigma_ok &= abs(got - want) <= 3 * (want * (1 - want) / (100 * seconds)) ** 0.5
        rows.append(('libprofiler' if profiler == 'gperf' else profiler, *row))
    b.table(f'Shares of functions, {seconds} CPU seconds at 100 Hz', ['', '50 %', '30 %', '15 %', '5 %'], rows)
    b.goal('shares within 2 points and 3 sigma', far <= 0.02 and sigma_ok, f'largest error {100 * far:.2f} points')


def engines(b, runs, seconds=4):
    """Shares of the four functions in RUNS short runs of each engine, in standard errors of their numbers of samples."""
    rows, far = [], 0.0
    parts = ('part_50', 'part_30', 'part_15', 'part_05')
    found = {engine: [] for engine in ('timer', 'perf', 'itimer')}
    total = {engine: dict.fromkeys(parts, (0.0, 0.0)) for engine in found}
    for _ in range(runs):
        for engine, errors in found.items():
            numbers, profile = one(b, 'cpa', 100, load(b, 'shares', None, seconds), f'--engine={engine}')
            got, want = sum(profile.of(p) for p in parts), sum(numbers[p][0] for p in parts)
            for p in parts:
                w, g = numbers[p][0] / want, profile.of(p) / got
                errors.append((g - w) / (w * (1 - w) / (100 * seconds)) ** 0.5)
                total[engine][p] = (total[engine][p][0] + g / runs, total[engine][p][1] + w / runs)
    for engine, errors in found.items():
        rms, largest = (sum(e * e for e in errors) / len(errors)) ** 0.5, max(abs(e) for e in errors)
        far = max(far, largest)
        rows.append((engine, *(f'{100 * g:.2f} of {100 * w:.2f} %' for g, w in total[engine].values()), f'{rms:.2f}', f'{largest:.2f}'))
    b.table(f'Shares, means of {runs} runs of {seconds} CPU seconds at 100 Hz, and their errors in standard errors of {100 * seconds} samples',
            ['engine', '50 %', '30 %', '15 %', '5 %', 'rms', 'largest'], rows)
    b.goal(f'no share of any engine is off by more than 3.6 standard errors ({12 * runs} shares)', far <= 3.6, f'{far:.2f}')


def many_functions(n=200, seed=3):
    """C source that keeps a compiler busy for two or three seconds."""
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

    def under(profiler, hz):
        def cost():
            b.clean('e2e.prof*')
            if profiler == 'none':
                return Ran(argv).cpu
            if profiler == 'cpa':
                return Ran(under_cpa(b, argv, f'--hz={hz}', f'--cpu={out}')).cpu
            return Ran(argv, under_gperf(b, hz, out)).cpu
        return cost
    turns = {'none': under('none', 0), 'cpa, 100 Hz': under('cpa', 100), 'cpa, 1000 Hz': under('cpa', 1000)}
    if b.gperf:
        turns['libprofiler, 100 Hz'] = under('gperf', 100)
        turns['libprofiler, 1000 Hz'] = under('gperf', 1000)
    found = in_turn(rounds, turns)
    ratio = ratios(found, 'none')
    noise = max(spread(v) for v in found.values())
    b.table('A compiler (cc1), user and system time, including the collector', ['', 'median s', 'paired ratio to none'],
            [(name, f'{median(values):.3f}', f'{ratio[name]:.4f}') for name, values in found.items()])
    print(f'The interquartile range of a row is at most {100 * noise:.1f} %, {rounds} rounds.\n')
    for name, limit in (('cpa, 100 Hz', 1.005), ('cpa, 1000 Hz', 1.02)):
        b.judge(f'a compiler under {name}: at most {limit:.3f}', ratio[name], limit, noise, f'{ratio[name]:.4f}')
