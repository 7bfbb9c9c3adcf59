# served_api.py - cpa_http_start and cpa_http_handle in a program that links the library
# SPDX-License-Identifier: Apache-2.0
import gzip
import json
import os
import threading
import time

from served import CPA, Program, connect, cpa, done, get, is_same, ok

p = Program()
files = p.ask('file')
before = p.ask('state')
is_same(p.ask('address'), '- -22', 'no server runs at first')
is_same(p.ask('stop'), '-22', 'a stop without a server fails')
url = p.start()
ok(url.startswith('http://127.0.0.1:'), 'a free port is chosen and reported', url)
is_same(p.ask('file'), files, 'files opened by the program get the same descriptors as without a server')
is_same(p.ask('start 127.0.0.1:0'), '-16', 'only one server runs at a time')
is_same(p.ask('rate'), '524288', 'the server enables the heap profile')
status = json.loads(p.ask('status'))
is_same((status['http']['on'], status['http']['address']), (True, url), 'cpa_status reports the address')

# all paths
for target in ('', 'cmdline', 'heap', 'allocs', 'goroutine', 'threads', 'block', 'mutex', 'threadcreate',
               'heap?debug=1', 'threads?debug=1', 'threads?debug=2', 'goroutine?debug=2', 'block?debug=1', 'symbol',
               'heap?seconds=1', 'profile?seconds=1', 'trace?seconds=1'):
    s, headers, body = get(url, target)
    ok(s == 200 and body and headers.get('X-Content-Type-Options') == 'nosniff', 'GET /debug/pprof/' + target,
       s, headers, body[:200])
is_same(get(url, 'cmdline')[2], b'./served', 'cmdline is that of the program')
is_same(get(url, 'nothing')[0], 404, 'an unknown path is not found')
s, headers, body = get(url, 'threads?debug=2')
ok(b'"cpa"' not in body and b'"served"' in body, 'the thread of the server is not shown', body.decode())

# CPU time with labels, in all readers
p.ask('busy 1')
name = 'profile?seconds=1'
s, headers, body = get(url, name)
with open('cpu.pb.gz', 'wb') as f:
    f.write(body)
rc, out, err = cpa('top', 'cpu.pb.gz')
ok(rc == 0 and 'spin' in out, 'the capture contains the CPU time of the program', out, err)
rc, out, err = cpa('tags', 'cpu.pb.gz')
ok('worker' in out, 'the capture contains labels', out, err)
rc, out, err = cpa('top', url + '/debug/pprof/' + name)
ok(rc == 0 and 'spin' in out, 'cpa top captures CPU time from the server', out, err)
rc, out, err = cpa('top', url + '/debug/pprof/heap')
ok(rc == 0, 'cpa top reads the heap from the server', out, err)

# concurrent CPU profiles
results = []
t = threading.Thread(target=lambda: results.append(get(url, 'profile?seconds=2')))
t.start()
time.sleep(0.7)
is_same(p.ask('cpu mine.pb.gz'), '-16', 'during a capture of CPU time the program gets EBUSY')
is_same(p.ask('cpu'), '-22', 'the program cannot stop a capture')
s, headers, body = get(url, 'profile?seconds=1')
ok(s == 500 and b'already in use' in body, 'a second capture of CPU time is refused', s, body)
t.join()
ok(results[0][0] == 200 and len(results[0][2]) > 100, 'the first capture continues to its end', results[0])
is_same(p.ask('cpu mine.pb.gz'), '0', 'after the capture the program can profile CPU time')
s, headers, body = get(url, 'profile?seconds=1')
ok(s == 500 and b'already in use' in body, 'captures are refused while the program profiles CPU time', s, body)
is_same(p.ask('cpu'), '0', 'the profile of the program is written')
ok(cpa('top', 'mine.pb.gz')[0] == 0, 'the profile of the program can be read')

