# known_scrape.py - scrapers get the expected profiles, which match the program, linked and under cpa run
# SPDX-License-Identifier: Apache-2.0
import contextlib
import glob
import io
import os
import threading
import time

import scrape_rules
from known import MODES, Known, ask, raw
from proto import Profile
from served import done, is_same, measured, ok

INTERVAL, ROUNDS = 2, 3
HEAP, WAITS = 2, 3000  # blocks, us


def last(folder, rule, kind):
    with open(sorted(glob.glob('%s/%s-%s-*' % (folder, rule, kind)))[-1], 'rb') as f:
        return Profile(f.read())


def together(folder, rule, kind):
    all_of = []
    for name in sorted(glob.glob('%s/%s-%s-*' % (folder, rule, kind))):
        with open(name, 'rb') as f:
            all_of.append(Profile(f.read()))
    return all_of


def scraped(mode, k):
    """Scrape with the rules of Parca and Pyroscope while the program allocates and waits."""
    os.mkdir(mode)
    said = io.StringIO()
    stop, did = threading.Event(), {'kept': 0, 'waited_ns': 0, 'waits': 0}

    def work():
        while not stop.is_set():
            k.ask('keep %d 1000' % HEAP)
            did['waited_ns'] += int(k.ask('wait 1 %d' % WAITS))
            did['kept'] += HEAP
            did['waits'] += 1
            time.sleep(0.02)
    k.ask('burn 2')
    worker = threading.Thread(target=work)
    worker.start()
    where = k.url.split('//')[1]
    with contextlib.redirect_stderr(said):
        for rule, paths in (('parca', scrape_rules.PARCA), ('pyroscope', scrape_rules.PYROSCOPE)):
            scrape_rules.scrape(where, rule, paths, INTERVAL, ROUNDS, mode)
    stop.set()
    worker.join()
    k.ask('rest')
    ok(not scrape_rules.failed, '%s: all rules of Parca and Pyroscope are met' % mode, *scrape_rules.failed)
    scrape_rules.failed.clear()
    cpu = last(mode, 'parca', 'process_cpu')
    who = {s.labels.get('who') for s in cpu.samples if 'known_burner' in cpu.names(s)}
    ok(who == {'burner0', 'burner1'}, '%s: CPU time has the labels of the program' % mode, who)
    # a thread without a CPU for 200 ms is [running], because it cannot report its stack
    at_work = [p.sum(0, 'known_burner') for p in together(mode, 'parca', 'goroutine')]
    ok(max(at_work) == 2, '%s: threads are counted in their functions' % mode, at_work)
    return did


def deltas(mode, k, did):
    """Delta profiles have each event once."""
    for kind, path, value, function, truth in (
            ('memory', 'delta_heap', 0, 'known_keep', did['kept']),
            ('mutex', 'delta_mutex', 0, 'known_hold', did['waits'])):
        parts = together(mode, 'pyroscope', 'godeltaprof_' + kind) + [Profile(ask(k, path))]
        is_same(sum(p.sum(value, function) for p in parts), truth, '%s: the differences returned by %s add up to the total' % (mode, path))
        is_same(Profile(ask(k, path)).sum(value, function), 0, '%s: without new events a difference is empty' % mode)
    parts = together(mode, 'pyroscope', 'godeltaprof_block') + [Profile(ask(k, 'delta_block'))]
    got = sum(p.sum(1, 'known_wait') for p in parts)
    measured(abs(got - did['waited_ns']) < 0.05 * did['waited_ns'], '%s: the durations of waits add up to the total' % mode, got, did)
    whole = Profile(ask(k, 'heap'))
    is_same([whole.sum(i, 'known_keep') for i in (0, 1, 2, 3)], [did['kept'], did['kept'] * 1000] * 2,
            '%s: delta profiles do not change the totals of other requests' % mode)


def two_at_once(mode, k):
    """Only one scraper gets CPU time, unless they share it."""
    answers = {}

    def capture(name, what):
        answers[name] = raw(k.url, 'GET', '/debug/pprof/' + what)
    k.ask('burn 1')
    first = threading.Thread(target=capture, args=('first', 'profile?seconds=2'))
    first.start()
    time.sleep(0.5)
    capture('second', 'profile?seconds=1')
    capture('shared', 'profile?seconds=1&share=1')
    first.join()
    k.ask('rest')
    status, headers, body = answers['second']
    is_same((status, body), (500, b'Could not enable CPU profiling: cpu profiling already in use\n'),
            '%s: the second scraper gets the same error as from Go' % mode)
    ok(headers.get('X-Go-Pprof') == '1', '%s: pprof shows the error of the second scraper' % mode, headers)
    for name in ('shared', 'first'):
        ok(answers[name][0] == 200 and Profile(answers[name][2]).sum(1, 'known_burner') > 0,
           '%s: the %s scraper gets CPU time' % (mode, name), answers[name][0])


def main():
    for mode in MODES:
        k = Known(mode)
        deltas(mode, k, scraped(mode, k))
        two_at_once(mode, k)
        is_same(k.end(), (0, ''), '%s: the program ends as usual' % mode)
    done()


main()
