# rt_faults.py - what programs do that profilers broke: the same under none, cpa and libprofiler
# SPDX-License-Identifier: Apache-2.0

import glob
import hashlib
import os

from rt_tools import Ran, table, under_cpa, under_gperf

HZ = 1000


def commands(b):
    """(what it is about, argv, is its output the same each time?)"""
    odd, stress = (os.path.join(b.build, 'tests/runtime', name) for name in ('odd', 'stress'))
    words = b.path('words')
    with open(words, 'w', encoding='utf-8') as f:
        f.write(''.join(f'{i * 7919 % 1000003}\n' for i in range(400000)))
    libraries = [f for f in glob.glob('/usr/lib/*/libm.so.6') + glob.glob('/usr/lib/*/libz.so.1')][:2]
    found = [('sort of many lines', ['sort', '-n', words], True),
             ('ssh -V', ['ssh', '-V'], True),
             ('sh that executes without a fork', ['sh', '-c', f'exec sort -n {words}'], True),
             ('python3: threads and forks', ['python3', '-B', '-c', PYTHON], True)]
    modes = ('own-handler', 'masks', 'close-all', 'fork', 'storm', 'raw-block', 'raw-thread', 'deep', 'small-stack',
             'timers', 'fds')
    found += [(f'odd: {m}', [odd, m], m in ('own-handler', 'masks', 'close-all', 'small-stack', 'fds')) for m in modes]
    found += [(f'ends by {m}', [odd, 'end', m], True) for m in ('_exit', 'abort', 'segv', 'term', 'kill')]
    found.append(('allocates in dl_iterate_phdr, loads, forks at once', [stress, '8', *libraries], False))
    return found


PYTHON = '''
import os, threading
def work(n):
    return sum(i * i % 7 for i in range(n))
for i in range(10):
    pid = os.fork()
    if pid == 0:
        work(20000); os._exit(i)
    ts = [threading.Thread(target=work, args=(50000,)) for _ in range(4)]
    [t.start() for t in ts]; [t.join() for t in ts]
    print(i, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
'''


def outcome(done, alone, same):
    if done.status == 'stuck':
        return 'stuck'
    if done.status not in (alone.status, 128 - alone.status if isinstance(alone.status, int) else None):
        return f'status {done.status}'
    if same and hashlib.sha256(done.out).digest() != hashlib.sha256(alone.out).digest():
        return 'other output'
    return 'as alone'


def faults(b):
    """A table of all of it; sizes are of the profile."""
    rows, changed = [], []
    for name, argv, same in commands(b):
        b.say('fault: ' + name)
        alone = Ran(argv, limit=60, cwd=b.dir)
        row = [name, alone.status]
        for who in ('cpa', 'gperf') if b.gperf else ('cpa',):
            out = b.path('fault.' + who)
            b.clean('fault.*')
            if who == 'cpa':
                done = Ran(under_cpa(b, argv, f'--hz={HZ}', f'--cpu={out}'), limit=60, cwd=b.dir)
            else:
                done = Ran(argv, under_gperf(b, HZ, out), limit=60, cwd=b.dir)
            what = outcome(done, alone, same)
            size = os.path.getsize(out) if os.path.exists(out) else 0
            row.append(f'{what}, {size} B')
            if who == 'cpa' and what != 'as alone':
                changed.append(f'{name}: {what}')
        rows.append(row)
    print(f'### What programs do that profilers broke ({HZ} Hz): how it ended, and the size of the profile\n')
    table(['', 'status alone', 'cpa', *(['libprofiler'] if b.gperf else [])], rows)
    b.goal('none of it changes under cpa', not changed, ', '.join(changed) or f'{len(rows)} programs')


def sweep(b):
    """The programs of Debian, by the script that compares them."""
    script = os.path.join(b.top, 'script/sweep')
    if not os.path.exists(script):
        b.goal('at least 30 programs of Debian as without us', None, 'no script/sweep')
        return
    done = Ran([script, b.build], limit=1500)
    text = done.text()
    good, bad = text.count('\nok ') + text.startswith('ok '), text.count('not ok ')
    skipped = text.count('# SKIP')
    print('### Programs of Debian under all profiles at once\n')
    print(f'{good - skipped} as alone, {bad} not, {skipped} not here.\n')
    b.goal('at least 30 programs of Debian as without us', done.status == 0 and bad == 0 and good - skipped >= 30,
           f'{good - skipped} programs, {bad} changed')