# a client that disconnects
c = connect(url)
c.request('GET', '/debug/pprof/profile?seconds=30')
time.sleep(0.5)
c.close()
for _ in range(50):
    rc = p.ask('cpu left.pb.gz')
    if rc == '0':
        break
    time.sleep(0.1)
is_same((rc, p.ask('cpu')), ('0', '0'), 'a client that disconnects releases the CPU recording')

# stopped during a capture
results = []
t = threading.Thread(target=lambda: results.append(get(url, 'profile?seconds=30')))
begin = time.monotonic()
t.start()
time.sleep(0.7)
is_same(p.ask('stop'), '0', 'the server can be stopped during a capture')
t.join()
ok(results[0][0] == 200 and gzip.decompress(results[0][2]) and time.monotonic() - begin < 20,
   'a capture ends with the data so far when the server stops', results[0])
is_same(get(url, 'heap')[0], 0, 'a stopped server refuses connections')
is_same(p.ask('address'), '- -22', 'a stopped server has no address')
maps = p.ask('maps').split()
is_same(p.ask('cycle 1000'), '0', 'the server starts and stops a thousand times')
later = p.ask('maps').split()
ok(abs(int(later[0]) - int(maps[0])) <= 8 and int(later[1]) - int(maps[1]) < 2000, 'starting and stopping the server leaks no memory', maps, later)
status = p.ask('state').split()
is_same(status[:4], ['threads', '2', 'files', before.split()[3]], 'starting and stopping the server leaks no threads or files')
is_same(p.end(), (0, ''), 'the program ends as usual')

# Unix sockets
p = Program(env={'XDG_RUNTIME_DIR': os.getcwd()})
os.chmod('.', 0o700)
is_same(p.ask('rate 4096'), '0', 'a program can set its own heap rate')
url = p.start('')
path = url[5:]
ok(url == 'unix:%s/cpa/served-%d.sock' % (os.getcwd(), p.process.pid), 'without an address the default socket is used', url)
is_same(os.stat(path).st_mode & 0o7777, 0o600, 'the default socket is private to the user')
is_same(p.ask('rate'), '4096', 'the server does not change the heap rate of the program')
rc, out, err = cpa('top', url + ':/debug/pprof/heap')
ok(rc == 0, 'cpa top reads a profile from a socket', out, err)
p.command('exit')
is_same((p.end(), os.path.exists(path)), ((3, ''), False), 'the socket is removed when the program ends')

# in the HTTP server of a program
p = Program()
is_same(p.ask('headers /debug/pprof/cmdline').split()[:2], ['0', '200'], 'a program answers requests of its own HTTP server')
h = p.ask('headers /debug/pprof/heap')
ok('Content-Type: application/octet-stream| ' in h and 'filename="heap"| ' in h and 'Content-Length: ' in h,
   'headers of an answer are returned', h)
is_same(p.ask('headers /debug/pprof/nothing').split()[:2], ['0', '404'], 'errors are returned')
is_same(p.ask('headers /debug/pprof').split()[:2], ['0', '307'], 'redirections are returned')
is_same(p.ask('handle 16 /debug/pprof/heap?debug=1'), '16 0', '16 threads can answer in parallel')
is_same(p.ask('handle 3 /debug/pprof/profile?seconds=1'), '1 2', 'one of several captures of CPU time succeeds')
is_same(p.ask('handle 8 /debug/pprof/heap?seconds=1'), '8 0', 'eight concurrent delta profiles succeed')
is_same(p.ask('recurse'), '0 200 200', 'the write callback may handle another request')
is_same(p.ask('state').split()[1], '1', 'a program with its own HTTP server has no thread of the library')
is_same(p.end(), (0, ''), 'the program behaves the same as without requests')

p = Program(command=(CPA, 'run', '--', './served'))
is_same(p.ask('start 127.0.0.1:0'), '-16', 'under cpa run profiles belong to cpa run')
is_same(p.ask('headers /debug/pprof/heap').split()[0], '-16', 'under cpa run the program gets no profile of itself')
p.end()
done()
