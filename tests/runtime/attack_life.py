# attack_life.py - programs that are stopped, killed, replaced or short of everything while they are asked
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
    """All captures at once."""

    def __init__(self, t, seconds):
        self.answers = {}
        self.threads = [threading.Thread(target=self.one, args=(t, what % seconds)) for what in captures]
        for thread in self.threads:
            thread.start()
            time.sleep(0.3)  # a timeline that comes first has CPU time, and the profile would be refused

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
    is_same(status(ask(t, get('/debug/pprof/heap', CLOSE))), 200, 'cpa answers for a program that is stopped')
os.kill(t.pid, signal.SIGCONT)
is_same([status(a) for a in asking.all()], [200] * 4, 'captures of a program that was stopped come to their end')
is_same(status(patient(t, '/debug/pprof/profile?seconds=1')), 200, 'and there are others')
is_same(t.end(), ('errors 0', (0, '')), 'the program did what it does alone')

# killed
t = Target(mode)
asking = Asking(t, 15)
ok(until(lambda: t.timers() > 0), 'captures are under way')
time.sleep(0.5)
begin = time.monotonic()
os.kill(t.pid, signal.SIGKILL)
answers = asking.all()
measured(time.monotonic() - begin < 13, 'of a program that is killed nobody waits for the end', time.monotonic() - begin)
if mode == 'run':
    is_same([status(a) for a in answers], [200, 200, 404, 200], 'cpa answers with what there is; of threads there is nothing')
is_same(t.program.end()[0], 137 if mode == 'run' else -9, 'the status is that of the program')

# replaced
t = Target(mode, 'still', shell='echo ready $$ 0; read line;')
asking = Asking(t, 3)
time.sleep(1)
t.program.tell('go')
is_same(t.program.line(), 'ready %d 0' % t.pid, 'a program replaces another in the middle of captures')
answers = asking.all()
if mode == 'run':
    ok(not [a for a in answers if status(a) not in (200, 404, 500)], 'whose clients are answered', answers)
    is_same(status(patient(t, '/debug/pprof/profile?seconds=1')), 200, 'the new one is captured')
is_same(t.end()[0], 'errors 0', 'and goes on')

# short of files, of memory; without signals; with 2000 threads
for name, words, shell in (('12 files', ('still',), 'ulimit -n 12;'), ('little memory', ('still',), 'ulimit -v 300000;'),
                           ('no file of any size', ('still',), 'ulimit -f 0;'), ('all signals blocked', ('blocked',), None),
                           ('2000 threads', ('many',), None)):
    t = Target(mode, *words, shell=shell)
    if mode == 'served' and shell:
        t.move()  # what it says is of the shell
    if 'memory' in name and t.port:  # too little to be profiled in, perhaps
        got = [status(ask(t, get('/debug/pprof/' + what, CLOSE))) for what in ('', 'heap', 'profile?seconds=1')]
        ok(set(got) <= {200, 404, 500, 503}, name, got)
    elif t.port == 0:
        ok(t.said.startswith('cpa: '), name + ': it says why it does not serve', t.said)
    else:
        answers = [patient(t, '/debug/pprof/' + what) for what in
                   ('', 'heap', 'threads?debug=1', 'threads?debug=2', 'profile?seconds=1', 'trace?seconds=1')]
        if mode == 'served' and 'files' in name:  # the server needs them to look at threads with, and says so
            told = [answers.pop(2), answers.pop(2)]
            ok(all(status(a) == 500 and b'Too many open files' in a or status(a) == 200 for a in told),
               'it says what it lacks', told)
        is_same([status(a) for a in answers], [200] * len(answers), name)
        if words == ('many',):
            total = re.match(rb'threads profile: total (\d+)', body(answers[2]))
            ok(total and int(total.group(1)) == 2001, 'are all there', body(answers[2])[:200])
    is_same(t.end()[0], 'errors 0', 'and the program goes on')
done()
