# endpoint.py - requests to a /debug/pprof server, for tests
#
# SPDX-License-Identifier: Apache-2.0
#
# usage: endpoint.py get BASE PATH [FILE [HEADER:VALUE]...]   print "STATUS TYPE FILENAME"; write the body to FILE (default body)
#        endpoint.py post BASE PATH TEXT                      the same with a POST; write the body to the file body
#        endpoint.py abort BASE PATH SECONDS                  request, and disconnect after SECONDS
#        endpoint.py many BASE PATH N                         N parallel requests: print the count of each status, "200:7 500:1"
#        endpoint.py used PID BASE PATH FILE                  get, and print the CPU time of PID during it, in ns
#        endpoint.py left N SECONDS PATTERN                   wait until at most N of the paths exist
#
# BASE: http://HOST:PORT or unix:PATH; anything after the port or socket is ignored.
import collections
import glob
import http.client
import socket
import sys
import threading
import time
import urllib.parse

TIMEOUT = 60


class Unix(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=TIMEOUT)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(TIMEOUT)
        self.sock.connect(self.path)


def connect(base):
    if base.startswith("unix:"):
        return Unix(base[len("unix:"):])
    url = urllib.parse.urlsplit(base)
    return http.client.HTTPConnection(url.hostname, url.port, timeout=TIMEOUT)


def ask(base, path, method="GET", text=None, headers=()):
    c = connect(base)
    c.request(method, path, body=text, headers=dict(h.split(":", 1) for h in headers))
    r = c.getresponse()
    body = r.read()
    c.close()
    return r, body


def show(answer, file="body"):
    r, body = answer
    with open(file, "wb") as f:
        f.write(body)
    name = (r.getheader("Content-Disposition") or "").partition("filename=")[2].strip('"')
    print(r.status, r.getheader("Content-Type"), name or "-")


def many(base, path, n):
    seen = collections.Counter()
    lock = threading.Lock()

    def one():
        try:
            status = str(ask(base, path)[0].status)
        except OSError as e:
            status = type(e).__name__
        with lock:
            seen[status] += 1
    threads = [threading.Thread(target=one) for _ in range(int(n))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    print(" ".join(f"{k}:{v}" for k, v in sorted(seen.items())))


def abort(base, path, seconds):
    c = connect(base)
    c.request("GET", path)
    time.sleep(float(seconds))
    c.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    c.close()


def used(pid, base, path, file):
    clock = ~int(pid) << 3 | 2  # as in clock_getcpuclockid
    before = time.clock_gettime_ns(clock)
    _, body = ask(base, path)
    print(time.clock_gettime_ns(clock) - before)
    with open(file, "wb") as f:
        f.write(body)


def left(n, seconds, pattern):
    end = time.monotonic() + float(seconds)
    while len(glob.glob(pattern)) > int(n) and time.monotonic() < end:
        time.sleep(0.02)
    print(len(glob.glob(pattern)))


def main(what, *args):
    if what == "get":
        base, path, *rest = args
        show(ask(base, path, headers=rest[1:]), *rest[:1])
    elif what == "post":
        base, path, text = args
        show(ask(base, path, "POST", text))
    elif what == "many":
        many(*args)
    elif what == "abort":
        abort(*args)
    elif what == "used":
        used(*args)
    else:
        left(*args)


main(*sys.argv[1:])
