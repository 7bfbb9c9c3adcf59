#!/usr/bin/env python3
# record.py - passes requests on to a collector, and keeps them
#
# SPDX-License-Identifier: Apache-2.0
#
# usage: record.py HOST:PORT FOLDER     prints its own port; FOLDER/NNNN.json and FOLDER/NNNN.body are a request each
import http.client
import http.server
import json
import os
import sys
import threading

there, folder = sys.argv[1:3]
lock = threading.Lock()
n_requests = 0


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def body(self):
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        data = b""
        while True:
            n = int(self.rfile.readline().split(b";")[0], 16)
            data += self.rfile.read(n)
            self.rfile.readline()
            if n == 0:
                return data

    def do_POST(self):
        global n_requests
        body = self.body()
        headers = {k: v for k, v in self.headers.items()
                   if k.lower() not in ("host", "transfer-encoding", "connection", "content-length", "expect")}
        connection = http.client.HTTPConnection(there, timeout=60)
        connection.request("POST", self.path, body, headers)
        answer = connection.getresponse()
        data = answer.read()
        if answer.status == 404:  # not a push: spans, telemetry
            self.reply(answer.status, None, data)
            return
        with lock:
            name = os.path.join(folder, "%04d" % n_requests)
            n_requests += 1
        with open(name + ".body", "wb") as file:
            file.write(body)
        with open(name + ".json", "w", encoding="utf-8") as file:
            json.dump({"path": self.path, "headers": dict(self.headers.items()), "status": answer.status,
                       "answer": data.decode("utf-8", "replace"), "answer_headers": dict(answer.headers.items())}, file)
        self.reply(answer.status, answer.headers.get("Content-Type"), data)

    def reply(self, status, kind, data):
        self.send_response(status)
        if kind:
            self.send_header("Content-Type", kind)
        if status != 204:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        self.body()
        self.reply(404, None, b"")

    do_PUT = do_GET

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
