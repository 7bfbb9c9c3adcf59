# web_requests.py - random requests for the web UI, a client for them, and a test of cpa -http under load
# SPDX-License-Identifier: Apache-2.0
#
# usage: python3 web_requests.py PROFILE; prints TAP. CPA is the program.
# The requests depend only on the seed. tests/bench/web.py uses them too.

import http.client
import os
import random
import signal
import socket
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "browser"))
from server import Server  # noqa: E402

__all__ = ["Client", "requests", "usage"]

VIEWS = ("top peek tree flamegraph graph source disasm labels traces diff compare gate trend info help open capture store "
         "download data/flame data/pivot data/search progress flamegraph2 nosuch").split()
FILES = "json csv md txt svg html folded pb.gz x".split()
WORDS = ["", "main", "runtime", "^runtime\\.", "(", "a|b", "[", ".*", "(a+)+$", "nosuch", "<script>", "\"'", "é",
         "operator+", "a;b&c#d", "\x01", "x" * 300]
VALUES = {
    "f": WORDS, "i": WORDS, "h": WORDS, "s": WORDS, "sf": WORDS, "prunefrom": WORDS, "tf": WORDS, "ti": WORDS, "p": WORDS,
    "n": ["0", "1", "5", "80", "-1", "999999999999", "x"], "nf": ["0", "0.5", "2", "nan"], "ef": ["0.001", "x"],
    "trim": ["t", "f", "maybe"], "si": ["cpu", "samples", "0", "9", "nosuch"], "g": ["lines", "files", "addresses", "x"],
    "sort": ["cum", "flat", "name", "x"], "unit": ["ms", "auto", "bananas"], "rel": ["t"], "calltree": ["t"],
    "noinlines": ["t"], "mean": ["t"], "inv": ["t"], "way": ["0", "1.2.3", "0..1", "4294967295"], "levels": ["1", "0"],
    "width": ["1", "900", "99999999"], "off": ["f", "f,i,x"], "prof": ["", "00000000", "../x"], "base": ["", "00000000"],
    "z": ["0", "deadbeef"], "q": WORDS, "only": ["t"], "keep": ["t"], "text": ["t"], "fold": ["t"],
    "plain": ["t"], "tagroot": ["bytes"], "by": ["bytes"], "x": ["%", "1", "é"],
    "service": ["", "shop", "<b>"], "t0": ["x", "2026-11-22T14:00"], "w1": ["2026-11-22T14:00"], "l.a": ["b"],
}
ACTIONS = ["/ui/do/open", "/ui/do/close", "/ui/do/merge", "/ui/do/store", "/ui/do/save", "/ui/do/delete", "/ui/saveconfig?config=a",
           "/ui/deleteconfig?config=a", "/ui/do/nosuch"]
STATUSES = {200, 303, 304, 307, 400, 403, 404, 405, 411, 413, 415, 501, 503}


def escape(text):
    return "".join(c if c.isalnum() and c.isascii() else "".join(f"%{b:02X}" for b in c.encode()) for c in text)


def one_request(rand):
    """A request: method, target, headers, body."""
    headers = {"Accept": rand.choice(["*/*", "text/html"])}
    if rand.random() < 0.1:
        headers["Accept-Encoding"] = "gzip"
    if rand.random() < 0.2:
        headers["X-Cpa-Tab"] = rand.choice("ab")
        headers["X-Cpa-Slot"] = rand.choice(["flame", "table"])
    if rand.random() < 0.05:
        return "POST", rand.choice(ACTIONS), headers, "id=00000000&token=" + "0" * 32
    keys = rand.choices(list(VALUES), k=rand.choice([0, 1, 1, 2, 3, 6]))
    query = "&".join(f"{key}={escape(rand.choice(VALUES[key]))}" for key in keys)
    path = "/ui/" + rand.choice(VIEWS)
    if rand.random() < 0.15:
        path += "." + rand.choice(FILES)
    return rand.choice(["GET"] * 9 + ["HEAD"]), path + ("?" + query if query else ""), headers, None


def requests(seed, n):
    rand = random.Random(seed)
    return [one_request(rand) for _ in range(n)]


class Client:
    """Requests on one connection."""

    def __init__(self, server, seconds=120):
        self.host, self.port = server.base[len("http://"):].rsplit(":", 1)
        self.connection = http.client.HTTPConnection(self.host, int(self.port), timeout=seconds)

    def send(self, method, target, headers=None, body=None):
        """The status, the headers and the body of a response."""
        self.connection.request(method, target, body=body, headers=headers or {})
        response = self.connection.getresponse()
        return response.status, response.headers, response.read()

    def get(self, target, headers=None):
        return self.send("GET", target, headers)

    def close(self):
        self.connection.close()


def usage(server):
    """Open files, threads and resident bytes of the server."""
    folder = f"/proc/{server.process.pid}"
    with open(folder + "/statm", encoding="ascii") as f:
        pages = int(f.read().split()[1])
    return len(os.listdir(folder + "/fd")), len(os.listdir(folder + "/task")), pages * os.sysconf("SC_PAGE_SIZE")


def raw_connection(server):
    host, port = server.base[len("http://"):].rsplit(":", 1)
    return socket.create_connection((host, int(port)), timeout=120)


