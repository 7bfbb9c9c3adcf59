# attack_flood.py - 1000 connections, and requests that are too long, too slow, too many or incomplete
# SPDX-License-Identifier: Apache-2.0
import sys
import threading
import time

from attack import CLOSE, Target, ask, get, patient, reset, status, until
from served import done, is_same, ok

t = Target(sys.argv[1])
patient(t, '/debug/pprof/heap')
patient(t, '/debug/pprof/profile?seconds=1')
results = []


def delta():
    results.append(status(ask(t, get('/debug/pprof/heap?seconds=1', CLOSE))))


all_threads = [threading.Thread(target=delta) for _ in range(20)]
for thread in all_threads:
    thread.start()
for thread in all_threads:
    thread.join()
ok(results.count(200) == 8 and results.count(429) == 12, 'of 20 simultaneous delta profiles 8 are served', results)
before = t.has()

# a slow request during the following tests
slow = ['a slow request is not accepted']


def dribble():
    with t.connect(30) as c:
        try:
            for byte in get('/debug/pprof/' + 'x' * 500):
                c.send(bytes([byte]))
                time.sleep(0.05)
        except OSError:
            slow[0] = 'closed'


dribbler = threading.Thread(target=dribble)
dribbler.start()

# 1000 connections at the same time
crowd = []
for i in range(1000):
    c = t.connect()
    c.setblocking(False)
    crowd.append(c)
    try:
        c.send((b'', b'GET /debug/pprof/heap HTTP/1.1\r\nHos', get('/debug/pprof/threads?debug=2'),
                get('/debug/pprof/heap', CLOSE))[i % 4])
    except OSError:
        pass
ok(status(patient(t, '/debug/pprof/heap')) == 200, 'one client is served among 1000 idle connections')
for c in crowd:
    reset(c)
ok(status(patient(t, '/debug/pprof/heap')) == 200, 'a client is served after 1000 connections were reset')

kb = t.kb()

# long
time.sleep(2)
is_same(status(ask(t, b'GET / HTTP/1.1\r\nX: ' + b'a' * (10 << 20))), 431, 'a head of 10 MB is refused')
is_same(status(ask(t, get('/debug/pprof/' + 'a' * 100000))), 431, 'a path of 100 kB is refused')
big = b'0x1+' * (10 << 18)
symbol = '/debug/pprof/symbol'
is_same(status(ask(t, get(symbol, 'Content-Length: %d\r\n' % len(big), 'POST') + big)), 413, 'a body of 10 MB is refused')
is_same(status(ask(t, get(symbol, 'Content-Length: 18446744073709551615\r\n', 'POST') + big)), 400, 'a body of 2^64 bytes is refused')
chunks = b''.join(b'%x\r\n%s\r\n' % (len(big) // 8, big[:len(big) // 8]) for _ in range(8)) + b'0\r\n\r\n'
chunked = 'Transfer-Encoding: chunked\r\n'
is_same(status(ask(t, get(symbol, chunked, 'POST') + chunks)), 413, 'a body of 10 MB in chunks is refused')
is_same(status(ask(t, get(symbol, '', 'POST') + big)), 200, 'without a length there is no body, and the data is not a request')
for bad in (b'ffffffffffffffff1\r\n', b'-1\r\n', b'0x10\r\n', b'1;' + b'e' * 100000 + b'\r\n', b'\r\n', b'5\r\nabcdefgh\r\n',
            b'0\r\n' + b'T: x\r\n' * 100000):
    got = status(ask(t, get(symbol, chunked, 'POST') + bad))
    ok(got in (400, 413, 431), 'chunks: %r' % bad[:12], got)

# many
got = b''
time.sleep(1)
got = ask(t, get('/debug/pprof/cmdline') * 100)
ok(got.count(b'HTTP/1.1 200 OK\r\n') >= 5 and got.count(b'HTTP/1.1 ') <= 100 and got.count(b'HTTP/1.1 429 ') <= 1,
   '100 pipelined requests are answered up to the rate limit', got[-300:])
time.sleep(1)
quick = [status(ask(t, get('/debug/pprof/cmdline', CLOSE))) for _ in range(60)]
ok(quick[:5] == [200] * 5 and 429 in quick, 'requests above the rate limit get status 429', quick)

# incomplete
for what in ('profile?seconds=30', 'trace?seconds=30', 'heap?seconds=30', 'threads?debug=2', 'heap'):
    patient(t, '/debug/pprof/cmdline')
    for when in (0, 0.2):
        c = t.connect()
        c.sendall(get('/debug/pprof/' + what))
        time.sleep(when)
        reset(c)
ok(status(patient(t, '/debug/pprof/profile?seconds=1')) == 200, 'a client that disconnects releases its capture')
ok(until(lambda: t.timers() == 0), 'no timer is left in the program', t.timers())
for _ in range(2):
    time.sleep(0.3)
    c = t.connect()
    c.sendall(get('/debug/pprof/profile?seconds=30'))
    time.sleep(0.2)
    reset(c)
    if not until(lambda: t.timers() == 0):
        ok(False, 'timers are left', t.timers())
dribbler.join()
is_same(slow[0], 'closed', 'a head sent byte by byte times out')
ok(until(lambda: t.has()[0] <= before[0] and t.has()[1] <= before[1] and t.has()[2] <= before[2] + 40), 'the server has no more files, threads and mappings than before', before, t.has())
ok(until(lambda: t.kb() < kb + 16000), 'the memory of the server has not grown', kb, t.kb())
is_same(t.end(), ('errors 0', (0, '')), 'the program behaved the same as without requests')
done()
