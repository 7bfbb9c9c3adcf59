# own_frames.py - dumps of threads have no frames of our library, and PPROFLISTEN starts the server
# SPDX-License-Identifier: Apache-2.0
import re
import time

from served import LIBRARY, Program, done, get, is_same, ok


def url_of(line):
    m = re.match(r'cpa: profiling server listening on (http://[^/]*)', line)
    return m.group(1) if m else 'http://no.invalid'


for rate in '0', '1':
    p = Program(env={'LD_PRELOAD': LIBRARY, 'CPA_LISTEN': '127.0.0.1:0', 'CPA_BLOCK_RATE': rate}, command=('./waits', '7'))
    url = url_of(p.error_line())
    for _ in range(50):
        text = get(url, 'threads?debug=2')[2].decode()
        if text.count('[') >= 8:
            break
        time.sleep(0.1)
    ok(text.count('thread ') >= 8, 'block rate %s: all threads are shown' % rate, text)
    for target in 'threads?debug=2', 'goroutine?debug=2', 'threads?debug=1':
        frames = get(url, target)[2].decode().split('\n--- ')[0]
        ok('libcpaprof' not in frames and 'main' in frames, 'block rate %s: no frame of ours in %s' % (rate, target), frames)
    p.process.kill()
    p.process.wait()

p = Program(env={'LD_PRELOAD': LIBRARY, 'PPROFLISTEN': '127.0.0.1:0'}, command=('./plain',))
line = p.error_line()
ok(re.match(r'cpa: profiling server listening on http://127\.0\.0\.1:\d+/debug/pprof/$', line), 'PPROFLISTEN starts the server', line)
is_same(get(url_of(line), 'cmdline')[0], 200, 'it answers')
text = get(url_of(line), 'heap?debug=1')[2]
ok(text.startswith(b'heap profile: 0: 0 [0: '), 'an empty heap has the header of Go', text[:80])
is_same(p.end(), (0, ''), 'the program ends the same as without a server')
p = Program(env={'LD_PRELOAD': LIBRARY, 'PPROFLISTEN': 'nonsense'}, command=('./plain',))
line = p.error_line()
ok(line.startswith('cpa: PPROFLISTEN: profiling server not started: '), 'a message names the variable', line)
p.end()
p = Program(env={'LD_PRELOAD': LIBRARY, 'PPROFLISTEN': 'nonsense', 'CPA_LISTEN': '127.0.0.1:0'}, command=('./plain',))
ok('listening' in p.error_line(), 'CPA_LISTEN takes precedence')
p.end()
done()
