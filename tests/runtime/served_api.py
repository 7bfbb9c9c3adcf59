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
is_same(p.ask('address'), '- -22', 'nothing serves at first')
is_same(p.ask('stop'), '-22', 'nor is there anything to stop')
url = p.start()
ok(url.startswith('http://127.0.0.1:'), 'a free port is found, and told', url)
is_same(p.ask('file'), files, 'a file that the program opens has the number that it has without us')
is_same(p.ask('start 127.0.0.1:0'), '-16', 'there is one server at a time')
is_same(p.ask('rate'), '524288', 'the heap is sampled from here on')
status = json.loads(p.ask('status'))
is_same((status['http']['on'], status['http']['address']), (True, url), 'cpa_status tells where')

# every path
for target in ('', 'cmdline', 'heap', 'allocs', 'goroutine', 'threads', 'block', 'mutex', 'threadcreate',
               'heap?debug=1', 'threads?debug=1', 'threads?debug=2', 'goroutine?debug=2', 'block?debug=1', 'symbol',
               'heap?seconds=1', 'profile?seconds=1', 'trace?seconds=1'):
    s, headers, body = get(url, target)
    ok(s == 200 and body and headers.get('X-Content-Type-Options') == 'nosniff', 'GET /debug/pprof/' + target,
       s, headers, body[:200])
is_same(get(url, 'cmdline')[2], b'./served', 'cmdline is that of the program')
is_same(get(url, 'nothing')[0], 404, 'what is not there is not')
s, headers, body = get(url, 'threads?debug=2')
ok(b'"cpa"' not in body and b'"served"' in body, 'the thread that serves is none of the program', body.decode())

# CPU time, with labels, by all readers
p.ask('busy 1')
name = 'profile?seconds=1'
s, headers, body = get(url, name)
with open('cpu.pb.gz', 'wb') as f:
    f.write(body)
rc, out, err = cpa('top', 'cpu.pb.gz')
ok(rc == 0 and 'spin' in out, 'the capture has what the program did', out, err)
rc, out, err = cpa('tags', 'cpu.pb.gz')
ok('worker' in out, 'and for whom', out, err)
rc, out, err = cpa('top', url + '/debug/pprof/' + name)
ok(rc == 0 and 'spin' in out, 'cpa top asks for it itself', out, err)
rc, out, err = cpa('top', url + '/debug/pprof/heap')
ok(rc == 0, 'and for memory', out, err)

# who has CPU time
results = []
t = threading.Thread(target=lambda: results.append(get(url, 'profile?seconds=2')))
t.start()
time.sleep(0.7)
is_same(p.ask('cpu mine.pb.gz'), '-16', 'while a request has CPU time the program gets EBUSY')
is_same(p.ask('cpu'), '-22', 'and does not end what is not its own')
s, headers, body = get(url, 'profile?seconds=1')
ok(s == 500 and b'already in use' in body, 'nor does another request', s, body)
t.join()
ok(results[0][0] == 200 and len(results[0][2]) > 100, 'which goes on to its end', results[0])
is_same(p.ask('cpu mine.pb.gz'), '0', 'then the program may')
s, headers, body = get(url, 'profile?seconds=1')
ok(s == 500 and b'already in use' in body, 'and requests do not', s, body)
is_same(p.ask('cpu'), '0', 'its profile is written')
ok(cpa('top', 'mine.pb.gz')[0] == 0, 'and can be read')

# a client that goes away
c = connect(url)
c.request('GET', '/debug/pprof/profile?seconds=30')
time.sleep(0.5)
c.close()
for _ in range(50):
    rc = p.ask('cpu left.pb.gz')
    if rc == '0':
        break
    time.sleep(0.1)
is_same((rc, p.ask('cpu')), ('0', '0'), 'a client that goes away frees CPU time')

# stopped in the middle
results = []
t = threading.Thread(target=lambda: results.append(get(url, 'profile?seconds=30')))
begin = time.monotonic()
t.start()
time.sleep(0.7)
is_same(p.ask('stop'), '0', 'it can be stopped while a capture is under way')
t.join()
ok(results[0][0] == 200 and gzip.decompress(results[0][2]) and time.monotonic() - begin < 20,
   'which ends with what it has', results[0])
is_same(get(url, 'heap')[0], 0, 'then nobody answers')
is_same(p.ask('address'), '- -22', 'and there is no address')
maps = p.ask('maps').split()
is_same(p.ask('cycle 1000'), '0', 'it starts and stops a thousand times')
later = p.ask('maps').split()
ok(abs(int(later[0]) - int(maps[0])) <= 8 and int(later[1]) - int(maps[1]) < 2000, 'without any memory left', maps, later)
status = p.ask('state').split()
is_same(status[:4], ['threads', '2', 'files', before.split()[3]], 'thread or file')
is_same(p.end(), (0, ''), 'the program ends as ever')

# Unix sockets
p = Program(env={'XDG_RUNTIME_DIR': os.getcwd()})
os.chmod('.', 0o700)
is_same(p.ask('rate 4096'), '0', 'a program that says how often the heap is sampled')
url = p.start('')
path = url[5:]
ok(url == 'unix:%s/cpa/served-%d.sock' % (os.getcwd(), p.process.pid), 'without an address it is the usual socket', url)
is_same(os.stat(path).st_mode & 0o7777, 0o600, 'which only this user may open')
is_same(p.ask('rate'), '4096', 'keeps its rate')
rc, out, err = cpa('top', url + ':/debug/pprof/heap')
ok(rc == 0, 'cpa top reads it', out, err)
p.tell('exit')
is_same((p.end(), os.path.exists(path)), ((3, ''), False), 'and the socket goes with the program')

# in a server of the program's own
p = Program()
is_same(p.ask('headers /debug/pprof/cmdline').split()[:2], ['0', '200'], 'a program answers requests that it has got itself')
h = p.ask('headers /debug/pprof/heap')
ok('Content-Type: application/octet-stream| ' in h and 'filename="heap"| ' in h and 'Content-Length: ' in h,
   'headers are told', h)
is_same(p.ask('headers /debug/pprof/nothing').split()[:2], ['0', '404'], 'as is what is not there')
is_same(p.ask('headers /debug/pprof').split()[:2], ['0', '307'], 'and a redirection')
is_same(p.ask('handle 16 /debug/pprof/heap?debug=1'), '16 0', 'many threads at once')
is_same(p.ask('handle 3 /debug/pprof/profile?seconds=1'), '1 2', 'of those who want CPU time one gets it')
is_same(p.ask('handle 8 /debug/pprof/heap?seconds=1'), '8 0', 'differences are for all')
is_same(p.ask('recurse'), '0 200 200', 'who writes an answer may ask for another')
is_same(p.ask('state').split()[1], '1', 'and there is no thread of ours')
is_same(p.end(), (0, ''), 'all that leaves the program alone')

p = Program(command=(CPA, 'run', '--', './served'))
is_same(p.ask('start 127.0.0.1:0'), '-16', 'under cpa run profiles are those of cpa run')
is_same(p.ask('headers /debug/pprof/heap').split()[0], '-16', 'all of them')
p.end()
done()
