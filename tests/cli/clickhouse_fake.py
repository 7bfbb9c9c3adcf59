#!/usr/bin/python3
# clickhouse_fake.py - a server with the interface of ClickHouse, for requests and errors
# SPDX-License-Identifier: Apache-2.0
"""usage: clickhouse_fake.py FOLDER

Writes its port to FOLDER/port, and a line per request to FOLDER/log: the statement, and the number of bytes of its data. Responses are
empty; or, as FOLDER/mode says: "missing" tables, "busy", "cut" results, "login" as cpa with the password secret.
"""
import http.server
import os
import sys
import urllib.parse

folder = sys.argv[1]


def answer(mode, headers):
    if mode == "missing":
        return 404, b"Code: 60, e.displayText() = DB::Exception: Table prof.series doesn't exist.\n"
    if mode == "busy":
        return 503, b"Code: 202. DB::Exception: Too many simultaneous queries. Maximum: 100. (TOO_MANY_SIMULTANEOUS_QUERIES)\n"
    if mode == "cut":
        return 200, b"\x04shop\x03cpu0123456789abcdef\x02\x08inst"
    if mode == "login" and (headers.get("X-ClickHouse-User"), headers.get("X-ClickHouse-Key")) != ("cpa", "secret"):
        return 401, b"Code: 193, e.displayText() = DB::Exception: Wrong password for user cpa\n"
    return 200, b""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        query = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)
        with open(os.path.join(folder, "log"), "a", encoding="utf-8") as f:
            f.write(f"{query['query'][0]} {len(body)} bytes\n" if "query" in query else body.decode() + "\n")
        with open(os.path.join(folder, "mode"), encoding="utf-8") as f:
            status, text = answer(f.read().strip(), self.headers) if self.path.startswith("/?") else (404, b"no such path\n")
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *args):
        pass


with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
    with open(os.path.join(folder, "port.new"), "w", encoding="utf-8") as f:
        f.write(str(server.server_address[1]))
    os.rename(os.path.join(folder, "port.new"), os.path.join(folder, "port"))
    server.serve_forever()
