# attack.py - programs that are asked for their profiles by clients that nobody would want
# SPDX-License-Identifier: Apache-2.0
import os
import re
import socket
import struct
import time

from served import CPA, LIBRARY, Program

WAIT = 20

# What sanitizers keep of memory that was freed is no growth.
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=0:thread_local_quarantine_size_kb=0"


class Target:
    """attacked, which serves by itself, or cpa run serves for it."""

    def __init__(self, mode, *words, env=None, options=(), at='127.0.0.1:0', shell=None):
        command = ('./attacked',)
        if shell:  # which executes it
            command = ('sh', '-c', shell + ' exec ./attacked "$@"', 'sh')
        self.mode = mode
        if mode == 'run':
            self.program = Program('-', *words, env=env, command=(CPA, 'run', '--profile-address=' + at) + options +
                                   ('--',) + command)
        else:
            full = {'LD_PRELOAD': LIBRARY, 'CPA_LISTEN': at}
            full.update(env or {})
            self.program = Program('-', *words, env=full, command=command)
        self.said = self.program.error_line()
        self.before = self.program.line() if shell and 'echo' in shell else ''
        self.pid = int((self.before or self.program.line()).split()[1])
        self.find_port()
        self.server = self.program.process.pid  # who serves

    def find_port(self):
        m = re.search(r':(\d+)/', self.said)
        self.port = int(m.group(1)) if m else 0

    def move(self):
        """Go on with the next line that says where it serves."""
        self.said = self.program.error_line()
        self.find_port()

    def connect(self, timeout=WAIT):
        return socket.create_connection(('127.0.0.1', self.port), timeout)

    def timers(self):
        with open('/proc/%d/timers' % self.pid, encoding='ascii') as f:
            return f.read().count('ID:')

    def has(self):
        """What the server keeps: files, threads, mappings (with a sanitizer, which keeps its own: none)."""
        at = '/proc/%d/' % self.server
        with open(at + 'maps', encoding='utf-8', errors='replace') as f:
            text = f.read()
        maps = 0 if 'libasan' in text else text.count('\n')
        return len(os.listdir(at + 'fd')), len(os.listdir(at + 'task')), maps

    def kb(self):
        with open('/proc/%d/status' % self.server, encoding='utf-8', errors='replace') as f:
            return int(re.search(r'VmRSS:\s+(\d+)', f.read()).group(1))

    def end(self):
        """Its last words and exit status."""
        self.program.process.stdin.close()
        line = self.program.line()
        return line, self.program.end()


def get(target, more='', method='GET', version='1.1', host='localhost'):
    return ('%s %s HTTP/%s\r\nHost: %s\r\n%s\r\n' % (method, target, version, host, more)).encode('latin-1')


CLOSE = 'Connection: close\r\n'


def read_all(c):
    out = b''
    try:
        while True:
            part = c.recv(1 << 16)
            if not part:
                return out
            out += part
    except OSError as e:
        return out + b' [' + type(e).__name__.encode() + b']'


def ask(t, request):
    """All that is answered."""
    try:
        with t.connect() as c:
            try:
                c.sendall(request)
            except OSError:
                pass
            return read_all(c)
    except OSError as e:
        return type(e).__name__.encode()


def status(answer):
    m = re.match(rb'HTTP/1\.[01] (\d+) ', answer)
    return int(m.group(1)) if m else 0


def reset(c):
    c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    c.close()


def until(true, seconds=WAIT):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.05)
    return False


def patient(t, target, wanted=200):
    """Ask until it is answered so: who comes too often waits a while."""
    got = []

    def good():
        got[:] = [ask(t, get(target, CLOSE))]
        return status(got[0]) == wanted or time.sleep(0.2)
    until(good)
    return got[0]


def body(answer):
    return answer.partition(b'\r\n\r\n')[2]
