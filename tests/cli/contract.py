#!/usr/bin/python3
# contract.py - a server that checks requests against the rules of a system, and answers as a scenario says
# SPDX-License-Identifier: Apache-2.0
"""usage: contract.py SYSTEM FOLDER STEP...     serves; writes FOLDER/port, FOLDER/rows, FOLDER/broken
       contract.py rows FILE...               prints the rows of files of profile.proto

SYSTEM is contract_SYSTEM.py. FOLDER/rows has a line per accepted row: type, unit, value, stack, labels. FOLDER/broken has a line per rule
that a request breaks, FOLDER/body.1 the body of the first request. A STEP is the answer to a request: ok, 503, 400, 429:SECONDS, slow,
half, or one that the system knows. After the last step all answers are ok. Requests that break a rule are answered as the system does.
"""
import gzip
import http.server
import importlib
import os
import sys
import threading
import time

from wire import integers, one, repeated, signed


class Broken(Exception):
    """A rule that a request breaks."""


def rule(is_kept, text):
    if not is_kept:
        raise Broken(text)


def text(message, number):
    return bytes(one(message, number, b"")).decode()


class Pprof:
    """A profile.proto; samples: (stack leaf first, labels, values)"""

    def __init__(self, data):
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        m = self.message = repeated(data)
        self.text = [bytes(t).decode() for t in m.get(6, [])]
        self.types = [self.pair(t) for t in m.get(1, [])]
        self.period_type = self.pair(m[11][-1]) if 11 in m else None
        self.time_ns, self.duration_ns = signed(one(m, 9)), signed(one(m, 10))
        self.functions = [repeated(f) for f in m.get(5, [])]
        self.locations = [repeated(x) for x in m.get(4, [])]
        self.mappings = [repeated(x) for x in m.get(3, [])]
        function = {one(f, 1): f for f in self.functions}
        frame = {one(x, 1): self.frame(x, function) for x in self.locations}
        self.samples = []
        for s in map(repeated, m.get(2, [])):
            ids = integers(*s[1])
            labels = [self.label(repeated(x)) for x in s.get(3, [])]
            self.samples.append(([frame[i] for i in ids], sorted(labels), list(map(signed, integers(*s[2])))))

    def pair(self, data):
        m = repeated(data)
        return self.text[one(m, 1)], self.text[one(m, 2)]

    def frame(self, location, function):
        lines = []
        for line in map(repeated, location.get(4, [])):
            f = function.get(one(line, 1), {})
            lines.append("%s %s:%d" % (self.text[one(f, 2)], self.text[one(f, 4)], signed(one(line, 2))))
        return "+".join(lines) or "0x%x" % one(location, 3)

    def label(self, m):
        key = self.text[one(m, 1)]
        return "%s=%s" % (key, self.text[one(m, 2)] if one(m, 2) else "%d %s" % (signed(one(m, 3)), self.text[one(m, 4)]))


def rows(types, samples):
    """Lines of rows that are not 0."""
    for stack, labels, values in samples:
        for (name, unit), value in zip(types, values):
            if value:
                yield "%s %s %d %s %s" % (name, unit, value, ";".join(stack), ",".join(labels))


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, system, folder, steps):
        super().__init__(("127.0.0.1", 0), getattr(system, "Handler", Handler))
        self.system, self.folder, self.steps, self.lock, self.n = system, folder, list(steps), threading.Lock(), 1

    def get_request(self):
        """Accept a connection, with TLS if CONTRACT_CERT and CONTRACT_KEY are set."""
        connection, address = super().get_request()
        if "CONTRACT_CERT" in os.environ:
            import ssl  # takes long
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(os.environ["CONTRACT_CERT"], os.environ["CONTRACT_KEY"])
            context.set_alpn_protocols([getattr(self.system, "ALPN", "http/1.1")])
            connection = context.wrap_socket(connection, server_side=True)
        return connection, address

    def write(self, name, lines):
        with self.lock, open(os.path.join(self.folder, name), "a", encoding="utf-8") as f:
            f.writelines(line + "\n" for line in lines)

    def step(self):
        with self.lock:
            return self.steps.pop(0) if self.steps else "ok"

    def take(self, request):
        """Check a request. Returns status, headers and body of the response; the rows are written if it is accepted."""
        step = self.step()
        with self.lock, open(os.path.join(self.folder, f"body.{self.n}"), "wb") as f:
            f.write(request.body)
            self.n += 1
        try:
            lines = self.system.check(self, request)
        except Broken as e:
            self.write("broken", [str(e)])
            return self.system.refuse(request, str(e))
        known = self.system.answer(request, step)
        if step == "slow":
            time.sleep(1)
        if step in ("ok", "slow", "half") or known and known[0] == 200 and step.startswith("ok"):
            self.write("rows", lines)
        if known:
            return known
        code, _, seconds = step.partition(":")
        return int(code), {"Retry-After": seconds} if seconds else {}, b"the step of the scenario\nand a second line"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status, headers, body = self.server.take(self)
        is_half = headers.pop("half", False)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) + 100 * is_half))
        self.end_headers()
        self.wfile.write(body)
        if is_half:
            self.close_connection = True

    do_GET = do_POST = do_PATCH = answer

    def log_message(self, *args):
        pass


def main():
    if sys.argv[1] == "rows":
        for path in sys.argv[2:]:
            with open(path, "rb") as f:
                p = Pprof(f.read())
            print("\n".join(rows(p.types, p.samples)))
        return
    folder = sys.argv[2]
    system = importlib.import_module("contract_" + sys.argv[1])
    server = Server(system, folder, sys.argv[3:])
    with open(folder + "/port.new", "w", encoding="ascii") as f:
        f.write(str(server.server_port))
    os.rename(folder + "/port.new", folder + "/port")
    server.serve_forever()


if __name__ == "__main__":
    sys.modules["contract"] = sys.modules["__main__"]  # the systems use the same Broken
    main()
