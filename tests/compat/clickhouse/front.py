#!/usr/bin/python3
# front.py - an HTTP server with the interface of ClickHouse, for the engine of the package chdb-core
# SPDX-License-Identifier: Apache-2.0
"""usage: front.py PORT FOLDER

Runs the statement of each POST request: the parameter query with the body as data, or else the body. Requests are run one at a
time. A failure has the status 500 and its message, as that of a server.
"""
import http.server
import os
import re
import sys
import urllib.parse

from chdb import session

port, folder = int(sys.argv[1]), sys.argv[2]
database = session.Session(os.path.join(folder, "data"))


def run(parameters, body):
    name = parameters.get("database", ["default"])[0]
    if not re.fullmatch(r"\w+", name):
        raise ValueError(f"database {name}")
    database.query(f"USE {name}")
    if "query" not in parameters:
        sql = body.decode("utf-8", "surrogateescape")
        found = re.search(r"\sFORMAT (\w+)\s*$", sql)
        return database.query(sql[:found.start()] if found else sql, found.group(1) if found else "TabSeparated").bytes()
    path = os.path.join(folder, "rows")
    with open(path, "wb") as f:
        f.write(body)
    found = re.fullmatch(r"(INSERT INTO .*) (FORMAT \w+)", parameters["query"][0])
    return database.query(f"{found.group(1)} FROM INFILE '{path}' {found.group(2)}").bytes()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        parameters = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            status, text = (200, run(parameters, body)) if self.path[:2] in ("/", "/?") else (404, b"There is no handle\n")
        except Exception as e:  # any failure of the engine is the answer
            status, text = 500, f"{e}\n".encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *args):
        pass


class Server(http.server.HTTPServer):
    address_family = 2
    request_queue_size = 50


with Server(("127.0.0.1", port), Handler) as server:
    print(f"ready {server.server_address[1]}", flush=True)
    server.serve_forever()
