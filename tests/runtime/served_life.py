# served_life.py - programs that serve their profiles fork, execute, become daemons, close all their files, and end
# SPDX-License-Identifier: Apache-2.0
import os
import signal
import time

from served import Program, cpa, done, ended, get, is_same, measured, ok, threads_of

here = os.getcwd()


def comes_back(address):
    for _ in range(100):
        s, _, body = get(address, 'heap')
        if s == 200:
            return True
        time.sleep(0.1)
    print('# %s %s' % (s, body))
    return False


p = Program()
url = p.start()
p.tell('fork')
child, state = p.line(), p.line()
is_same(child, 'child - -22', 'a child of fork does not serve what is its parent\'s')
is_same(state, 'files 4 threads 1', 'it has no file and no thread of ours')
is_same(get(url, 'heap')[0], 200, 'the parent does')
p.tell('')
is_same(p.line(), 'parent %s 0' % url, 'and goes on')
is_same(p.ask('state').split()[1], '2', 'with its thread')
p.end()

p = Program()
url = p.start('unix:%s/x-%%p.sock' % here)
is_same(url, 'unix:%s/x-%d.sock' % (here, p.process.pid), '%p is the process')
p.tell('fork')
child = p.line().split()[1]
ok(p.line().endswith('threads 2') and child != url and get(child, 'heap')[0] == 200 and get(url, 'heap')[0] == 200,
   'with %p a child serves too, at its own address', child)
p.tell('')
p.line()
is_same(sorted(f for f in os.listdir(here) if f.endswith('.sock')), [os.path.basename(url)], 'until it ends')
is_same(p.ask('exec true'), 'done', 'programs are executed')
p.end()
is_same([f for f in os.listdir(here) if f.endswith('.sock')], [], 'all sockets are gone in the end')

for when in 'early', 'late':
    p = Program(when)
    url = p.start('unix:%s/x-%%p.sock' % here)
    p.tell('fork')
    said = [p.line()]
    while not said[-1].startswith('files') and not said[-1].endswith('answer'):
        said.append(p.line())
    p.tell('')
    while not said[-1].startswith('parent') and not said[-1].endswith('answer'):
        said.append(p.line())
    is_same(sum(line.startswith('at fork: ') for line in said), 3, 'handlers of fork (%s) may call us' % when)
    print('# ' + ' / '.join(said))
    is_same(said[-1], 'parent %s 0' % url, 'the parent goes on')
    is_same(get(url, 'heap')[0], 200, 'and serves')
    p.end()

# files
p = Program()
url = p.start()
is_same(p.ask('closefrom'), '3', 'a program that closes all its files has them closed')
ok(comes_back(url), 'and is served again')
is_same(p.ask('state').split()[1], '2', 'by the same thread')
p.end()
p = Program()
url = p.start()
# a number that is being opened or closed while somebody takes all there are is of nobody: we shall be asleep
is_same(get(url, 'heap')[0], 200, 'one that is served')
time.sleep(0.5)
p.ask('take_files')
ok(comes_back(url), 'and has files of its own under all numbers then is served again')
is_same(p.ask('check_files'), '397', 'and they are left alone')
is_same(p.end(), (0, ''), 'to the end')

# ends
for how in 'exit', '_exit':
    p = Program()
    url = p.start('unix:%s/end.sock' % here)
    begin = time.monotonic()
    p.tell('exit ' + how)
    is_same((p.end(), os.path.exists('end.sock')), ((3, ''), False), how + ' takes the socket away')
    print('# %.0f ms' % ((time.monotonic() - begin) * 1000))
p = Program()
p.start('unix:%s/end.sock' % here)
p.process.send_signal(signal.SIGKILL)
p.end()
ok(os.path.exists('end.sock'), 'what is killed leaves it')
p = Program()
is_same(p.start('unix:%s/end.sock' % here), 'unix:%s/end.sock' % here, 'and the next one replaces it')
q = Program()
is_same(q.start('unix:%s/end.sock' % here), 'start gave -98', 'but not of one that lives')
p.end()
q.end()

p = Program()
url = p.start()
is_same(p.ask('leave_main 1500'), 'left', 'the main thread may end')
is_same(get(url, 'heap')[0], 200, 'while others run we serve')
begin = time.monotonic()
is_same(p.process.wait(30), 0, 'the program ends with its last thread')
measured(time.monotonic() - begin < 10, 'soon', time.monotonic() - begin)
p.end()

# an idle server does nothing
p = Program()
url = p.start()
get(url, 'heap')
time.sleep(0.5)
first = threads_of(p.process.pid)
time.sleep(2)
second = threads_of(p.process.pid)
is_same([second[t][1] - first[t][1] for t in first if first[t][0] == 'cpa'], [0], 'our thread sleeps while nobody asks')
with open('/proc/%d/task/%d/status' % (p.process.pid, [t for t in first if first[t][0] == 'cpa'][0]), encoding='utf-8') as f:
    blocked = [line.split()[1] for line in f if line.startswith('SigBlk')][0]
is_same(int(blocked, 16) | 0x180000000 | 1 << 8 | 1 << 18, 0xffffffffffffffff, 'and takes no signal')

# what it samples of the heap is the program's
p.end()
p = Program()
p.ask('rate 1')
url = p.start()
for _ in range(3):
    get(url, 'heap?debug=1')
    get(url, 'threads?debug=2')
with open('heap.pb.gz', 'wb') as f:
    f.write(get(url, 'allocs')[2])
rc, out, err = cpa('traces', 'heap.pb.gz')
ok(rc == 0 and not any(w in out for w in ('server_', 'serve_', 'collector_')), 'the heap has nothing of ours', out, err)
p.end()
done()
