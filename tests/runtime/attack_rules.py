# attack_rules.py - forbidden requests, and information leaks
# SPDX-License-Identifier: Apache-2.0
import os
import re
import socket
import subprocess
import sys
import time

from attack import CLOSE, Target, ask, body, get, status
from served import CPA, done, is_same, ok

SECRET = 'dGhpcyBpcyBubyBzZWNyZXQsIGJ1dCBhIHRlc3Q-' + str(os.getpid())
mode = sys.argv[1]
with open('secret', 'w', encoding='ascii') as f:
    f.write(SECRET + '\n')
os.chmod('secret', 0o600)
path = os.path.abspath('secret')
t = Target(mode, env={} if mode == 'run' else {'CPA_SECRET_FILE': path},
           options=('--profile-secret=' + path,) if mode == 'run' else ())
key = 'Authorization: Bearer %s\r\n' % SECRET
heap = '/debug/pprof/heap'


def asked(more='', host='localhost', target=heap, method='GET'):
    return status(ask(t, get(target, more + CLOSE, method, host=host)))


is_same(asked(key), 200, 'requests with the secret are allowed')
is_same(asked('X-Cpa-Secret: %s\r\n' % SECRET), 200, 'the secret is accepted in either header')
for what in ('', 'Authorization: Bearer x\r\n', key.replace('Bearer', 'Basic'), key[:-3] + '\r\n', key[:-2] + 'x\r\n',
             'X-Cpa-Secret: \r\n', 'Authorization: %s\r\n' % SECRET, 'Cookie: secret=%s\r\n' % SECRET):
    is_same(asked(what), 401, 'a missing or wrong secret is refused: ' + repr(what[:24]))
is_same(status(ask(t, get(heap + '?secret=' + SECRET, CLOSE))), 401, 'a secret in the URL is not accepted')
time.sleep(1.1)
for host in ('evil.example', 'localhost.evil.example', 'evil.example:%d' % t.port, '127.0.0.1.evil.example', '0x7f000001.evil',
             'localhost@evil.example', ''):
    ok(asked(key, host) in (400, 403), 'Host: ' + host)
for more in ('Origin: http://evil.example\r\n', 'Origin: null\r\n', 'Origin: http://localhost:%d\r\n' % t.port,
             'Sec-Fetch-Site: cross-site\r\n', 'Sec-Fetch-Site: same-site\r\n'):
    is_same(asked(key + more), 403, more.strip())
is_same(asked(key + 'Sec-Fetch-Site: none\r\n'), 200, 'Sec-Fetch-Site: none')
is_same(asked(key, method='OPTIONS'), 405, 'OPTIONS')
answer = ask(t, get(heap + '?debug=1', key + CLOSE))
head = answer.partition(b'\r\n\r\n')[0].lower()
ok(b'access-control' not in head and b'no-store' in head and b'nosniff' in head and
   b'cross-origin-resource-policy: same-origin' in head, 'answers forbid access by other sites', head)


# the secret
def memory_has(pid, word):
    """Find mappings that would be in a core dump and contain the word."""
    found = []
    with open('/proc/%d/smaps' % pid, encoding='utf-8', errors='replace') as f:
        smaps = f.read()
    with open('/proc/%d/mem' % pid, 'rb', 0) as mem:
        for m in re.finditer(r'^([0-9a-f]+)-([0-9a-f]+) (r\S+) .*\n(?:[A-Z].*\n)*?VmFlags: (.*)$', smaps, re.M):
            if ' dd' in m.group(4):
                continue
            low, high = int(m.group(1), 16), int(m.group(2), 16)
            try:
                for at in range(low, high, 1 << 20):
                    mem.seek(at)
                    part = mem.read(min((1 << 20) + 64, high - at))
                    if word in part:
                        found.append(m.group(0).split('\n')[0])
                        break
            except (OSError, ValueError, OverflowError):
                continue
    return found



ask(t, get('/debug/pprof/profile?seconds=1', key + CLOSE))
word = SECRET.encode()
for pid in {t.server, t.pid}:
    is_same(memory_has(pid, word), [], 'the secret is not in a core dump of ' + ('cpa' if pid != t.pid else 'the program'))
    for name in 'cmdline', 'environ':
        with open('/proc/%d/%s' % (pid, name), 'rb') as f:
            ok(word not in f.read(), 'the secret is not in ' + name)
for what in ('', 'cmdline', 'threads?debug=2', 'heap?debug=1'):
    ok(word not in ask(t, get('/debug/pprof/' + what, key + CLOSE)), 'the secret is not in an answer: ' + what)
ok(SECRET not in t.said, 'the secret is not in messages', t.said)
is_same(t.end(), ('errors 0', (0, '')), 'the program behaved the same as without requests')

# other users of this machine
if os.getuid() == 0:
    os.chmod('.', 0o755)
    t = Target(mode)
    sock = os.path.abspath('s.sock')
    u = Target(mode, env={} if mode == 'run' else {'CPA_LISTEN': 'unix:' + sock}, at='unix:' + sock)
    os.chmod('s.sock', 0o777)

    def as_nobody(address):
        r, w = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.setgroups([])
            os.setresuid(65534, 65534, 65534)
            got = b''
            try:
                with socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET) as c:
                    c.settimeout(20)
                    c.connect(address)
                    c.sendall(get(heap, CLOSE))
                    got = c.recv(60000)
            except OSError as e:
                got = str(e).encode()
            os.write(w, got[:1000])
            os._exit(0)
        os.close(w)
        os.waitpid(pid, 0)
        got = os.read(r, 1000)
        os.close(r)
        return got
    got = as_nobody(('127.0.0.1', t.port))
    is_same(status(got), 403, 'another user is refused at the port')
    got = as_nobody(sock)
    ok(status(got) == 403 or b'denied' in got, 'another user is refused at a socket with an open mode', got)
    is_same(asked(), 200, 'this user is still served')
    t.end()
    u.end()
    if mode == 'served':
        subprocess.run(['cp', './attacked', './raised'], check=True)
        os.chmod('raised', 0o4755)
        out = subprocess.run(['./raised', '-', 'still'], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             user=65534, env={'CPA_LISTEN': '127.0.0.1:0'}, check=False, timeout=30)
        ok(out.stdout.endswith(b'errors 0\n') and out.stderr == b'', 'a set-user-ID program does not listen', out)

# addresses that are refused at the start
for address in '0.0.0.0:0', '[::]:0', '*:0':
    if mode == 'run':
        r = subprocess.run([CPA, 'run', '--profile-address=' + address, '--', 'true'], stderr=subprocess.PIPE, check=False)
        ok(r.returncode == 2 and r.stderr.startswith(b'cpa: '), 'a public address without a secret is refused: ' + address, r)
    else:
        u = Target(mode, env={'CPA_LISTEN': address})
        ok(u.port == 0 and u.said.startswith('cpa: CPA_LISTEN: profiling server not started'), 'a public address without a secret is refused: ' + address,
           u.said)
        u.end()
done()
