# rt_faults.py - programs that break profilers: run alone, under cpa and under libprofiler
# SPDX-License-Identifier: Apache-2.0

import glob
import hashlib
import os
import re
import shutil

from rt_tools import Profile, Ran, under_cpa, under_gperf

HZ = 1000
KINDS = ('heap', 'block', 'mutex', 'threadcreate')
LIMIT = 60

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


class Fault:
    """A command. same: its output is always the same. file: output file, likewise. limit: seconds."""

    def __init__(self, name, argv, same=True, file=None, env=None, limit=LIMIT):
        self.name, self.argv, self.same, self.file, self.env, self.limit = name, argv, same, file, env or {}, limit


def others(b, words):
    """Commands of Debian."""
    found = [Fault('sort of many lines', ['sort', '-n', words]),
             Fault('ssh -V', ['ssh', '-V']),
             Fault('screen -v', ['screen', '-v']),
             Fault('sh executes without a fork', ['sh', '-c', f'exec sort -n {words}']),
             Fault('at most 16 open files', ['sh', '-c', f'ulimit -n 16; exec sort -n {words}']),
             Fault('the environment is cleared', ['sh', '-c', f'exec env -i /usr/bin/sort -n {words}']),
             Fault('python3: threads and forks', ['python3', '-B', '-c', PYTHON])]
    for name, library in (('tcmalloc', b.tcmalloc), ('jemalloc', b.jemalloc)):
        if library:
            found.append(Fault(f'sort with {name}', ['sort', '-n', words], env={'LD_PRELOAD': library}))
    return found


def ours(b, seconds):
    """The programs of tests/runtime."""
    def program(name):
        return os.path.join(b.build, 'tests/runtime', name)
    odd, life, limits, mine = program('odd'), program('life'), program('limits'), b.path('mine')
    libraries = [f for f in glob.glob('/usr/lib/*/libm.so.6') + glob.glob('/usr/lib/*/libz.so.1')][:2]
    found = [Fault('closes all files, then writes its own', [odd, 'close-all', mine], file=mine),
             Fault('becomes a daemon', [life, 'daemon', mine]),
             Fault('a static program is executed', ['sh', '-c', f'exec {program("burn_static")} 0.3'], same=False),
             Fault('a child that works', [odd, 'fork'], same=False),
             Fault('2000 children, 8 GiB mapped', [life, 'storm', '2000']),
             Fault('its own SIGPROF handler', [odd, 'own-handler']), Fault('blocks SIGPROF', [odd, 'masks']),
             Fault('takes SIGPROF by system call', [program('taken'), 'handle', '0.5']),
             Fault('ignores SIGPROF by system call', [program('taken'), 'ignore', '0.5']),
             Fault('small alternate stack', [odd, 'small-stack']), Fault('1000 calls deep', [odd, 'deep']),
             Fault('any frame pointer', [limits, 'frame', '1']), Fault('errno', [limits, 'errno', '1']),
             Fault('32 calls that a signal may interrupt', [program('interrupted'), '2']),
             Fault('a thread that bypasses all wrappers', [odd, 'raw-thread']),
             Fault('ended threads leave no timer', [odd, 'timers']), Fault('inspects itself', [odd, 'fds'])]
    found += [Fault(f'{call} is denied', [limits, 'deny', call, program('burn'), '.3', '.3'], same=False)
              for call in ('timer_create,perf_event_open', 'process_vm_readv')]
    found += [Fault(f'{name} sanitizer', [program(file), '.3', '.3'], same=False)
              for name, file in (('address', 'burn_asan'), ('thread', 'burn_tsan')) if os.path.exists(program(file))]
    found += [Fault(f'ends by {m}', [odd, 'end', m]) for m in ('_exit', 'abort', 'segv', 'term', 'kill')]
    found.append(Fault(f'dl_iterate_phdr allocates; loads, threads, forks at once, {seconds} s',
                       [program('stress'), str(seconds), *libraries], limit=seconds + 20))
    return found


