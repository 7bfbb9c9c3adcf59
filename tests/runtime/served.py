# served.py - common parts of tests of programs that serve their profiles: TAP, the program, requests
# SPDX-License-Identifier: Apache-2.0
import http.client
import os
import re
import select
import signal
import socket
import subprocess
import time

BUILT = os.environ['top_builddir']
LIBRARY = os.path.join(BUILT, 'src/libcpaprof/libcpaprof.so')
CPA = os.environ['CPA']
WAIT = 30
count = 0


def ok(yes, name, *why):
    global count
    count += 1
    if not yes:
        for line in why:
            print('# ' + str(line).replace('\n', '\n# '))
    print(('ok' if yes else 'not ok') + ' %d - %s' % (count, name), flush=True)


def measured(yes, name, *why):
    """A check of clocks or samples, which script/rerun-measured repeats alone after a failure."""
    if not yes:
        print('# measured: ' + ' '.join(str(line) for line in why))
    ok(yes, name)


def is_same(got, wanted, name):
    ok(got == wanted, name, 'got %r' % (got,), 'not %r' % (wanted,))


def done():
    print('1..%d' % count, flush=True)


class Program:
    """The program served, controlled by commands."""

    def __init__(self, *argv, env=None, command=('./served',)):
        full = dict(os.environ)
        full.update(env or {})
        self.process = subprocess.Popen(list(command) + list(argv), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=full, bufsize=0)
        self.pending = b''

    def command(self, line):
        self.process.stdin.write(line.encode() + b'\n')

    def line(self):
        end = time.monotonic() + WAIT
        while b'\n' not in self.pending:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                return 'no answer'
            more = os.read(self.process.stdout.fileno(), 4096)
            if not more:
                return 'it ended'
            self.pending += more
        line, self.pending = self.pending.split(b'\n', 1)
        return line.decode()

    def ask(self, line):
        self.command(line)
        return self.line()

    def start(self, address='127.0.0.1:0'):
        rc = self.ask('start ' + address)
        if rc != '0':
            return 'start gave ' + rc
        return self.ask('address').split()[0]

    def error_line(self):
        if not select.select([self.process.stderr], [], [], WAIT)[0]:
            return 'nothing'
        line = b''
        while not line.endswith(b'\n'):
            more = os.read(self.process.stderr.fileno(), 1)
            if not more:
                break
            line += more
        return line.decode().rstrip('\n')

    def end(self):
        """End the program; return its exit status and the rest of its standard error."""
        try:
            self.process.stdin.close()
        except OSError:
            pass
        try:
            status = self.process.wait(WAIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = 'it did not end'
        error = self.process.stderr.read().decode()
        self.process.stdout.close()
        self.process.stderr.close()
        return status, error


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path, timeout):
        super().__init__('localhost', timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def connect(address, timeout=WAIT):
    if address.startswith('unix:'):
        return UnixConnection(address[5:], timeout)
    return http.client.HTTPConnection(address.split('//')[1].rstrip('/'), timeout=timeout)


def get(address, target, method='GET', body=None, headers=None):
    """Return status, headers and body; status 0 without an answer."""
    c = connect(address)
    try:
        c.request(method, '/debug/pprof/' + target, body, headers or {})
        r = c.getresponse()
        return r.status, dict(r.getheaders()), r.read()
    except OSError as e:
        return 0, {}, str(e).encode()
    except http.client.HTTPException as e:
        return 0, {}, repr(e).encode()
    finally:
        c.close()


def cpa(*argv):
    r = subprocess.run([CPA] + list(argv), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=2 * WAIT, check=False)
    return r.returncode, r.stdout.decode(), r.stderr.decode()


def threads_of(pid):
    """Map the tids of its threads to (name, context switches)."""
    found = {}
    for tid in os.listdir('/proc/%d/task' % pid):
        try:
            with open('/proc/%d/task/%s/status' % (pid, tid), encoding='utf-8', errors='replace') as f:
                text = f.read()
        except OSError:
            continue
        name = re.search(r'^Name:\s*(.*)$', text, re.M).group(1)
        found[int(tid)] = name, sum(int(n) for n in re.findall(r'ctxt_switches:\s*(\d+)', text))
    return found


def ended(pid):
    """Wait for the end of a process that is not a child."""
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    os.kill(pid, signal.SIGKILL)
    return False
