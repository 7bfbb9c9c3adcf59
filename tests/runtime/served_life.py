# served_life.py - programs that serve their profiles fork, exec, become daemons, close all descriptors, and end
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


def n_files(program):
    return len(os.listdir('/proc/%d/fd' % program.process.pid))


p = Program()
url = p.start()
p.command('fork')
child, state = p.line(), p.line()
is_same(child, 'child - -22', 'a fork child does not serve on the socket of its parent')
is_same(state, 'files 4 threads 1', 'a fork child has no file and no thread of the server')
is_same(get(url, 'heap')[0], 200, 'the parent still serves')
p.command('')
is_same(p.line(), 'parent %s 0' % url, 'the parent continues after its child')
is_same(p.ask('state').split()[1], '2', 'the parent has the thread of the server')
p.end()

p = Program()
url = p.start('unix:%s/x-%%p.sock' % here)
is_same(url, 'unix:%s/x-%d.sock' % (here, p.process.pid), '%p is replaced by the pid')
p.command('fork')
child = p.line().split()[1]
ok(p.line().endswith('threads 2') and child != url and get(child, 'heap')[0] == 200 and get(url, 'heap')[0] == 200,
   'with %p a child serves at its own address', child)
p.command('')
p.line()
is_same(sorted(f for f in os.listdir(here) if f.endswith('.sock')), [os.path.basename(url)], 'the socket of a child is removed at its end')
is_same(p.ask('exec true'), 'done', 'programs can be executed')
p.end()
is_same([f for f in os.listdir(here) if f.endswith('.sock')], [], 'all sockets are removed at the end')

for when in 'early', 'late':
    p = Program(when)
    url = p.start('unix:%s/x-%%p.sock' % here)
    p.command('fork')
    said = [p.line()]
    while not said[-1].startswith('files') and not said[-1].endswith('answer'):
        said.append(p.line())
    p.command('')
    while not said[-1].startswith('parent') and not said[-1].endswith('answer'):
        said.append(p.line())
    is_same(sum(line.startswith('at fork: ') for line in said), 3, 'fork handlers (%s) may call the library' % when)
    print('# ' + ' / '.join(said))
    is_same(said[-1], 'parent %s 0' % url, 'the parent continues')
    is_same(get(url, 'heap')[0], 200, 'the parent continues to serve')
    p.end()

# files
p = Program()
url = p.start()
is_same(p.ask('closefrom'), '3', 'a program can close all descriptors')
ok(comes_back(url), 'the server answers again after all descriptors were closed')
is_same(p.ask('state').split()[1], '2', 'the server answers again in the same thread')
p.end()
p = Program()
url = p.start()
# wait until the server has closed the connection and sleeps, so that it does not open or close descriptors while all are
# taken: a connection that it closes later would close a file of the program
n_before = n_files(p)
is_same(get(url, 'heap')[0], 200, 'a program is served before its descriptors are reused')
for _ in range(600):
    if n_files(p) <= n_before:
        break
    time.sleep(0.1)
time.sleep(0.5)
p.ask('take_files')
ok(comes_back(url), 'the server answers again after the program reused all its descriptors')
is_same(p.ask('check_files'), '397', 'files of the program are not touched')
is_same(p.end(), (0, ''), 'a program that reused all descriptors ends as usual')

# ends
for how in 'exit', '_exit':
    p = Program()
    url = p.start('unix:%s/end.sock' % here)
    begin = time.monotonic()
    p.command('exit ' + how)
    is_same((p.end(), os.path.exists('end.sock')), ((3, ''), False), how + ' removes the socket')
    print('# %.0f ms' % ((time.monotonic() - begin) * 1000))
p = Program()
p.start('unix:%s/end.sock' % here)
p.process.send_signal(signal.SIGKILL)
p.end()
ok(os.path.exists('end.sock'), 'a killed program leaves its socket')
p = Program()
is_same(p.start('unix:%s/end.sock' % here), 'unix:%s/end.sock' % here, 'the next program replaces the socket of a killed one')
q = Program()
is_same(q.start('unix:%s/end.sock' % here), 'start gave -98', 'the socket of a running program is not replaced')
p.end()
q.end()

p = Program()
url = p.start()
is_same(p.ask('leave_main 1500'), 'left', 'the main thread may end')
is_same(get(url, 'heap')[0], 200, 'the server continues after the main thread has ended')
begin = time.monotonic()
is_same(p.process.wait(30), 0, 'the program ends with its last thread')
measured(time.monotonic() - begin < 10, 'the program ends soon after its last thread', time.monotonic() - begin)
p.end()

# an idle server does nothing
p = Program()
url = p.start()
get(url, 'heap')
time.sleep(0.5)
first = threads_of(p.process.pid)
time.sleep(2)
second = threads_of(p.process.pid)
is_same([second[t][1] - first[t][1] for t in first if first[t][0] == 'cpa'], [0], 'the thread of the server sleeps without requests')
with open('/proc/%d/task/%d/status' % (p.process.pid, [t for t in first if first[t][0] == 'cpa'][0]), encoding='utf-8') as f:
    blocked = [line.split()[1] for line in f if line.startswith('SigBlk')][0]
is_same(int(blocked, 16) | 0x180000000 | 1 << 8 | 1 << 18, 0xffffffffffffffff, 'the thread of the server blocks all signals')

# the heap profile contains only objects of the program
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
ok(rc == 0 and not any(w in out for w in ('server_', 'serve_', 'collector_')), 'the heap profile contains no allocations of the server', out, err)
p.end()
done()
