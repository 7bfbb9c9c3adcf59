# rt_serve.py - start programs that serve profiles, send requests, read their resources from /proc
# SPDX-License-Identifier: Apache-2.0

import http.client
import os
import re
import select
import signal
import subprocess
import sys
import threading
import time
import urllib.parse

from rt_tools import Profile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
from wire import fields  # noqa: E402

READY_SECONDS = 60
WHERE = re.compile(rb'(?:listening on|^ready) (http://[^/\s]+)', re.M)


class Served:
    """A running program with a profile server: address, PID, and process of cpa (the program itself if linked).

    mode: run, linked, or none (a Go server, or no server: base is None). ready: the output that marks it as ready.
    """

    def __init__(self, b, mode, argv, options=(), env=None, ready='ready'):
        full = dict(os.environ, LC_ALL='C.UTF-8', **(env or {}))
        if mode == 'run':
            argv = [b.cpa, 'run', '--enable-profiling', *options, '--', *argv]
        elif mode == 'linked':
            full.update(LD_PRELOAD=b.library, CPA_LISTEN='127.0.0.1:0')
        self.p = subprocess.Popen(argv, env=full, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  start_new_session=True)
        self.base, self.pid = None, self.p.pid
        text = self.read_until(ready.encode(), mode != 'none')
        m = WHERE.search(text)
        if m:
            self.base = m.group(1).decode()
        if mode == 'run':
            with open(f'/proc/{self.p.pid}/task/{self.p.pid}/children', encoding='ascii') as f:
                self.pid = int(f.read().split()[0])

    def read_until(self, ready, serves):
        """Read both streams until the program is ready and the server has printed its address."""
        text, end = b'', time.monotonic() + READY_SECONDS
        while ready not in text or serves and not WHERE.search(text):
            able = select.select([self.p.stdout, self.p.stderr], [], [], max(0, end - time.monotonic()))[0]
            some = b''.join(os.read(f.fileno(), 65536) for f in able)
            if not some:
                self.close()
                raise RuntimeError(f'{self.p.args}: not ready: {text.decode(errors="replace")}')
            text += some
        return text

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            os.killpg(self.p.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.p.wait()
        for f in (self.p.stdin, self.p.stdout, self.p.stderr):
            f.close()

    def get(self, path, file=None):
        """Seconds until the last byte of a response, and its size. Raises an error for a status other than 200."""
        for _ in range(10):
            took, r, body = self.ask(path)
            if r.status != 429:
                break
            time.sleep(1) # the rate is limited
        if r.status != 200:
            raise RuntimeError(f'{path}: {r.status} {body[:200]!r}')
        if file:
            with open(file, 'wb') as f:
                f.write(body)
        return took, len(body)

    def ask(self, path):
        url = urllib.parse.urlsplit(self.base)
        begin = time.monotonic()
        c = http.client.HTTPConnection(url.hostname, url.port, timeout=300)
        c.request('GET', '/debug/pprof/' + path)
        r = c.getresponse()
        body = r.read()
        took = time.monotonic() - begin
        c.close()
        return took, r, body

    def while_asked(self, path, file, meanwhile):
        """Call the function meanwhile during a request. Its argument is a function that tests whether the response is complete."""
        found, wrong = [], []

        def ask():
            try:
                found.append(self.get(path, file))
            except (OSError, RuntimeError, http.client.HTTPException) as e:
                wrong.append(e)
        asking = threading.Thread(target=ask)
        asking.start()
        meanwhile(lambda: bool(found or wrong))
        asking.join()
        if wrong:
            raise wrong[0]
        return found[0]

    def wait(self, timers, seconds=5):
        """Wait for at least that many timers, or for none if 0. Returns the seconds, or None after a timeout."""
        begin = time.monotonic()
        while time.monotonic() - begin < seconds:
            n = n_timers(self.pid)
            if n >= timers if timers else n == 0:
                return time.monotonic() - begin
            time.sleep(0.0005)
        return None


def n_timers(pid):
    with open(f'/proc/{pid}/timers', encoding='ascii') as f:
        return sum(line.startswith('ID:') for line in f)


def status(pid, field, task=None):
    """A number of /proc/PID/status; 0 if it is missing."""
    path = f'/proc/{pid}/task/{task}/status' if task else f'/proc/{pid}/status'
    with open(path, encoding='utf-8', errors='replace') as f:
        m = re.search(rf'^{field}:\s*(\d+)', f.read(), re.M)
    return int(m.group(1)) if m else 0


def tasks(pid):
    """{id: name} of all threads."""
    found = {}
    for task in os.listdir(f'/proc/{pid}/task'):
        with open(f'/proc/{pid}/task/{task}/comm', encoding='utf-8', errors='replace') as f:
            found[int(task)] = f.read().strip()
    return found


def woken(pid):
    """{id: voluntary context switches} of all threads."""
    return {task: status(pid, 'voluntary_ctxt_switches', task) for task in tasks(pid)}


def fds(pid):
    """The number of open files, and of sockets among them."""
    names = []
    for fd in os.listdir(f'/proc/{pid}/fd'):
        try:
            names.append(os.readlink(f'/proc/{pid}/fd/{fd}'))
        except FileNotFoundError:
            pass
    return len(names), sum(n.startswith('socket:') for n in names)


def cpu_ns(pid):
    """The CPU clock of another process, for all its threads."""
    return time.clock_gettime_ns(~pid << 3 | 2)


class Captured(Profile):
    """A profile with begin and duration in nanoseconds."""

    def __init__(self, b, file):
        import gzip
        super().__init__(b, [file])
        with gzip.open(file) as f:
            top = dict(fields(f.read()))
        self.begin, self.duration = top.get(9, 0), top.get(10, 0)
        self.not_sampled = self.of('[cpa: not sampled]')
