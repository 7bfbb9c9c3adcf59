#!/usr/bin/env python3
# push_fake.py - checks pushes as Pyroscope does, and answers as a scenario says
#
# SPDX-License-Identifier: Apache-2.0
#
# Rules, from grafana/pyroscope 1.14: api/push/v1/push.proto, pkg/validation/validate.go and limits.go (labels, sizes, samples, times),
# pkg/distributor/distributor.go (an error of one series is that of the request; the others are stored).
import gzip
import http.server
import json
import re
import threading
import time

import pprof_rows
from wire import fields

LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*\Z")
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z")
HOUR = 3600 * 10**9


def series_of(body):
    """[(labels, [(id, profile bytes)])] of a PushRequest."""
    out = []
    for number, series in fields(body):
        if number != 1:
            raise ValueError(f"a PushRequest has no field {number}")
        labels, samples = [], []
        for kind, value in fields(series):
            pair = dict(fields(value))
            if kind == 1:
                labels.append((pair[1].decode(), pair.get(2, b"").decode()))
            elif kind == 2:
                samples.append((pair.get(2, b"").decode(), pair[1]))
        out.append((labels, samples))
    return out


def fault_of(labels, samples):
    """What Pyroscope would refuse about a series; None if nothing."""
    names = [name for name, _ in labels]
    if "__name__" not in names or "service_name" not in names:
        return "the labels __name__ and service_name are required"
    if len(labels) > 30 or len(set(names)) < len(names):
        return f"{len(labels)} labels, at most 30, each once"
    if dict(labels)["__name__"] == "memory" and dict(labels).get("__delta__") != "false":
        return "storage v1 (pkg/phlaredb/delta.go) would subtract increases again"
    for name, value in labels:
        if not LABEL.match(name) or len(name) > 1024 or len(value) > 2048:
            return f"label {name}: not valid"
    for identity, data in samples:
        p = pprof_rows.read(data)
        if not UUID.match(identity):
            return f"ID {identity}: not a UUID"
        if p["size"] > 4 << 20 or p["n_samples"] > 16000:
            return f"{p['size']} bytes, {p['n_samples']} samples: too large"
        if any("-" in name or not name for name, _ in p["types"]):
            return f"sample types {p['types']}: not valid"
        if not p["has_period"]:
            return "no period type"
        if not time.time_ns() - HOUR - p["duration"] <= p["time"] <= time.time_ns() + HOUR // 6:
            return f"profile of {p['time']}: too old, or in the future"
    return None


class Fake:
    """A server whose `script` has the next answers: a status, "half" (of a response), "slow"; then it is 200."""

    def __init__(self, port=0):
        self.script, self.refused_service, self.faults = [], "", []
        self.token = None  # of the only clients that are served
        self.stored = []  # (id, labels, profile), each time that it was stored
        self.n_requests = 0
        self.statuses = []
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args):
                pass

            def do_POST(self):
                fake.answer(self)

        class Server(http.server.ThreadingHTTPServer):
            allow_reuse_address = True
            daemon_threads = True

            def handle_error(self, request, client_address):
                pass

        self.lock = threading.Lock()
        self.server = Server(("127.0.0.1", port), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def take(self, body, header, path):
        """Check a request and store its series. Returns the message of the first that is refused; None."""
        if path != "/push.v1.PusherService/Push" or header["Content-Type"] != "application/proto" or \
                header["Content-Encoding"] != "gzip":
            return f"{path} {header['Content-Type']} {header['Content-Encoding']}: not a push"
        refused = None
        for labels, samples in series_of(gzip.decompress(body)):
            fault = fault_of(labels, samples)
            if fault:
                self.faults.append(fault)
            if dict(labels).get("service_name") == self.refused_service:
                fault = "the tenant does not take this service"
            refused = refused or fault
            if not fault:
                self.stored += [(i, dict(labels), pprof_rows.read(data)) for i, data in samples]
        return refused

    def answer(self, h):
        body = h.rfile.read(int(h.headers["Content-Length"]))
        with self.lock:
            self.n_requests += 1
            step = self.script.pop(0) if self.script else 200
            if self.token and h.headers["Authorization"] != "Bearer " + self.token:
                step = 401
            refused = self.take(body, h.headers, h.path) if step in (200, "half", "slow") else None
            status = step if isinstance(step, int) and step != 200 else 400 if refused else 200
            self.statuses.append(status)
        if step == "slow":
            time.sleep(1)
        text = b"" if status == 200 else json.dumps({"code": "x", "message": refused or "try later"}).encode()
        h.send_response(status)
        h.send_header("Content-Length", str(len(text) + (10 if step == "half" else 0)))
        if status == 429:
            h.send_header("Retry-After", "1")
        h.end_headers()
        h.wfile.write(text)
        h.wfile.flush()
        if step == "half":
            h.close_connection = True