def ran(fault, argv, env, cwd):
    """Run a command; append its output file to its output."""
    if fault.file and os.path.exists(fault.file):
        os.unlink(fault.file)
    done = Ran(argv, env, limit=fault.limit, cwd=cwd)
    if fault.file and os.path.exists(fault.file):
        with open(fault.file, 'rb') as f:
            done.out += f.read()
    return done


def outcome(done, alone, fault):
    if done.status == 'timeout':
        return 'timeout'
    if done.status not in (alone.status, 128 - alone.status if isinstance(alone.status, int) else None):
        return f'status {done.status}'
    if fault.same and hashlib.sha256(done.out).digest() != hashlib.sha256(alone.out).digest():
        return 'other output'
    return 'unchanged'


def profiled(b, profiler, fault):
    """Run a command under cpa with all kinds of profiles, or under libprofiler."""
    b.clean('fault*')
    out, env = b.path('fault.cpu'), dict(fault.env)
    if profiler == 'cpa':
        options = [f'--hz={HZ}', f'--cpu={out}'] + [f'--{k}=' + b.path('fault.' + k) for k in KINDS]
        return ran(fault, under_cpa(b, fault.argv, '--follow', *options), env, b.dir)
    theirs = under_gperf(b, HZ, out)
    theirs['LD_PRELOAD'] = ':'.join(v for v in (env.get('LD_PRELOAD'), theirs['LD_PRELOAD']) if v)
    return ran(fault, fault.argv, theirs, b.dir)


def seen(b, profiler, fault):
    """Bytes and CPU seconds of all CPU profiles; those of children have the PID in the name."""
    files = [f for f in glob.glob(b.path('fault*.cpu*')) if os.path.getsize(f)]
    argv0 = [shutil.which(fault.argv[0]) or fault.argv[0]] if profiler == 'gperf' else []
    seconds = sum(Profile(b, [*argv0, f], '-symbolize=none').total for f in files[:30]) / 1e9
    return f'{sum(os.path.getsize(f) for f in files)} B, {seconds:.2f} s'


def faults(b):
    """The table of all commands."""
    words = b.path('words')
    with open(words, 'w', encoding='utf-8') as f:
        f.write(''.join(f'{i * 7919 % 1000003}\n' for i in range(400000)))
    rows, changed = [], []
    for fault in others(b, words) + ours(b, 10 if b.quick else 60):
        if not shutil.which(fault.argv[0]):
            continue
        b.log('fault: ' + fault.name)
        alone = ran(fault, fault.argv, fault.env, b.dir)
        row = [fault.name, alone.status, f'{alone.cpu:.2f}']
        for profiler in ('cpa', 'gperf') if b.gperf else ('cpa',):
            done = profiled(b, profiler, fault)
            what = outcome(done, alone, fault)
            if profiler == 'cpa' and what != 'unchanged':
                changed.append(f'{fault.name}: {what}')
            row.append(f'{what}, {seen(b, profiler, fault)}')
        rows.append(row)
    b.table(f'Programs that break profilers ({HZ} Hz, under cpa all kinds of profiles): result, size of profiles, CPU time in them',
            ['', 'status alone', 'CPU s alone', 'cpa', *(['libprofiler'] if b.gperf else [])], rows)
    b.goal('all behave the same under cpa', not changed, ', '.join(changed) or f'{len(rows)} programs')


def sweep(b):
    """Programs of Debian, compared by script/sweep."""
    text = Ran(['sh', os.path.join(b.top, 'script/sweep'), b.build], limit=1500).text()
    bad = re.findall(r'^not ok \d+ - (.*)$', text, re.M)
    n = re.search(r'at least 30 commands \((\d+), (\d+) profiles\)', text)
    commands, profiles = (int(n.group(1)), int(n.group(2))) if n else (0, 0)
    print('### Programs of Debian under all profiles at once\n')
    print(f'{commands} commands, with and without all their children; {profiles} profiles; {len(bad)} changed'
          f'{": " + ", ".join(bad) if bad else ""}.\n')
    b.goal('at least 30 programs of Debian unchanged', not bad and commands >= 30, f'{commands} commands, {len(bad)} changed')
