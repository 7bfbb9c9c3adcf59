# attack.py - a program under attack by hostile clients
# SPDX-License-Identifier: Apache-2.0
import os
import re
import socket
import struct
import time

from served import CPA, LIBRARY, Program

WAIT = 20

# Sanitizers would retain freed memory, which would look like growth.
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=0:thread_local_quarantine_size_kb=0"


class Target:
    """The program attacked, served by itself or by cpa run."""

    def __init__(self, mode, *words, env=None, options=(), at='127.0.0.1:0', shell=None):
        command = ('./attacked',)
        if shell:  # the shell executes it
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
        self.server = self.program.process.pid  # the serving process

    def find_port(self):
        m = re.search(r':(\d+)/', self.said)
        self.port = int(m.group(1)) if m else 0

    def move(self):
        """Read the next line with the address."""
        self.said = self.program.error_line()
        self.find_port()

    def connect(self, timeout=WAIT):
        return socket.create_connection(('127.0.0.1', self.port), timeout)

    def timers(self):
        with open('/proc/%d/timers' % self.pid, encoding='ascii') as f:
            return f.read().count('ID:')

    def has(self):
        """Open files, threads and mappings of the server (with a sanitizer no mappings, because it adds its own)."""
        at = '/proc/%d/' % self.server
        with open(at + 'maps', encoding='utf-8', errors='replace') as f:
            text = f.read()
        maps = 0 if 'libasan' in text else text.count('\n')
        return len(os.listdir(at + 'fd')), len(os.listdir(at + 'task')), maps

    def kb(self):
        with open('/proc/%d/status' % self.server, encoding='utf-8', errors='replace') as f:
            return int(re.search(r'VmRSS:\s+(\d+)', f.read()).group(1))

    def end(self):
        """End the program; return its last output and exit status."""
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
    """Read the whole answer."""
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
    """Repeat a request until it gets this status: requests above the rate limit must wait."""
    got = []

    def good():
        got[:] = [ask(t, get(target, CLOSE))]
        return status(got[0]) == wanted or time.sleep(0.2)
    until(good)
    return got[0]


def body(answer):
    return answer.partition(b'\r\n\r\n')[2]
