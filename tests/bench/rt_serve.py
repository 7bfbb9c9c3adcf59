# rt_serve.py - programs that serve their profiles, what they have, and questions to them
# SPDX-License-Identifier: Apache-2.0

import http.client
import os
import re
import select
import signal
import subprocess
import threading
import time
import urllib.parse

from rt_tools import Profile

READY_SECONDS = 60
WHERE = re.compile(rb'(?:listening on|^ready) (http://[^/\s]+)', re.M)


class Served:
    """A program that runs and serves: where, its process, and that of cpa (the same where it is linked).

    how: run, linked, or none (a server of Go, or none at all: base is then None). ready: what it prints when it is.
    """

    def __init__(self, b, how, argv, options=(), env=None, ready='ready'):
        full = dict(os.environ, LC_ALL='C.UTF-8', **(env or {}))
        if how == 'run':
            argv = [b.cpa, 'run', '--enable-profiling', *options, '--', *argv]
        elif how == 'linked':
            full.update(LD_PRELOAD=b.library, CPA_LISTEN='127.0.0.1:0')
        self.p = subprocess.Popen(argv, env=full, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  start_new_session=True)
        self.base, self.pid = None, self.p.pid
        text = self.read_until(ready.encode(), how != 'none')
        m = WHERE.search(text)
        if m:
            self.base = m.group(1).decode()
        if how == 'run':
            with open(f'/proc/{self.p.pid}/task/{self.p.pid}/children', encoding='ascii') as f:
                self.pid = int(f.read().split()[0])

    def read_until(self, ready, serves):
        """Both streams, until the program says that it is ready and the server where it is."""
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
        """Seconds from the request to the last byte of the answer; its size. An answer that is no 200 is trouble."""
        for _ in range(10):
            took, r, body = self.ask(path)
            if r.status != 429:
                break
            time.sleep(1) # it takes so many a second
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
        """Call meanwhile, which gets a function that says whether the answer is there, while a client asks."""
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
        """Until that many timers are there, or more; or none. Gives seconds, None when it took too long."""
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
    """A number of /proc/PID/status, 0 where there is none."""
    path = f'/proc/{pid}/task/{task}/status' if task else f'/proc/{pid}/status'
    with open(path, encoding='utf-8', errors='replace') as f:
        m = re.search(rf'^{field}:\s*(\d+)', f.read(), re.M)
    return int(m.group(1)) if m else 0


def tasks(pid):
    """{id: name} of the threads."""
    found = {}
    for task in os.listdir(f'/proc/{pid}/task'):
        with open(f'/proc/{pid}/task/{task}/comm', encoding='utf-8', errors='replace') as f:
            found[int(task)] = f.read().strip()
    return found


def woken(pid):
    """How often each thread was: {id: times that it stopped of its own will}."""
    return {task: status(pid, 'voluntary_ctxt_switches', task) for task in tasks(pid)}


def fds(pid):
    """How many files are open, and how many of them are sockets."""
    names = []
    for fd in os.listdir(f'/proc/{pid}/fd'):
        try:
            names.append(os.readlink(f'/proc/{pid}/fd/{fd}'))
        except FileNotFoundError:
            pass
    return len(names), sum(n.startswith('socket:') for n in names)


def cpu_ns(pid):
    """The clock of another process: CPU time of all its threads."""
    return time.clock_gettime_ns(~pid << 3 | 2)


def varints(data):
    """{field: value} of the numbers at the top of a message."""
    at, found = 0, {}

    def one():
        nonlocal at
        value = shift = 0
        while True:
            c = data[at]
            at += 1
            value |= (c & 127) << shift
            shift += 7
            if c < 128:
                return value
    while at < len(data):
        tag = one()
        value = one()
        if tag & 7 == 2:
            at += value
        else:
            found[tag >> 3] = value
    return found


class Captured(Profile):
    """A profile with begin and duration in nanoseconds."""

    def __init__(self, b, file):
        import gzip
        super().__init__(b, [file])
        with gzip.open(file) as f:
            top = varints(f.read())
        self.begin, self.duration = top.get(9, 0), top.get(10, 0)
        self.not_sampled = self.of('[cpa: not sampled]')
