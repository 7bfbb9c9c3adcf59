"""hostile_targets.py - a server whose folders misbehave, each in its own way, for the tests of cpa collect

SPDX-License-Identifier: Apache-2.0

usage: hostile_targets.py PORTS LOG

Writes the ports of two servers to PORTS. http://127.0.0.1:PORT/MODE/debug/pprof/KIND misbehaves as MODE says; the second
server only logs. LOG receives a line per request: server, path, whether it had an Authorization header.
"""
import gzip
import http.server
import os
import sys
import threading
import time
import zlib

from wire import message, number, packed, varint

TYPES = {"profile": [(b"samples", b"count"), (b"cpu", b"nanoseconds")],
         "heap": [(b"alloc_objects", b"count"), (b"alloc_space", b"bytes"),
                  (b"inuse_objects", b"count"), (b"inuse_space", b"bytes")],
         "goroutine": [(b"goroutine", b"count")]}


def encode(kind, samples, program=b"/usr/bin/shop"):
    """A profile with a row of value 1 for each list of labels [(key, value)], and its strings."""
    types = TYPES[kind]
    strings = {b"": 0}

    def text(s):
        return strings.setdefault(s, len(strings))

    out = [message(1, number(1, text(t)) + number(2, text(u))) for t, u in types]
    values = packed(2, [1] * len(types))
    for labels in samples:
        out.append(message(2, packed(1, [1]) + values +
                           b"".join(message(3, number(1, text(k)) + number(2, text(v))) for k, v in labels)))
    out.append(message(3, number(1, 1) + number(2, 4096) + number(3, 8192) + number(5, text(program))))
    out.append(message(4, number(1, 1) + number(2, 1) + number(3, 5000) + message(4, number(1, 1) + number(2, 7))))
    out.append(message(5, number(1, 1) + number(2, text(b"main.run"))))
    out += [message(6, s) for s in strings]
    if kind == "profile":
        out.append(number(10, 1000000000))
    out.append(number(9, time.time_ns()))
    return b"".join(out), strings


def profile(kind, samples):
    return encode(kind, samples)[0]


def bomb():
    """A gigabyte of zeros, compressed: a block that does not depend on those before it, a thousand times."""
    pack = zlib.compressobj(6, zlib.DEFLATED, 31)
    head = pack.flush(zlib.Z_FULL_FLUSH)
    pack.compress(bytes(1 << 20))
    pack.flush(zlib.Z_FULL_FLUSH)
    return head + (pack.compress(bytes(1 << 20)) + pack.flush(zlib.Z_FULL_FLUSH)) * 1024


def values(n):
    """A profile with n values of the label tenant."""
    small, strings = encode("profile", [[(b"tenant", b"t")]])
    first = len(strings)
    label = number(1, strings[b"tenant"]) + varint(2 << 3) + b"   "  # the id of the value: three bytes
    sample = packed(1, [1]) + packed(2, [1, 1]) + message(3, label)
    row = message(2, sample)[:-3]
    rows = [row + bytes((i & 127 | 128, i >> 7 & 127 | 128, i >> 14)) for i in range(first, first + n)]
    return small + b"".join(rows) + b"".join([b"2\x07t%06d" % i for i in range(n)])


VALUES = 1000000
makers = {
    "values": lambda: gzip.compress(values(VALUES), 1),
    "names": lambda: gzip.compress(profile("profile", ([(b"name%d" % i, b"v")] for i in range(20000))), 1),
    "bomb": bomb,
    "nested": lambda: gzip.compress(gzip.compress(profile("profile", [[]]))),
}
body = {}  # of makers, before the first request


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def reply(self, data, status=200, **headers):
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        with self.server.lock:
            print(self.server.name, self.path, "Authorization" in self.headers, file=self.server.log, flush=True)
        parts = self.path.split("?")[0].split("/")
        mode, kind = (parts[1], parts[-1]) if len(parts) > 2 else ("", "")
        try:
            getattr(self, "do_" + mode, self.do_other)(mode, kind if kind in TYPES else "profile")
        except OSError:
            pass  # the client has closed the connection
        if mode in ("silent", "drip", "endless"):
            self.close_connection = True

    def do_good(self, mode, kind):
        if kind == "profile":
            time.sleep(1)
        self.reply(gzip.compress(profile(kind, [[(b"route", b"/a")], [(b"route", b"/b")]])))

    def do_labels(self, mode, kind):
        self.reply(gzip.compress(profile(kind, [
            [(b"service", b"bank"), (b"instance", b"10.0.0.1:1"), (b"env", b"other"), (b"route", b"/x")]] * 3)))

    def do_silent(self, mode, kind):
        self.server.stop.wait(300)

    def do_drip(self, mode, kind):
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        while not self.server.stop.wait(0.5):
            self.wfile.write(b"\x1f")
            self.wfile.flush()

    def do_endless(self, mode, kind):
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        while True:
            self.wfile.write(bytes(65536))

    def do_redirect(self, mode, kind):
        self.reply(b"", 302, Location="http://127.0.0.1:%d/stolen" % self.server.other)

    def do_loop(self, mode, kind):
        self.reply(b"", 302, Location=self.path)

    def do_wrong(self, mode, kind):
        self.reply(gzip.compress(profile({"profile": "heap"}.get(kind, "profile"), [[]])))

    def do_html(self, mode, kind):
        self.reply(b"<html><body>Log in</body></html>", Content_Type="text/html")

    def do_garbage(self, mode, kind):
        self.reply(bytes(range(255, 0, -1)) * 80)

    def do_empty(self, mode, kind):
        self.reply(b"")

    def do_cut(self, mode, kind):
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        self.wfile.write(gzip.compress(profile(kind, [[]])))
        self.close_connection = True

    def do_denied(self, mode, kind):
        self.reply(b"no", 403)

    def do_missing(self, mode, kind):
        self.reply(b"no", 404)

    def do_other(self, mode, kind):
        self.reply(body.get(mode, b"nothing here"), 200 if mode in body else 404)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def main():
    body.update((mode, make()) for mode, make in makers.items())
    log = open(sys.argv[2], "w", encoding="utf-8")
    servers = [Server(("127.0.0.1", 0), Handler) for _ in range(2)]
    lock, stop = threading.Lock(), threading.Event()
    for i, s in enumerate(servers):
        s.name, s.log, s.lock, s.stop = str(i), log, lock, stop
        s.other = servers[1 - i].server_address[1]
        threading.Thread(target=s.serve_forever, daemon=True).start()
    with open(sys.argv[1] + ".new", "w", encoding="utf-8") as f:
        print(*[s.server_address[1] for s in servers], file=f)
    os.rename(sys.argv[1] + ".new", sys.argv[1])
    threading.Event().wait()


main()
