# known_proto.py - profiles are complete and match the program, linked and under cpa run
# SPDX-License-Identifier: Apache-2.0
import os
import re
import subprocess
import threading
import time

from known import MODES, Known, ask
from proto import Profile
from served import done, is_same, measured, ok

TYPES = {'heap': ['alloc_objects/count', 'alloc_space/bytes', 'inuse_objects/count', 'inuse_space/bytes'],
         'block': ['contentions/count', 'delay/nanoseconds'], 'mutex': ['contentions/count', 'delay/nanoseconds'],
         'threads': ['threads/count'], 'goroutine': ['goroutine/count'], 'threadcreate': ['threadcreate/count'],
         'my.custom': ['my.custom/count'], 'profile?seconds=1': ['samples/count', 'cpu/nanoseconds'],
         'delta_heap': ['alloc_objects/count', 'alloc_space/bytes', 'inuse_objects/count', 'inuse_space/bytes']}
TYPES['allocs'] = TYPES['heap']
# as in Go; the period of profiles without a rate is 1
PERIODS = {'heap': ('space/bytes', 1), 'allocs': ('space/bytes', 1), 'delta_heap': ('space/bytes', 1),
           'profile?seconds=1': ('cpu/nanoseconds', 10000000), 'block': ('contentions/count', 1),
           'mutex': ('contentions/count', 1)}


