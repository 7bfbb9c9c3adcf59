# rt_memory.py - accuracy of heap profiles, and cost of allocations, locks and memory
# SPDX-License-Identifier: Apache-2.0

import os
import re

from rt_tools import Profile, Ran, in_turn, median, ratios, spread, under_cpa

RATE = 512 << 10
INDEX = ('alloc_objects', 'alloc_space', 'inuse_objects', 'inuse_space')


def profile_of(b, files):
    """{index: Profile}"""
    return {i: Profile(b, files, '-sample_index=' + i, unit='bytes' if i.endswith('space') else 'count') for i in INDEX}


def error(b, numbers, profile, site, index):
    """The relative error of a value of the profile."""
    want = numbers[site][INDEX.index(index)]
    return (profile[index].of(site) - want) / want if want else 0.0


def accuracy(b, megabytes):
    """Five functions with different mixes of sizes."""
    out = b.path('heap.prof')
    argv = [os.path.join(b.bin, 'rt_heap'), str(megabytes)]
    done = Ran(under_cpa(b, argv, f'--heap-rate={RATE}', f'--heap={out}'))
    numbers, profile = done.numbers(), profile_of(b, [out])
    rows = [(f'cpa, {i}', *(f'{100 * error(b, numbers, profile, s, i):+.1f} %' for s in sorted(numbers))) for i in INDEX]
    tc = os.path.join(b.bin, 'rt_heap_tcmalloc')
    if os.path.exists(tc):
        sample = b.path('heap.tcmalloc')
        other = Ran([tc, str(megabytes), sample], {'TCMALLOC_SAMPLE_PARAMETER': str(RATE)}).numbers()
        theirs = profile_of(b, [tc, sample])
        rows += [(f'tcmalloc, {i}', *(f'{100 * error(b, other, theirs, s, i):+.1f} %' for s in sorted(other)))
                 for i in ('inuse_objects', 'inuse_space')]
    b.table(f'Heap: {megabytes} MB in five mixes of sizes, one sample per {RATE >> 10} KiB', ['error of', *sorted(numbers)], rows)
    print('small; medium; many of 64 B with few of 1 MB; many of 256 B with few of 4 MB; 1 to 8 MB\n')
    exact(b)


def exact(b):
    """Rate 1 records every object."""
    out = b.path('exact.prof')
    argv = [os.path.join(b.bin, 'rt_heap'), '40']
    done = Ran(under_cpa(b, argv, '--heap-rate=1', f'--heap={out}'))
    numbers, profile = done.numbers(), profile_of(b, [out])
    wrong = [(s, i) for s in numbers for i in INDEX if s.startswith('site_') and error(b, numbers, profile, s, i)]
    b.goal('every object and byte at rate 1', not wrong and bool(numbers), ', '.join(map(str, wrong[:3])) or 'all 20 numbers')


def standard_errors(b, megabytes, runs):
    """The mean error of several runs, in standard errors estimated from the runs."""
    out, far, worst = b.path('se.prof'), [], 0.0
    argv = [os.path.join(b.bin, 'rt_heap'), str(megabytes)]
    found = {}
    for _ in range(runs):
        b.clean('se.prof*')
        numbers = Ran(under_cpa(b, argv, f'--heap-rate={RATE}', f'--heap={out}')).numbers()
        profile = profile_of(b, [out])
        for s in numbers:
            for i in INDEX[:2]:
                found.setdefault((s, i), []).append(error(b, numbers, profile, s, i))
    for key, errors in found.items():
        mean = sum(errors) / len(errors)
        deviation = (sum((e - mean) ** 2 for e in errors) / (len(errors) - 1)) ** 0.5
        z = abs(mean) / (deviation / len(errors) ** 0.5) if deviation else 0.0
        far.append((z, key))
        worst = max(worst, z)
    print(f'Mean error of {runs} runs of {megabytes} MB, in its own standard errors: at most {worst:.1f} '
          f'({max(far)[1]}).\n')
    b.goal('bytes and objects within three standard errors, all mixes', worst <= 3, f'at most {worst:.2f} of {len(far)}')


