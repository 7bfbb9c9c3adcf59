# rt_memory.py - heap profiles against what was really allocated, and what profilers themselves take
# SPDX-License-Identifier: Apache-2.0

import os

from rt_tools import Profile, Ran, in_turn, median, ratios, spread, table, under_cpa

RATE = 512 << 10
INDEX = ('alloc_objects', 'alloc_space', 'inuse_objects', 'inuse_space')


def profile_of(b, files):
    """{index: Profile}"""
    return {i: Profile(b, files, '-sample_index=' + i, unit='bytes' if i.endswith('space') else 'count') for i in INDEX}


def error(b, numbers, profile, site, index):
    """Relative error of a number in the profile."""
    want = numbers[site][INDEX.index(index)]
    return (profile[index].of(site) - want) / want if want else 0.0


def accuracy(b, megabytes):
    """Five functions with mixes of sizes."""
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
    print(f'### Heap: {megabytes} MB in five mixes of sizes, a sample each {RATE >> 10} KiB\n')
    print('small; middling; many of 64 B with few of 1 MB; many of 256 B with few of 4 MB; 1 to 8 MB\n')
    table(['error of', *sorted(numbers)], rows)
    exact(b)


def exact(b):
    """Rate 1: every object."""
    out = b.path('exact.prof')
    argv = [os.path.join(b.bin, 'rt_heap'), '40']
    done = Ran(under_cpa(b, argv, '--heap-rate=1', f'--heap={out}'))
    numbers, profile = done.numbers(), profile_of(b, [out])
    wrong = [(s, i) for s in numbers for i in INDEX if s.startswith('site_') and error(b, numbers, profile, s, i)]
    b.goal('every object and byte at rate 1', not wrong and bool(numbers), ', '.join(map(str, wrong[:3])) or 'all 20 numbers')


def standard_errors(b, megabytes, runs):
    """The same over some runs, in standard errors that come from the runs themselves."""
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
    """What an allocation takes under each allocator, alone and sampled."""
    program = os.path.join(b.build, 'tests/runtime/heap_bench')
    if not os.path.exists(program):
        b.goal('malloc and free: +3 ns tight, 1.15 x mixed', None, 'no heap_bench')
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
    print('### malloc and free, ns a pair\n')
    keys = list(found)
    table(['', *keys], [(name, *(f'{median(found[k].get(name, [])):.1f}' for k in keys)) for name, _, _ in which])
    judge(b, found)


def judge(b, found):
    for key, by_name in found.items():
        more = median([v - w for v, w in zip(by_name['cpa, 512 KiB'], by_name['none'])])
        ratio = ratios(by_name, 'none')['cpa, 512 KiB']
        if key.startswith('tight'):
            b.goal(f'malloc and free, {key}: at most +3 ns', more <= 3, f'{more:+.2f} ns, {ratio:.2f} x')
        elif key.startswith('mixed'):
            met = ratio <= 1.15 or (None if ratio - 1.15 <= spread(by_name['none']) else False)
            b.goal(f'malloc and free, {key}: at most 1.15 x', met,
                   f'{ratio:.3f} x, noise {spread(by_name["none"]):.3f}')


def locks(b, rounds):
    """Lock and unlock of a mutex that nobody else wants."""
    program = os.path.join(b.build, 'tests/runtime/lock_bench')
    if not os.path.exists(program):
        b.goal('lock wrappers: 0.5 ns off, 2 ns on', None, 'no lock_bench')
        return

    def each(argv, env=None):
        return lambda: next(iter(Ran(argv, env).numbers().values()))[0]
    on = ['--block=' + b.path('l.block'), '--mutex=' + b.path('l.mutex')]
    found = in_turn(rounds, {'none': each([program]), 'cpa, off': each([program], {'LD_PRELOAD': b.library}),
                             'cpa, on': each(under_cpa(b, [program], *on))})
    more = {k: median([v - w for v, w in zip(values, found['none'])]) for k, values in found.items()}
    print('### A mutex locked and unlocked, ns\n')
    table(['', 'median ns', 'more than none'], [(k, f'{median(v):.2f}', f'{more[k]:+.2f}') for k, v in found.items()])
    b.goal('a lock costs at most 0.5 ns more when off', more['cpa, off'] <= 0.5, f'{more["cpa, off"]:+.2f} ns')
    b.goal('a lock costs at most 2 ns more when on', more['cpa, on'] <= 2, f'{more["cpa, on"]:+.2f} ns')
