#!/usr/bin/python3
# pyroscope_fake.py - a server of Pyroscope: checks requests by its rules, and passes them to a collector, which has the API
# SPDX-License-Identifier: Apache-2.0
"""usage: pyroscope_fake.py COLLECTOR_ADDRESS [RULE...]     prints its address, then a line per request

Rules, from Pyroscope 2 (pkg/validation/validate.go, pkg/util/http.go, pkg/frontend/readpath/queryfrontend):
tenant     a request without X-Scope-OrgID is refused with 401
length     a window of more than 24 hours is refused with 400 (querier.max-query-length)
old        there is no SelectMergeProfile: 501; its profiles come from SelectMergeStacktraces (PROFILE_FORMAT_PPROF)
busy       the first request of each method is refused with 429 and Retry-After
down       every request is refused with 503
Always: POST, application/proto, start and end in ms, times are needed but for GetProfileStats.
"""
import http.client
import http.server
import sys

from wire import VARINT, raw_fields

START_END = {"Series": (3, 4), "SelectMergeProfile": (3, 4), "SelectMergeStacktraces": (3, 4), "SelectSeries": (3, 4)}
DAY = 86_400_000
seen = set()


class Fake(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def answer(self, status, body, kind="application/json", **headers):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, status, code, text, **headers):
        self.answer(status, f'{{"code":"{code}","message":"{text}"}}'.encode(), **headers)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        method = self.path.rpartition("/")[2]
        field = {number: value for number, kind, value, _ in raw_fields(body) if kind == VARINT}
        start, end = (field.get(n, 0) for n in START_END.get(method, (0, 0)))
        sys.stdout.write(f"{method} {end - start}\n")
        sys.stdout.flush()
        if not self.path.startswith("/querier.v1.QuerierService/") or self.headers["Content-Type"] != "application/proto":
            self.refuse(415, "invalid_argument", "unsupported media type")
        elif "down" in rules:
            self.refuse(503, "unavailable", "no ingester", Retry_After="1")
        elif "tenant" in rules and self.headers["X-Scope-OrgID"] != "shop":
            self.refuse(401, "unauthenticated", "no org id")
        elif "busy" in rules and method not in seen:
            seen.add(method)
            self.refuse(429, "resource_exhausted", "too many outstanding requests", Retry_After="1")
        elif method in START_END and (not start or not end or start > end):
            self.refuse(400, "invalid_argument", "missing time range in the query")
        elif "length" in rules and end - start > DAY:
            self.refuse(400, "invalid_argument", "the query time range exceeds the limit")
        elif "old" in rules and method == "SelectMergeProfile":
            self.refuse(501, "unimplemented", "unimplemented")
        else:
            c = http.client.HTTPConnection(collector, timeout=60)
            c.request("POST", self.path, body, {"Content-Type": "application/proto"})
            r = c.getresponse()
            self.answer(r.status, r.read(), r.headers["Content-Type"])


collector, rules = sys.argv[1], sys.argv[2:]
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Fake)
print(f"127.0.0.1:{server.server_address[1]}", flush=True)
server.serve_forever()