def allocators(b, rounds):
    """Cost of an allocation with each allocator, with and without sampling."""
    program = os.path.join(b.build, 'tests/runtime/heap_bench')
    if not os.path.exists(program):
        b.goal('malloc and free: +3 ns tight, 1.08 x mixed', None, 'no heap_bench')
        return
    which = [('none', [program], {}),
             ('cpa, 512 KiB', under_cpa(b, [program], f'--heap-rate={RATE}', '--heap=' + b.path('a.prof')), {})]
    if b.tcmalloc:
        which += [('tcmalloc', [program], {'LD_PRELOAD': b.tcmalloc}),
                  ('tcmalloc, sampled', [program], {'LD_PRELOAD': b.tcmalloc, 'TCMALLOC_SAMPLE_PARAMETER': str(RATE)})]
    if b.jemalloc:
        which += [('jemalloc', [program], {'LD_PRELOAD': b.jemalloc}),
                  ('jemalloc, sampled', [program], {'LD_PRELOAD': b.jemalloc,
                                                    'MALLOC_CONF': 'prof:true,lg_prof_sample:19'})]
    found = {}
    for i in range(rounds):
        for name, argv, env in which[i % len(which):] + which[:i % len(which)]:
            b.clean('a.prof*')
            for key, value in Ran(argv, env).numbers().items():
                found.setdefault(key, {}).setdefault(name, []).append(value[0])
    keys = list(found)
    b.table('malloc and free, ns of CPU time per pair', ['', *keys],
            [(name, *(f'{median(found[k].get(name, [])):.1f}' for k in keys)) for name, _, _ in which])
    for key, by_name in found.items():
        more = median([v - w for v, w in zip(by_name['cpa, 512 KiB'], by_name['none'])])
        ratio, noise = ratios(by_name, 'none')['cpa, 512 KiB'], spread(by_name['none'])
        if key.startswith('tight'):
            b.judge(f'malloc and free, {key}: at most +3 ns', more, 3, noise * median(by_name['none']),
                    f'{more:+.2f} ns, {ratio:.2f} x')
        else:
            b.judge(f'malloc and free, {key}: at most 1.08 x', ratio, 1.08, noise, f'{ratio:.3f} x')


def locks(b, rounds):
    """Cost of an uncontended lock; lock_bench compares it with the C library in the same process. The least of its rounds
    counts: on a machine with other work, medians of two functions differ by more than the wrapper costs."""
    program = os.path.join(b.build, 'tests/runtime/lock_bench')
    if not os.path.exists(program):
        b.goal('lock wrappers: 0.5 ns off, 2 ns on', None, 'no lock_bench')
        return

    def each(argv, env=None):
        def one_round():
            lines = re.findall(r'^(\w+) +found.* more +[-+.\d]+ \( *([-+.\d]+)\)', Ran(argv, env).text(), re.M)
            return {what: float(more) for what, more in lines}
        return one_round
    on = ['--block=' + b.path('l.block'), '--mutex=' + b.path('l.mutex')]
    found = in_turn(rounds, {'none': each([program]), 'cpa, linked and not profiled': each([program], {'LD_PRELOAD': b.library}),
                             'cpa, CPU only': each(under_cpa(b, [program], '--cpu=' + b.path('l.cpu'))),
                             'cpa, on': each(under_cpa(b, [program], *on))})
    more = {k: {what: [v[what] for v in values] for what in ('mutex', 'sem')} for k, values in found.items()}
    b.table('Lock and unlock, extra ns compared with the C library in the same process', ['', 'mutex', 'semaphore'],
            [(k, *(f'{median(v):+.2f}' for v in by.values())) for k, by in more.items()])
    noise = max(abs(v) for v in more['none']['mutex'])
    for name, limit, when in (('cpa, linked and not profiled', 0.5, 'nothing is profiled'),
                             ('cpa, CPU only', 0.5, 'locks are not profiled'), ('cpa, on', 2, 'they are')):
        got = median(more[name]['mutex'])
        b.judge(f'a lock and unlock cost at most {limit} ns more when {when}', got, limit, noise, f'{got:+.2f} ns')


def memory(b):
    """Extra memory of the target: for running threads and for live samples."""
    rows, met = [], True
    load = os.path.join(b.bin, 'rt_load')
    cases = [(f'{n} threads', [load, 'memory', str(n), '0.2'], ['--cpu=' + b.path('m.prof')], 64 * n) for n in (1, 8, 32)]
    cases += [(f'{n} live samples', [load, 'live', str(n)], ['--heap-rate=1', '--heap=' + b.path('m.heap')], n / 4)
              for n in (1000, 20000, 100000)]
    for name, argv, options, part in cases:
        found = in_turn(3, {'none': lambda a=argv: Ran(a).numbers()['rss'][0],
                            'cpa': lambda a=argv, o=options: Ran(under_cpa(b, a, *o)).numbers()['rss'][0]})
        more = median(found['cpa']) - median(found['none'])
        met &= more <= 1024 + part
        rows.append((name, f'{more:.0f}', f'{1024 + part:.0f}'))
    b.table('Extra memory of the target, KiB', ['', 'more', 'goal'], rows)
    b.goal('at most 1 MiB, 64 KiB for each running thread, 256 B for each live sample', met,
           ', '.join(f'{r[0]}: {r[1]} KiB' for r in rows))
