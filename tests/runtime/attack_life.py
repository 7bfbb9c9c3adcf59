# attack_life.py - programs that are stopped, killed, replaced or out of resources during requests
# SPDX-License-Identifier: Apache-2.0
import os
import re
import signal
import sys
import threading
import time

from attack import CLOSE, Target, ask, body, get, patient, status, until
from served import done, is_same, measured, ok

mode = sys.argv[1]
captures = ('profile?seconds=%d', 'trace?seconds=%d', 'heap?seconds=%d', 'threads?seconds=%d')


class Asking:
    """Start all captures at the same time."""

    def __init__(self, t, seconds):
        self.answers = {}
        self.threads = [threading.Thread(target=self.one, args=(t, what % seconds)) for what in captures]
        for thread in self.threads:
            thread.start()
            time.sleep(0.3)  # a timeline that starts first would take the CPU recording from the profile

    def one(self, t, what):
        self.answers[what] = ask(t, get('/debug/pprof/' + what, CLOSE))

    def all(self):
        for thread in self.threads:
            thread.join()
        return [self.answers[what] for what in sorted(self.answers)]


# stopped
t = Target(mode)
asking = Asking(t, 2)
os.kill(t.pid, signal.SIGSTOP)
time.sleep(1.5)
if mode == 'run':
    is_same(status(ask(t, get('/debug/pprof/heap', CLOSE))), 200, 'cpa answers for a stopped program')
os.kill(t.pid, signal.SIGCONT)
is_same([status(a) for a in asking.all()], [200] * 4, 'captures of a stopped program end')
is_same(status(patient(t, '/debug/pprof/profile?seconds=1')), 200, 'captures of a continued program work')
is_same(t.end(), ('errors 0', (0, '')), 'the program behaved the same as without requests')

# killed
t = Target(mode)
asking = Asking(t, 15)
ok(until(lambda: t.timers() > 0), 'captures are running')
time.sleep(1)
begin = time.monotonic()
os.kill(t.pid, signal.SIGKILL)
answers = asking.all()
measured(time.monotonic() - begin < 13, 'captures end immediately when the program is killed', time.monotonic() - begin)
if mode == 'run':
    statuses = [status(a) for a in answers]
    measured(statuses == [200, 200, 404, 200], 'cpa answers with the data so far, but without threads', statuses)
is_same(t.program.end()[0], 137 if mode == 'run' else -9, 'the exit status is that of the program')

# replaced
t = Target(mode, 'still', shell='echo ready $$ 0; read line;')
asking = Asking(t, 3)
time.sleep(1)
t.program.command('go')
is_same(t.program.line(), 'ready %d 0' % t.pid, 'a program executes another during captures')
answers = asking.all()
if mode == 'run':
    ok(not [a for a in answers if status(a) not in (200, 404, 500)], 'clients get answers when the program executes another', answers)
    is_same(status(patient(t, '/debug/pprof/profile?seconds=1')), 200, 'the new program is captured')
is_same(t.end()[0], 'errors 0', 'the new program continues')

# a signal that requests a stack must not reach the program that is executed next, which would end
if mode == 'run':
    with open('chain', 'w', encoding='ascii') as f:
        f.write('#!/bin/sh\nn=$1\nshift\n[ "$n" != 0 ] || exec ./attacked "$@"\n'
                'while [ ${#i} -lt 1500 ]; do i=$i.; done\nexec ./chain $((n - 1)) "$@"\n')
    os.chmod('chain', 0o755)
    t = Target(mode, 'still', shell='echo ready $$ 0; read line; exec ./chain 500 "$@";')
    ready = threading.Event()
    clients = [threading.Thread(target=lambda: [ask(t, get('/debug/pprof/threads?debug=1', CLOSE))
                                                for _ in iter(ready.is_set, True)]) for _ in range(2)]
    for client in clients:
        client.start()
    t.program.command('go')
    is_same(t.program.line(), 'ready %d 0' % t.pid, 'a program of many that execute each other while threads are read')
    ready.set()
    for client in clients:
        client.join()
    is_same(t.end(), ('errors 0', (0, '')), 'the last of many programs continues')

# low limits of files and memory; blocked signals; 2000 threads
for name, words, shell in (('12 files', ('still',), 'ulimit -n 12;'), ('little memory', ('still',), 'ulimit -v 300000;'),
                           ('no file of any size', ('still',), 'ulimit -f 0;'), ('all signals blocked', ('blocked',), None),
                           ('2000 threads', ('many',), None)):
    t = Target(mode, *words, shell=shell)
    if mode == 'served' and shell:
        t.move()  # the shell writes the message
    if 'memory' in name and t.port:  # perhaps too little memory to profile
        got = [status(ask(t, get('/debug/pprof/' + what, CLOSE))) for what in ('', 'heap', 'profile?seconds=1')]
        ok(set(got) <= {200, 404, 500, 503}, name, got)
    elif t.port == 0:
        ok(t.said.startswith('cpa: '), name + ': the reason why it does not serve is reported', t.said)
    else:
        answers = [patient(t, '/debug/pprof/' + what) for what in
                   ('', 'heap', 'threads?debug=1', 'threads?debug=2', 'profile?seconds=1', 'trace?seconds=1')]
        if mode == 'served' and 'files' in name:  # the server needs files to read threads, and reports the error
            results = [answers.pop(2), answers.pop(2)]
            ok(all(status(a) == 500 and b'Too many open files' in a or status(a) == 200 for a in results),
               'the missing resource is reported', results)
        is_same([status(a) for a in answers], [200] * len(answers), name)
        if words == ('many',):
            total = re.match(rb'threads profile: total (\d+)', body(answers[2]))
            ok(total and int(total.group(1)) == 2001, 'the threads profile counts all threads', body(answers[2])[:200])
    is_same(t.end()[0], 'errors 0', 'the program continues with limited resources')
done()
