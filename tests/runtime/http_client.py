#!/usr/bin/env python3
"""http_client.py - all kinds of clients of the HTTP server, which runs on its own

SPDX-License-Identifier: Apache-2.0

usage: http_client.py PART SERVER [GO_PORT]
PART is a function below; functions that make answers run twice, the second time in threads.
SERVER is tests/runtime/http_server. With the port of http_oracle.go, requests that Go answers in the same way are sent there too.
Prints TAP.
"""
import os
import re
import select
import selectors
import socket
import struct
import subprocess
import sys
import tempfile
import time

SERVER = sys.argv[2]
GO = int(sys.argv[3]) if len(sys.argv) > 3 else 0
TEXT = b"Content-Type: text/plain; charset=utf-8\r\n"
PLENTY = "rate=100000"
count = 0
# Sanitizers would retain freed memory, which would look like growth.
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=0:thread_local_quarantine_size_kb=0"


def ok(good, name, got=None):
    global count
    count += 1
    print("%sok %d - %s" % ("" if good else "not ", count, name), flush=True)
    if not good and got is not None:
        print("# got %.600r" % (got,))


def same(got, wanted, name):
    ok(got == wanted, name, (got, wanted))


def wait_until(true, seconds=10):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.01)
    return False


class Server:
    def __init__(self, *options, address="127.0.0.1:0"):
        self.p = subprocess.Popen([SERVER, address] + list(options), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.shown = self.line()
        self.port = int(self.shown.rsplit(":", 1)[1]) if self.shown.startswith("http") else 0
        self.path = None if self.port else self.shown[len("unix:"):]

    def line(self):
        return self.p.stdout.readline().decode().rstrip("\n")

    def command(self, text):
        self.p.stdin.write(text.encode() + b"\n")
        self.p.stdin.flush()

    def counts(self):
        self.command("counts")
        return [int(n) for n in self.line().split()]

    def rss(self):
        with open("/proc/%d/status" % self.p.pid) as f:
            return int(re.search(r"VmRSS:\s+(\d+)", f.read()).group(1))

    def switches(self):
        all = 0
        for t in os.listdir("/proc/%d/task" % self.p.pid):
            with open("/proc/%d/task/%s/status" % (self.p.pid, t)) as f:
                all += sum(int(n) for n in re.findall(r"ctxt_switches:\s+(\d+)", f.read()))
        return all

    def connect(self, timeout=10):
        if self.path:
            s = socket.socket(socket.AF_UNIX)
            s.settimeout(timeout)
            s.connect(self.path)
            return s
        return socket.create_connection(("127.0.0.1", self.port), timeout)

    def end(self):
        """End the server; return its status and last output."""
        out, _ = self.p.communicate()
        return self.p.returncode, out.decode().split("\n")


def read_all(s):
    out = b""
    try:
        while True:
            part = s.recv(1 << 16)
            if not part:
                return out
            out += part
    except OSError as e:
        return out + b" [" + type(e).__name__.encode() + b"]"


def read_answer(s, rest=b"", no_body=False):
    """Split an answer into head, body, and the rest."""
    while b"\r\n\r\n" not in rest:
        part = s.recv(1 << 16)
        if not part:
            return rest, b"", b""
        rest += part
    head, rest = rest.split(b"\r\n\r\n", 1)
    n = re.search(rb"Content-Length: (\d+)", head)
    n = int(n.group(1)) if n and not no_body else 0
    while len(rest) < n:
        part = s.recv(1 << 16)
        if not part:
            break
        rest += part
    return head, rest[:n], rest[n:]


def ask(server, request, half=False):
    """Read everything until the server closes."""
    with server.connect() as s:
        s.sendall(request)
        if half:
            s.shutdown(socket.SHUT_WR)
        return read_all(s)


def status(answer):
    return answer.split(b"\r\n", 1)[0].decode()


def get(target, more=b"", version=b"1.1"):
    return b"GET " + target + b" HTTP/" + version + b"\r\nHost: localhost\r\n" + more + b"\r\n"


CLOSE = b"Connection: close\r\n"

# Name, request, status line, body ("*": not compared), True if Go's server answers the same.
BAD = [
    ("no Host", b"GET / HTTP/1.1\r\n\r\n", "400 Bad Request: missing required Host header", None, True),
    ("a bad Host", b"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", "400 Bad Request: malformed Host header", None, True),
    ("two Hosts", get(b"/", b"Host: x\r\n"), "400 Bad Request", None, True),
    ("no request", b"hello\r\n\r\n", "400 Bad Request", None, True),
    ("an empty line", b"\r\n" + get(b"/"), "400 Bad Request", None, True),
    ("two words", b"GET /\r\n\r\n", "400 Bad Request", None, True),
    ("four words", b"GET /a b HTTP/1.1\r\nHost: x\r\n\r\n", "400 Bad Request", None, True),
    ("a bad method", b"G(T / HTTP/1.1\r\nHost: x\r\n\r\n", "400 Bad Request", None, True),
    ("a bad version", b"GET / HTTP/1.10\r\nHost: x\r\n\r\n", "400 Bad Request", None, True),
    ("HTTP/2", b"GET / HTTP/2.0\r\nHost: x\r\n\r\n",
     "505 HTTP Version Not Supported: unsupported protocol version", None, True),
    ("HTTP/0.9", b"GET / HTTP/0.9\r\nHost: x\r\n\r\n",
     "505 HTTP Version Not Supported: unsupported protocol version", None, True),
    ("a target without a slash", get(b"heap"), "400 Bad Request", None, True),
    ("a bad escape", get(b"/%zz"), "400 Bad Request", None, True),
    ("a control byte in a target", get(b"/\x01"), "400 Bad Request", None, True),
    ("a NUL in a target", get(b"/\0"), "400 Bad Request", None, True),
    ("a NUL in a value", get(b"/", b"A: \0\r\n"), "400 Bad Request", None, True),
    ("no colon", get(b"/", b"hello\r\n"), "400 Bad Request", None, True),
    ("no name", get(b"/", b": x\r\n"), "400 Bad Request", None, True),
    ("a space before a colon", get(b"/", b"A : x\r\n"), "400 Bad Request: invalid header name", None, True),
    ("a folded first line", b"GET / HTTP/1.1\r\n Host: x\r\n\r\n", "400 Bad Request", None, True),
    ("a length that is none", get(b"/", b"Content-Length: x\r\n"), "400 Bad Request", None, True),
    ("a length with a sign", get(b"/", b"Content-Length: +1\r\n"), "400 Bad Request", None, True),
    ("a length of 2^63", get(b"/", b"Content-Length: 9223372036854775808\r\n"), "400 Bad Request", None, True),
    ("two lengths", get(b"/", b"Content-Length: 1\r\nContent-Length: 2\r\n"), "400 Bad Request", None, True),
    ("another coding", get(b"/", b"Transfer-Encoding: gzip\r\n"), "501 Not Implemented",
     b"Unsupported transfer encoding", True),
    ("two codings", get(b"/", b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
     "501 Not Implemented", b"Unsupported transfer encoding", True),
    ("half a head, then nothing", b"GET / HTTP/1.1\r\nHos", "400 Bad Request", None, True),
    # Requests that are refused although Go accepts them: other servers parse them differently.
    ("the same length twice", get(b"/", b"Content-Length: 1\r\nContent-Length: 1\r\n"), "400 Bad Request", None, False),
    ("both framings", get(b"/", b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"), "400 Bad Request", None,
     False),
    ("a folded line", get(b"/", b"A: x\r\n y\r\n"), "400 Bad Request", None, False),
    ("a bare LF", b"GET / HTTP/1.0\n\n", "400 Bad Request", None, False),
    ("a bare CR", get(b"/", b"A: x\ry\r\n"), "400 Bad Request", None, False),
    ("a coding of HTTP/1.0", get(b"/", b"Transfer-Encoding: chunked\r\n", b"1.0"), "400 Bad Request", None, False),
]


def bad_requests():
    with_go = Server.__new__(Server)
    with_go.port, with_go.path = GO, None
    s = Server(PLENTY)
    for name, request, line, body, as_go in BAD:
        body = line.encode() if body is None else body
        wanted = b"HTTP/1.1 " + line.encode() + b"\r\n" + TEXT + b"Connection: close\r\n\r\n" + body
        got = ask(s, request, half=True)
        plain = re.sub(rb"(Date|Content-Length): [^\r]*\r\n", b"", got)
        same(plain, wanted, name)
        if GO and as_go:
            same(ask(with_go, request, half=True), wanted, name + ": Go agrees")
    same(ask(s, b"A" * (10 << 20), half=True)[:53], b"HTTP/1.1 431 Request Header Fields Too Large\r\nContent",
         "a head of 10 MB")
    same(status(ask(s, get(b"/", b"Expect: x\r\n"))), "HTTP/1.1 417 Expectation Failed", "an unknown expectation is refused")
    if GO:
        for request in (get(b"/echo?x", CLOSE), get(b"http://localhost/echo?y", CLOSE), get(b"/echo", b"", b"1.0"),
                        b"HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                        b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"):
            names = [re.findall(rb"(?m)^(HTTP/1.. \d+ .*|[A-Z][A-Za-z-]+):?", ask(x, request).split(b"\r\n\r\n")[0])
                     for x in (with_go, s)]
            same(sorted(names[1]), sorted(names[0]), "status and header lines of %r are the same as in Go" % request[:24])
    same(s.end()[0], 0, "the server ends with status 0")


def good_requests(*options):
    s = Server(PLENTY, *options)
    got = ask(s, get(b"/echo?x=1", CLOSE))
    ok(re.fullmatch(rb"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n"
                    rb"Date: (Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z][a-z] 20\d\d \d\d:\d\d:\d\d GMT\r\n"
                    rb"Content-Length: 15\r\nConnection: close\r\n\r\nGET /echo\?x=1 \n", got), "an answer", got)
    date = re.search(rb"Date: ([^\r]*)", got).group(1).decode()
    ok(abs(time.time() - time.mktime(time.strptime(date, "%a, %d %b %Y %H:%M:%S GMT")) + time.timezone) < 100,
       "the date of an answer is the current time", date)
    got = ask(s, get(b"/echo", b"", b"1.0"))
    ok(got.startswith(b"HTTP/1.0 200 OK\r\n") and b"Connection" not in got, "HTTP/1.0 ends with the answer", got)
    with s.connect() as c:
        c.sendall(get(b"/echo", b"Connection: keep-alive\r\n", b"1.0"))
        head, body, _ = read_answer(c)
        ok(b"Connection: keep-alive" in head and body == b"GET /echo \n", "an HTTP/1.0 connection is kept open if requested", head)
        c.sendall(get(b"/echo?2"))
        same(read_answer(c)[1], b"GET /echo?2 \n", "a second request on an HTTP/1.0 connection is answered")
    got = ask(s, b"HEAD /echo HTTP/1.1\r\nHost: localhost\r\n" + CLOSE + b"\r\n")
    ok(b"Content-Length: 12\r\n" in got and got.endswith(b"\r\n\r\n"), "HEAD has no body", got)
    with s.connect() as c:
        for byte in get(b"/echo?slow", CLOSE):
            c.send(bytes([byte]))
        same(read_all(c).split(b"\r\n\r\n")[1], b"GET /echo?slow \n", "a request sent byte by byte is answered")
    got = ask(s, get(b"/echo?1") + get(b"/delay?50") + get(b"/echo?3", CLOSE))
    same(re.findall(rb"\r\n\r\n([A-Za-z/?0-9 ]+)\n", got), [b"GET /echo?1 ", b"late", b"GET /echo?3 "],
         "pipelined requests are answered in order")
    n = 200
    got = ask(s, get(b"/echo") * n + get(b"/echo", CLOSE))
    same(got.count(b"200 OK"), n + 1, "more pipelined requests than fit into the buffer are answered")
    got = ask(s, get(b"/echo?nc"), half=True)
    ok(got.endswith(b"GET /echo?nc \n"), "a client that closed its side gets its answer", got)
    same(status(ask(s, get(b"/fail"))), "HTTP/1.1 503 Service Unavailable", "no memory")
    with s.connect() as c:
        c.sendall(get(b"/huge?20000000", CLOSE))
        head, body, rest = read_answer(c)
        ok(len(body) == 20000000 and body[:26] == b"abcdefghijklmnopqrstuvwxyz", "20 MB", (len(body), body[:30]))
    got = ask(s, b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n" + CLOSE + b"\r\n")
    ok(got.startswith(b"HTTP/1.1 200 OK\r\n") and got.endswith(b"\r\n\r\n"), "OPTIONS *", got)
    bodies(s)
    wait_until(lambda: s.counts()[0] == s.counts()[1])
    begun, ended, early, files = s.counts()
    same((begun - ended, early), (0, 0), "every job was ended, and none early")
    same(s.end()[0], 0, "the server ends with status 0")


def post(more, body=b""):
    return b"POST /echo HTTP/1.1\r\nHost: localhost\r\n" + CLOSE + more + b"\r\n" + body


def bodies(s):
    got = ask(s, post(b"Content-Length: 5\r\n", b"hello"))
    ok(got.endswith(b"POST /echo hello\n"), "a body", got)
    chunks = b"5;x=y\r\nhello\r\n0A\r\n, you all!\r\n0\r\nTrailer: x\r\n\r\n"
    same(ask(s, post(b"Transfer-Encoding: chunked\r\n", chunks)).split(b"\r\n\r\n")[-1],
         b"POST /echo hello, you all!\n", "a chunked body is read")
    with s.connect() as c:
        for byte in post(b"Transfer-Encoding: chunked\r\n", chunks):
            c.send(bytes([byte]))
        ok(read_all(c).endswith(b"hello, you all!\n"), "a chunked body sent byte by byte is read")
    for name, body in (("no size", b"\r\n"), ("a bad size", b"zz\r\n"), ("a size too large", b"fffffffffffffffff\r\n"),
                       ("bare LF", b"1\nx\n"), ("data too long", b"1\r\nxy\r\n"), ("sizes only", b"1;" + b"x" * 20000)):
        line = status(ask(s, post(b"Transfer-Encoding: chunked\r\n", body)))
        ok(line in ("HTTP/1.1 400 Bad Request", "HTTP/1.1 413 Request Entity Too Large"), "chunks: " + name, line)
    got = ask(s, post(b"Content-Length: 1048576\r\n", b"a" * 1048576))
    ok(got.endswith(b"a" * 1048576 + b"\n"), "a body of 1 MiB", got[:300])
    for more in (b"Content-Length: 1048577\r\n", b"Transfer-Encoding: chunked\r\n"):
        same(status(ask(s, post(more, b"100001\r\n"))), "HTTP/1.1 413 Request Entity Too Large", "a byte more")
    with s.connect() as c:
        c.sendall(post(b"Content-Length: 2\r\nExpect: 100-continue\r\n"))
        same(c.recv(1000), b"HTTP/1.1 100 Continue\r\n\r\n", "a client that expects 100 Continue gets it")
        c.sendall(b"ab")
        ok(read_all(c).endswith(b"POST /echo ab\n"), "a client that expected 100 Continue gets its answer")
    same(status(ask(s, post(b"Content-Length: 2000000\r\nExpect: 100-continue\r\n"))),
         "HTTP/1.1 413 Request Entity Too Large", "a client that expects 100 Continue for a large body gets an error")
    got = ask(s, get(b"/echo", b"Content-Length: 5\r\n") + b"abcde" + get(b"/echo?2", CLOSE))
    same(got.count(b"200 OK"), 2, "the body of GET is skipped")
    got = ask(s, get(b"/echo", b"Content-Length: 3000000\r\n") + b"a" * 3000000)
    ok(got.startswith(b"HTTP/1.1 200") and b"Connection: close" in got, "a large body of GET closes the connection", got)


def reset(c):
    c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    c.close()


def aborts(*options):
    s = Server(PLENTY, "head=300", "idle=300", "write=500", *options)
    for close in (socket.socket.close, reset):
        c = s.connect()
        c.sendall(get(b"/delay?60000"))
        wait_until(lambda: s.counts()[0] > s.counts()[1])
        close(c)
        ok(wait_until(lambda: s.counts()[0] == s.counts()[1]), "a disconnected client ends its capture: " + close.__name__)
    same(s.counts()[2], 1, "a job is dropped after a reset, and ends with its answer after a close")
    c = s.connect()
    c.sendall(get(b"/delay?300", CLOSE) + b"x")
    ok(read_all(c).find(b"late\n") > 0, "a waiting client gets its answer")
    for name, begin in (("nothing", b""), ("half a head", b"GET / HTTP/1.1\r\n"),
                        ("half a body", post(b"Content-Length: 5\r\n", b"he")), ("a kept connection", get(b"/echo"))):
        with s.connect() as c:
            c.sendall(begin)
            got = read_all(c)
            ok(got == b"" or got.endswith(b"GET /echo \n"), "a slow client is closed: " + name, got)
    c = s.connect()
    begun = s.counts()[0]
    c.sendall(get(b"/huge?20000000"))
    ok(wait_until(lambda: s.counts()[:2] == [begun + 1, begun + 1]), "a client that does not read is closed")
    c.close()
    c = s.connect()
    c.sendall(get(b"/huge?20000000"))
    c.recv(1000)
    reset(c)
    ok(wait_until(lambda: s.counts()[0] == s.counts()[1]), "a client that disconnects while it reads does no harm")
    same(s.end()[0], 0, "the server ends with status 0")


def crowd(s, n):
    """Open n connections with a request each; return how many were answered."""
    served, heard = 0, {}
    with selectors.DefaultSelector() as all:
        for _ in range(n):
            c = socket.socket()
            c.setblocking(False)
            c.connect_ex(("127.0.0.1", s.port))
            all.register(c, selectors.EVENT_WRITE)
            heard[c] = b""
        while heard:
            for key, _ in all.select(30) or [(None, None)]:
                if key is None:
                    return served
                c = key.fileobj
                try:
                    if key.events == selectors.EVENT_WRITE:
                        c.send(get(b"/echo", CLOSE))
                        all.modify(c, selectors.EVENT_READ)
                        continue
                    part = c.recv(1 << 16)
                except OSError as e:
                    part = b""
                    print("# %s" % e)
                heard[c] += part
                if not part:
                    served += heard.pop(c).endswith(b"GET /echo \n")
                    all.unregister(c)
                    c.close()
    return served


def many(*options):
    s = Server(PLENTY, "head=1000", *options)
    begin = s.counts()[3]
    same(crowd(s, 1000), 1000, "1000 connections at once are served")
    all = [s.connect() for _ in range(100)]
    ok(ask(s, get(b"/echo", CLOSE)).endswith(b"GET /echo \n"), "100 silent connections are closed in time for other clients")
    for c in all:
        c.close()
    kept = []
    for i in range(40):
        c = s.connect()
        c.sendall(get(b"/echo?%d" % i))
        ok_now = read_answer(c)[1] == b"GET /echo?%d \n" % i
        kept.append(c)
        if not ok_now:
            break
    same(len(kept), 40, "idle connections are closed at once for other clients")
    for c in kept:
        c.close()
    ok(wait_until(lambda: s.counts()[3] == begin), "no file is left open", s.counts())
    with s.connect() as c:
        rest = b""
        for i in range(500):
            c.sendall(get(b"/echo"))
            rest = read_answer(c, rest)[2]
        rss = s.rss()
        for i in range(3000):
            c.sendall(get(b"/echo"))
            rest = read_answer(c, rest)[2]
    ok(s.rss() <= rss + 4000, "memory has not grown after 3000 requests", (s.rss(), rss))
    same(s.end()[0], 0, "the server ends with status 0")


def silent_connections(port, n):
    """Another user opens n silent connections. Returns the process, and a file that ends it when closed."""
    hold, opened = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setgroups([])
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)
        all = []
        for _ in range(n):
            all.append(socket.socket())
            all[-1].setblocking(False)
            all[-1].connect_ex(("127.0.0.1", port))
        os.close(hold[1])
        os.write(opened[1], b"x")
        os.read(hold[0], 1)
        os._exit(0)
    os.close(hold[0])
    os.close(opened[1])
    os.read(opened[0], 1)
    os.close(opened[0])
    return pid, hold[1]


def crowded(*options):
    """All slots are taken by clients that block others, and could stay for a minute."""
    s = Server(PLENTY, "head=60000", "write=60000", *options)

    def served(name):
        try:
            got = ask(s, get(b"/echo", CLOSE))
        except OSError as e:
            got = type(e).__name__.encode()
        ok(got.endswith(b"GET /echo \n"), name, got)

    for what, name in ((b"", "silent connections"), (b"GET /echo HTTP/1.1\r\nHo", "half heads"),
                       (b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n1", "half bodies"),
                       (get(b"/huge?20000000"), "clients that do not read")):
        all = []
        for _ in range(32):
            all.append(s.connect())
            all[-1].sendall(what)
        served("32 " + name + " make room")
        for c in all:
            c.close()
    if os.getuid() == 0:
        mine = s.connect()
        mine.sendall(get(b"/echo"))
        read_answer(mine)
        pid, hold = silent_connections(s.port, 100)
        served("100 connections by another user do not block others")
        mine.sendall(get(b"/echo", CLOSE))
        ok(read_all(mine).endswith(b"GET /echo \n"), '100 connections by another user take no slots of others')
        os.close(hold)
        os.waitpid(pid, 0)
        mine.close()
    s.end()
    s = Server(PLENTY, "secret=0123456789abcdef0123456789abcdef", *options)
    wrong = []
    for _ in range(100):
        wrong.append(s.connect())
        wrong[-1].sendall(get(b"/echo", b"X-Cpa-Secret: no\r\n"))
    good = ask(s, get(b"/echo", CLOSE + b"X-Cpa-Secret: 0123456789abcdef0123456789abcdef\r\n"))
    ok(good.endswith(b"GET /echo \n"), "a client with the secret is served among 100 that guess", good)
    answers = [read_all(c) for c in wrong]
    ok([a for a in answers if not a.startswith(b"HTTP")] and [a for a in answers if a.startswith(b"HTTP/1.1 401")],
       "some of which are closed", answers)
    s.end()


def rates():
    s = Server()
    with s.connect() as c:
        c.sendall(get(b"/echo") * 20 + get(b"/echo"))
        lines, rest = [], b""
        for _ in range(21):
            head, _, rest = read_answer(c, rest)
            lines.append(status(head))
        same(lines[:20], ["HTTP/1.1 200 OK"] * 20, "20 pipelined requests are answered")
        ok(lines[20] == "HTTP/1.1 429 Too Many Requests" and b"Retry-After: 1\r\n" in head, "the 21st pipelined request is refused", head)
    time.sleep(0.3)
    same(status(ask(s, get(b"/echo", CLOSE))), "HTTP/1.1 200 OK", "requests are answered again a little later")
    same(status(ask(s, get(b"/echo", b"Origin: http://x\r\n"))), "HTTP/1.1 403 Forbidden", "requests from web pages are refused")
    same(s.end()[0], 0, "the server ends with status 0")
    s = Server(PLENTY, "secret=0123456789abcdef0123456789abcdef")
    got = ask(s, get(b"/echo"))
    ok(got.startswith(b"HTTP/1.1 401") and b"WWW-Authenticate: Bearer\r\n" in got, "requests without the secret are refused", got)
    same(status(ask(s, get(b"/echo", CLOSE + b"X-Cpa-Secret: 0123456789abcdef0123456789abcdef\r\n"))),
         "HTTP/1.1 200 OK", "requests with the secret are answered")
    wrong = [s.connect() for _ in range(12)]
    for c in wrong:
        c.sendall(get(b"/echo", b"X-Cpa-Secret: no\r\n"))
    good = status(ask(s, get(b"/echo", CLOSE + b"Authorization: Bearer 0123456789abcdef0123456789abcdef\r\n")))
    late = not select.select([wrong[-1]], [], [], 0)[0]
    ok(good == "HTTP/1.1 200 OK" and late, "wrong secrets are answered late, without delaying other clients", (good, late))
    ok(all(read_all(c).startswith(b"HTTP/1.1 401") for c in wrong), "wrong secrets are answered")
    s.end()


def stops(*options):
    for how, wanted in (("stop", b"hurried\n"), ("now", b""), ("over", b"hurried\n")):
        s = Server(PLENTY, *options)
        idle, c = s.connect(), s.connect()
        idle.sendall(get(b"/echo"))
        read_answer(idle)
        c.sendall(get(b"/delay?60000"))
        wait_until(lambda: s.counts()[0] == 2)
        s.command(how)
        if how == "over":
            s.command("look")
        got = read_all(c)
        ok(got.split(b"\r\n\r\n")[-1] == wanted and read_all(idle) == b"", how + " ends a capture", got)
        same(s.line(), "ended", "the server ends after " + how)
        code, words = s.end()
        same((code, words[0].split()[:2]), (0, ["2", "2"]), "every job ends after " + how)
    s = Server(PLENTY, "last=200", *options)
    c = s.connect()
    c.sendall(get(b"/huge?20000000"))
    c.recv(10)
    s.command("stop")
    same(s.line(), "ended", "a client that does not read does not delay the stop")
    c.close()
    s.end()


def lost_files(*options):
    """The program closes all descriptors, and reuses their numbers."""
    with tempfile.TemporaryDirectory() as d:
        data = os.path.join(d, "data")
        for unix in (False, True):
            s = Server(PLENTY, *options, address="unix:%s/s" % d if unix else "127.0.0.1:0")
            idle, busy, reader = s.connect(), s.connect(), s.connect()
            idle.sendall(get(b"/echo"))
            read_answer(idle)
            reader.sendall(get(b"/huge?20000000"))
            reader.recv(10)
            # high numbers, so that they do not conflict with descriptors opened meanwhile
            busy.sendall(get(b"/delay?5000"))
            wait_until(lambda: s.counts()[0] == 3)
            s.command("close " + data)
            s.line()

            def answered():
                try:
                    return ask(s, get(b"/echo", CLOSE)).endswith(b"GET /echo \n")
                except OSError:
                    return False
            ok(wait_until(answered), "the server answers again after its descriptors were closed" + (", at its path" if unix else ""))
            ok(wait_until(lambda: s.counts()[0] == s.counts()[1]), "requests in progress have ended", s.counts())
            s.command("size " + data)
            same(s.line(), "0 0", "files of the program were not written or closed")
            s.command("close " + data)
            s.line()
            s.command("stop")
            same(s.line(), "ended", "the server can be stopped without descriptors")
            same(s.end()[0], 0, "the server ends with status 0")
            for c in (idle, busy, reader):
                c.close()
    s = Server(*options)
    c = s.connect()
    c.sendall(get(b"/delay?60000"))
    wait_until(lambda: s.counts()[0] == 1)
    before = s.counts()[3]
    s.command("fork")
    closed, _, had = s.line().split()[1:]
    same((int(closed), int(had)), (4, before), "a fork child closes the descriptors of the server")
    with s.connect() as other:
        other.sendall(get(b"/echo"))
        same(read_answer(other)[1], b"GET /echo \n", "the parent continues to serve")
    c.close()
    s.end()


def gone_path():
    """A stopped server removes its socket, even if an answer is still in progress."""
    with tempfile.TemporaryDirectory() as d:
        s = Server("last=200", "threads=1", address="unix:%s/s" % d)
        c = s.connect()
        c.sendall(get(b"/step?5000"))
        wait_until(lambda: s.counts()[0] == 1)
        s.command("stop")
        ok(wait_until(lambda: not os.path.exists(s.path), 4), "the socket is removed while an answer is still being generated")
        c.close()
        s.end()


def idles():
    s = Server(PLENTY, "threads=1")
    ask(s, get(b"/echo", CLOSE))
    with s.connect() as c:
        c.sendall(get(b"/echo"))
        read_answer(c)
        time.sleep(0.2)
        before = s.switches()
        time.sleep(1)
        same(s.switches(), before, "the server does not wake without requests")
    s.end()


PARTS = {"bad": [bad_requests], "good": [good_requests], "aborts": [aborts], "many": [many, crowded],
         "end": [stops, lost_files, rates, gone_path, idles]}
for part in PARTS[sys.argv[1]]:
    part()
    if part.__code__.co_flags & 4:  # the server takes options
        print("# answers are made by threads")
        part("threads=1")
print("1..%d" % count)