count = failed = 0


def result(is_good, name, *notes):
    global count, failed
    count += 1
    failed += not is_good
    print("ok" if is_good else "not ok", count, "-", name)
    if not is_good:
        for note in notes:
            print("#", str(note)[:300].replace("\n", "\n# "))
    sys.stdout.flush()


def settled(server, expected, seconds=20):
    """Wait until files and threads are as expected; connections are closed by another thread."""
    end = time.monotonic() + seconds
    while usage(server)[:2] != expected and time.monotonic() < end:
        time.sleep(0.02)
    return usage(server)[:2]


def run_all(server, some, answers):
    client = Client(server)
    for request in some:
        answers.append((request, *client.send(*request)))
    client.close()


def test_random(server, n=1000, threads=4):
    warm = []
    run_all(server, requests(0, 20), warm)
    before = settled(server, (0, 0), 1)
    lists = [[] for _ in range(threads)]
    workers = [threading.Thread(target=run_all, args=(server, requests(1 + i, n // threads), lists[i]))
               for i in range(threads)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    odd = [(a[0][1], a[1]) for each in lists for a in each if a[1] not in STATUSES]
    result(not odd and all(len(each) == n // threads for each in lists), f"{n} random requests are answered",
           odd[:5], [len(each) for each in lists], server.lines[-3:])
    after = settled(server, before)
    result(after == before, "open files and threads are as before", before, after)


def test_tabs(server):
    """Two tabs with different filters at the same time."""
    targets = ["/ui/top?f=runtime", "/ui/top?i=runtime", "/ui/tree?f=main", "/ui/peek?f=runtime"]
    client = Client(server)
    want = {t: client.get(t + "&nf=0")[2] for t in targets}
    client.close()
    wrong = []

    def tab(name):
        own = Client(server)
        for i in range(40):
            target = targets[(i + len(name)) % len(targets)]
            status, _, body = own.get(target + "&nf=0", {"X-Cpa-Tab": name, "X-Cpa-Slot": "table"})
            if status != 200 or body != want[target]:
                wrong.append((name, target, status))
        own.close()

    tabs = [threading.Thread(target=tab, args=(name,)) for name in ("a", "bb")]
    for t in tabs:
        t.start()
    for t in tabs:
        t.join()
    result(not wrong and len(set(want.values())) == len(targets), "two tabs get their own pages", wrong[:5])


def test_slow(server):
    """Clients that send half a request or do not read the response do not delay others."""
    half, idle = raw_connection(server), raw_connection(server)
    half.sendall(b"GET /ui/top HTTP/1.1\r\nHost: localhost\r\nX-")
    idle.sendall(b"GET /ui/traces?nf=0 HTTP/1.1\r\nHost: localhost\r\n\r\n")
    client = Client(server)
    statuses = [client.get("/ui/top?n=5")[0] for _ in range(5)]
    client.close()
    half.sendall(b"A: b\r\nConnection: close\r\n\r\n")
    answer = half.makefile("rb").read()
    result(statuses == [200] * 5 and answer.startswith(b"HTTP/1.1 200"), "slow clients do not delay others",
           statuses, answer[:100])
    half.close()
    idle.close()


def test_connections(server, n=64):
    """n connections that stay open, and one more."""
    clients = [Client(server) for _ in range(n)]
    statuses = [c.get("/ui/top?n=3")[0] for c in clients]
    more = Client(server)
    statuses.append(more.get("/ui/top?n=4")[0])
    result(statuses == [200] * (n + 1), f"{n} open connections and one more are answered", statuses)
    for c in clients + [more]:
        c.close()


def test_dropped(server):
    """Clients that disconnect before the response."""
    before = settled(server, (0, 0), 1)
    for i in range(60):
        c = raw_connection(server)
        c.sendall(b"GET /ui/top?nf=0&x=%d HTTP/1.1\r\nHost: localhost\r\n\r\n" % i)
        c.close()
    client = Client(server)
    status = client.get("/ui/top?n=3")[0]
    client.close()
    after = settled(server, before)
    result(status == 200 and after == before, "requests of clients that disconnect end", status, before, after)


def test_kill(profile):
    with Server("-symbolize=none", profile) as s:
        client = Client(s)
        first = client.get("/ui/top?n=5")
        s.process.send_signal(signal.SIGKILL)
        s.process.wait()
        port = client.port
    with Server("-symbolize=none", profile, address=f"localhost:{port}") as s:
        client = Client(s)
        second = client.get("/ui/top?n=5", {"If-None-Match": first[1]["ETag"]})
        result(first[0] == second[0] == 200, "after kill -9 the server starts again on the same port", second[0])


def main():
    profile = sys.argv[1]
    server = Server("-symbolize=none", profile)
    for test in (test_random, test_tabs, test_slow, test_connections, test_dropped):
        test(server)
    status = server.stop()
    bad = [line for line in server.lines if "Sanitizer" in line or "runtime error" in line]
    result(status == -signal.SIGTERM and not bad, "the server ends by SIGTERM without a report of a sanitizer", status,
           *bad, *server.lines[-20:])
    test_kill(profile)
    print(f"1..{count}")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
