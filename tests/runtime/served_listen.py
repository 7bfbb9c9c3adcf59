# served_listen.py - CPA_LISTEN makes unmodified programs serve their profiles
# SPDX-License-Identifier: Apache-2.0
import os
import re
import socket
import subprocess

from served import LIBRARY, Program, done, ended, get, is_same, ok

here = os.getcwd()


def preload(address, *command, **more):
    env = {'LD_PRELOAD': LIBRARY, 'CPA_LISTEN': address}
    env.update(more)
    return Program(env=env, command=command or ('./plain',))


def url_of(line):
    m = re.match(r'cpa: profiling server listening on (http://[^/]*|unix:.*)', line)
    return m.group(1) if m else 'http://no.invalid'


p = preload('127.0.0.1:0')
line = p.error_line()
ok(re.match(r'cpa: profiling server listening on http://127\.0\.0\.1:\d+/debug/pprof/$', line),
   'an unmodified program listens and reports the address', line)
url = url_of(line)
for target in 'cmdline', 'heap', 'profile?seconds=1', 'threads?debug=2', 'trace?seconds=1':
    is_same(get(url, target)[0], 200, 'an unmodified program answers: ' + target)
is_same(p.end(), (0, ''), 'an unmodified program ends the same as without a server')

p = preload('unix:%s/l.sock' % here)
line = p.error_line()
ok(line.startswith('cpa: profiling server listening on unix:%s/l.sock' % here), 'an unmodified program listens on a Unix socket', line)
is_same(get('unix:%s/l.sock' % here, 'heap')[0], 200, 'requests at the socket are answered')
p.end()
is_same(os.path.exists('l.sock'), False, 'the socket is removed when the program ends')

p = preload('127.0.0.1:0', CPA_LOG='0')
is_same(p.end(), (0, ''), 'CPA_LOG=0 suppresses the message')
p = preload('127.0.0.1:0', CPA_HEAP_RATE='0')
url = url_of(p.error_line())
ok(b'heap/0' in get(url, 'heap?debug=1')[2].split(b'\n')[0] or b' 0: 0 [' in get(url, 'heap?debug=1')[2].split(b'\n')[0],
   'CPA_HEAP_RATE=0: the heap is not sampled', get(url, 'heap?debug=1')[2][:100])
p.end()

# refused, and the program continues
for address, more, why in (
        ('0.0.0.0:0', {}, 'all addresses without a secret are refused'),
        ('nonsense', {}, 'an invalid address is refused'),
        ('127.0.0.1:99999', {}, 'an invalid port is refused'),
        ('127.0.0.1:0', {'CPA_SECRET_FILE': here + '/nothing'}, 'a secret file that cannot be read is refused'),
        ('unix:/nowhere/at/all.sock', {}, 'a socket in a missing folder is refused')):
    p = preload(address, **more)
    line = p.error_line()
    ok(line.startswith('cpa: CPA_LISTEN: '), why, line)
    print('# ' + line)
    is_same(p.end(), (0, ''), 'a program continues after a refused address')

with open('secret', 'w', encoding='ascii') as f:
    f.write('0123456789abcdef0123456789abcdef\n')
os.chmod('secret', 0o600)
p = preload('127.0.0.1:0', CPA_SECRET_FILE=here + '/secret', CPA_HIDE_CMDLINE='1', CPA_MAX_SECONDS='5',
            CPA_ALLOW_HOST='prof.example')
url = url_of(p.error_line())
key = {'Authorization': 'Bearer 0123456789abcdef0123456789abcdef'}
is_same(get(url, 'heap')[0], 401, 'with CPA_SECRET_FILE requests without the secret are refused')
is_same(get(url, 'cmdline', headers=key)[:3:2], (200, here.encode() + b'/plain'), 'requests with the secret are answered, and CPA_HIDE_CMDLINE hides arguments')
is_same(get(url, 'profile?seconds=6', headers=key)[0], 400, 'CPA_MAX_SECONDS limits captures')
is_same(get(url, 'heap', headers=dict(key, Host='prof.example'))[0], 200, 'CPA_ALLOW_HOST allows a host name')
is_same(get(url, 'heap', headers=dict(key, Host='evil.example'))[0], 403, 'other host names are refused')
p.end()

# children and executed programs
with socket.socket() as s:
    s.bind(('127.0.0.1', 0))
    port = s.getsockname()[1]
script = './plain </dev/null; ./plain </dev/null & wait; echo "$CPA_LISTEN"; read line'
p = preload('127.0.0.1:%d' % port, 'sh', '-c', script)
first = p.error_line()
is_same(url_of(first), 'http://127.0.0.1:%d' % port, 'the first program has the port')
is_same(p.line(), '127.0.0.1:%d,pid=%d' % (port, p.process.pid), 'executed programs do not try to use the port')
is_same(p.end()[1], '', 'executed programs print no message about the port')
p = preload('127.0.0.1:%d' % port, 'sh', '-c', 'exec ./plain')
first, second = p.error_line(), p.error_line()
is_same((first, second), (second, first), 'a process that executes another program keeps its port')
is_same(get(url_of(second), 'cmdline')[2], b'./plain', 'the server returns the profiles of the new program')
p.end()
p = preload('unix:%s/%%p.sock' % here, 'sh', '-c', './plain; :')
first = p.error_line()
second = p.error_line()
ok(first != second and get(url_of(second), 'cmdline')[2] == b'./plain', 'with %p each process has its own socket', first, second)
p.end()
p = preload('unix:%s/%%p.sock' % here, 'sh', '-c', './plain; :', CPA_FOLLOW='none')
p.error_line()
is_same(p.end()[1], '', 'with CPA_FOLLOW=none executed programs do not listen')
is_same([f for f in os.listdir(here) if f.endswith('.sock')], [], 'no socket is left')

# a daemon
out = subprocess.run(['./served'], input=b'daemon\naddress\n', stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                     env=dict(os.environ, CPA_LISTEN='127.0.0.1:%d' % port), timeout=30)
answers = out.stdout.decode().split('\n')
ok(answers[1:2] == ['http://127.0.0.1:%d 0' % port], 'a daemon continues to serve', answers, out.stderr)
ok(ended(int(answers[0].split()[1])), 'a daemon ends as usual')

# not in setuid programs, and not under cpa run
if os.getuid() == 0:
    os.chmod(here, 0o755)
    subprocess.run(['cp', './served', './raised'], check=True)
    os.chmod('raised', 0o4755)
    out = subprocess.run(['./raised'], input=b'address\nstate\n', stdout=subprocess.PIPE, stderr=subprocess.PIPE, user=65534,
                         env={'CPA_LISTEN': '127.0.0.1:0'}, check=False, timeout=30)
    is_same((out.stdout.split()[:4], out.stderr), ([b'-', b'-22', b'threads', b'1'], b''),
            'a set-user-ID program does not listen')
p = Program(env={'CPA_LISTEN': '127.0.0.1:0'}, command=(os.environ['CPA'], 'run', '--quiet', '--', './plain'))
is_same(p.end()[1], '', 'cpa run ignores CPA_LISTEN')
done()
