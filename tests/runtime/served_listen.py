# served_listen.py - CPA_LISTEN: programs that know nothing of it serve their profiles
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
   'a program that was not built for it says where it listens', line)
url = url_of(line)
for target in 'cmdline', 'heap', 'profile?seconds=1', 'threads?debug=2', 'trace?seconds=1':
    is_same(get(url, target)[0], 200, 'and answers: ' + target)
is_same(p.end(), (0, ''), 'else it is as alone')

p = preload('unix:%s/l.sock' % here)
line = p.error_line()
ok(line.startswith('cpa: profiling server listening on unix:%s/l.sock' % here), 'a Unix socket', line)
is_same(get('unix:%s/l.sock' % here, 'heap')[0], 200, 'answers')
p.end()
is_same(os.path.exists('l.sock'), False, 'and is gone with the program')

p = preload('127.0.0.1:0', CPA_LOG='0')
is_same(p.end(), (0, ''), 'CPA_LOG=0: nothing is said')
p = preload('127.0.0.1:0', CPA_HEAP_RATE='0')
url = url_of(p.error_line())
ok(b'heap/0' in get(url, 'heap?debug=1')[2].split(b'\n')[0] or b' 0: 0 [' in get(url, 'heap?debug=1')[2].split(b'\n')[0],
   'CPA_HEAP_RATE=0: the heap is not sampled', get(url, 'heap?debug=1')[2][:100])
p.end()

# refused, and the program goes on
for address, more, why in (
        ('0.0.0.0:0', {}, 'without a secret, all the world is refused'),
        ('nonsense', {}, 'what is no address'),
        ('127.0.0.1:99999', {}, 'no port'),
        ('127.0.0.1:0', {'CPA_SECRET_FILE': here + '/nothing'}, 'a secret that cannot be read'),
        ('unix:/nowhere/at/all.sock', {}, 'no folder')):
    p = preload(address, **more)
    line = p.error_line()
    ok(line.startswith('cpa: CPA_LISTEN: '), why, line)
    print('# ' + line)
    is_same(p.end(), (0, ''), 'and the program goes on')

with open('secret', 'w', encoding='ascii') as f:
    f.write('0123456789abcdef0123456789abcdef\n')
os.chmod('secret', 0o600)
p = preload('127.0.0.1:0', CPA_SECRET_FILE=here + '/secret', CPA_HIDE_CMDLINE='1', CPA_MAX_SECONDS='5',
            CPA_ALLOW_HOST='prof.example')
url = url_of(p.error_line())
key = {'Authorization': 'Bearer 0123456789abcdef0123456789abcdef'}
is_same(get(url, 'heap')[0], 401, 'with CPA_SECRET_FILE who has no secret is refused')
is_same(get(url, 'cmdline', headers=key)[:3:2], (200, here.encode() + b'/plain'), 'who has it is not, and CPA_HIDE_CMDLINE hides')
is_same(get(url, 'profile?seconds=6', headers=key)[0], 400, 'CPA_MAX_SECONDS is the most')
is_same(get(url, 'heap', headers=dict(key, Host='prof.example'))[0], 200, 'CPA_ALLOW_HOST is allowed')
is_same(get(url, 'heap', headers=dict(key, Host='evil.example'))[0], 403, 'and no other')
p.end()

# children and programs that are executed
with socket.socket() as s:
    s.bind(('127.0.0.1', 0))
    port = s.getsockname()[1]
script = './plain </dev/null; ./plain </dev/null & wait; echo "$CPA_LISTEN"; read line'
p = preload('127.0.0.1:%d' % port, 'sh', '-c', script)
first = p.error_line()
is_same(url_of(first), 'http://127.0.0.1:%d' % port, 'the first program has the port')
is_same(p.line(), '127.0.0.1:%d,pid=%d' % (port, p.process.pid), 'what it executes knows that it is not for them')
is_same(p.end()[1], '', 'and says nothing')
p = preload('127.0.0.1:%d' % port, 'sh', '-c', 'exec ./plain')
first, second = p.error_line(), p.error_line()
is_same((first, second), (second, first), 'a process that becomes another program')
is_same(get(url_of(second), 'cmdline')[2], b'./plain', 'serves that one')
p.end()
p = preload('unix:%s/%%p.sock' % here, 'sh', '-c', './plain; :')
first = p.error_line()
second = p.error_line()
ok(first != second and get(url_of(second), 'cmdline')[2] == b'./plain', 'with %p each has its own', first, second)
p.end()
p = preload('unix:%s/%%p.sock' % here, 'sh', '-c', './plain; :', CPA_FOLLOW='none')
p.error_line()
is_same(p.end()[1], '', 'but not with CPA_FOLLOW=none')
is_same([f for f in os.listdir(here) if f.endswith('.sock')], [], 'no socket is left')

# a daemon
out = subprocess.run(['./served'], input=b'daemon\naddress\n', stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                     env=dict(os.environ, CPA_LISTEN='127.0.0.1:%d' % port), timeout=30)
answers = out.stdout.decode().split('\n')
ok(answers[1:2] == ['http://127.0.0.1:%d 0' % port], 'a daemon goes on serving', answers, out.stderr)
ok(ended(int(answers[0].split()[1])), 'and ends')

# not in programs that have more rights than who starts them, nor under cpa run
if os.getuid() == 0:
    os.chmod(here, 0o755)
    subprocess.run(['cp', './served', './raised'], check=True)
    os.chmod('raised', 0o4755)
    out = subprocess.run(['./raised'], input=b'address\nstate\n', stdout=subprocess.PIPE, stderr=subprocess.PIPE, user=65534,
                         env={'CPA_LISTEN': '127.0.0.1:0'}, check=False, timeout=30)
    is_same((out.stdout.split()[:4], out.stderr), ([b'-', b'-22', b'threads', b'1'], b''),
            'a set-user-ID program does not listen')
p = Program(env={'CPA_LISTEN': '127.0.0.1:0'}, command=(os.environ['CPA'], 'run', '--', './plain'))
is_same(p.end()[1], '', 'cpa run does not read it')
done()