def build_id_of(path):
    r = subprocess.run(['readelf', '-n', path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    found = re.search(r'Build ID: ([0-9a-f]+)', r.stdout.decode())
    return found.group(1) if found else None


def check_form(mode, k):
    for path, types in TYPES.items():
        before = time.time_ns()
        p = Profile(ask(k, path))
        bad = p.trouble()
        if p.types != types:
            bad.append('types %s' % p.types)
        kind = PERIODS.get(path, (types[0], 1))
        if (p.period_type, p.period) != kind:
            bad.append('period %s %d' % (p.period_type, p.period))
        if not before - 1e9 < p.time_ns < time.time_ns() + 1e9 and path != 'delta_heap':
            bad.append('time %d, not %d' % (p.time_ns, before))
        if path.startswith('profile') and not 0.9e9 < p.duration_ns < 3e9:
            bad.append('duration %d' % p.duration_ns)
        if not p.mapping_order or p.mapping_order[0].path != os.path.abspath('known'):
            bad.append('the program is not the first mapping')
        for m in p.mapping_order:
            if m.path.startswith('/') and build_id_of(m.path) != m.build_id:
                bad.append('build id of %s is %s' % (m.path, m.build_id))
        ok(not bad, '%s: %s is a valid profile' % (mode, path), *bad)
        named = [x for x in p.locations.values() if x.mapping == p.mapping_order[0].id and x.lines]
        ok(named or not p.locations, '%s: %s has names' % (mode, path))


def check_sums(mode, k):
    k.ask('keep 100 5000')
    k.ask('drop 40')
    heap = Profile(ask(k, 'heap'))
    is_same([heap.sum(i, 'known_keep') for i in range(4)], [100, 500000, 60, 300000], '%s: the heap is exact' % mode)
    sizes = {s.numbers.get('bytes') for s in heap.samples if 'known_keep' in heap.names(s)}
    is_same(sizes, {5000}, '%s: the heap has the right block sizes' % mode)
    waited = int(k.ask('wait 20 10000'))
    for path, function in (('mutex', 'known_hold'), ('block', 'known_wait')):
        p = Profile(ask(k, path))
        is_same(p.sum(0, function), 20, '%s: %s contains all waits' % (mode, path))
        got = p.sum(1, function)
        measured(abs(got - waited) < 0.05 * waited, '%s: %s contains the durations of the waits' % (mode, path), got, waited)
    is_same(Profile(ask(k, 'my.custom')).sum(0, 'known_add'), 3, '%s: the custom profile is exact' % mode)
    is_same(Profile(ask(k, 'threadcreate')).sum(0, 'do_wait'), 1, '%s: created threads are counted' % mode)


def in_window(k, path, work):
    """Get a delta profile during some work."""
    result = []
    t = threading.Thread(target=lambda: result.append(Profile(ask(k, path))))
    t.start()
    time.sleep(0.4)  # of one second, with the work in the window
    work()
    t.join()
    return result[0]


def check_cpu(mode, k):
    """A capture has all CPU time of threads that start and end in it."""
    used = []

    def work():
        k.ask('burn 2')
        time.sleep(0.8)
        used.append(int(k.ask('rest')))
    p = in_window(k, 'profile?seconds=3', work)
    got = p.sum(1, 'known_burner')
    stacks = [c.split() for c in p.comments if c.startswith('stacks, ')]
    is_same(sum(s.values[0] for s in p.samples), int(stacks[0][-2]), '%s: samples count stacks' % mode)
    # a thread ends within a period
    measured(abs(got - used[0]) < 0.03 * used[0] + 2 * p.period, '%s: CPU time matches the clocks' % mode, got, used)
    is_same(p.sum(1, 'known_burner', who='burner0') + p.sum(1, 'known_burner', who='burner1'), got,
            '%s: all CPU time has labels' % mode)


def check_delta(mode, k, born):
    first, second = (Profile(ask(k, 'delta_mutex')) for _ in range(2))
    age = time.time_ns() - born
    measured(age - 2e9 < first.duration_ns <= age, '%s: the first delta profile covers the time since the start' % mode,
             first.duration_ns, age)
    ok(0 < second.duration_ns < age, '%s: the second delta profile has a duration' % mode, second.duration_ns)
    k.ask('keep 50 3000')

    def work():
        k.ask('drop 30')
        k.ask('keep 7 64000')
        k.ask('drop 2')
    whole = in_window(k, 'heap?seconds=1', work)
    after = Profile(ask(k, 'heap'))
    is_same([whole.sum(i, 'known_keep') for i in range(4)], [7, 448000, 7 - 30 - 2, 7 * 64000 - 30 * 3000 - 2 * 64000],
            '%s: a delta profile contains changes, including negative values' % mode)
    is_same({s.numbers.get('bytes') for s in whole.samples if 'known_keep' in whole.names(s)}, {3000, 64000},
            '%s: a delta profile contains block sizes' % mode)
    measured(1e9 <= whole.duration_ns < 3e9, '%s: a delta profile contains its duration' % mode, whole.duration_ns)
    ok(not whole.trouble(), '%s: a delta profile is a valid profile' % mode, whole.trouble())
    alloc = in_window(k, 'allocs?seconds=1&delta=alloc', work)
    later = Profile(ask(k, 'heap'))
    is_same([alloc.sum(0, 'known_keep'), alloc.sum(1, 'known_keep')], [7, 448000],
            '%s: with delta=alloc, allocations are differences' % mode)
    is_same([alloc.sum(2), alloc.sum(3)], [later.sum(2), later.sum(3)], '%s: with delta=alloc, memory in use is not a difference' % mode)
    ok(after.sum(0, 'known_keep') == 157, '%s: delta profiles do not change the totals of other requests' % mode, after.sum(0, 'known_keep'))
    waits = in_window(k, 'block?seconds=1', lambda: k.ask('wait 3 1000'))
    is_same(waits.sum(0, 'known_wait'), 3, '%s: a delta profile does not contain earlier waits' % mode)


def main():
    for mode in MODES:
        k = Known(mode)
        k.ask('burn 1')
        check_form(mode, k)
        k.ask('rest')
        k.end()
        k = Known(mode)
        check_sums(mode, k)
        k.end()
        k = Known(mode)
        check_cpu(mode, k)
        k.end()
        born = time.time_ns()
        k = Known(mode)
        k.ask('keep 100 3000')
        check_delta(mode, k, born)
        is_same(k.end(), (0, ''), '%s: the program ends as usual' % mode)
    done()


main()
