#!/usr/bin/env python3
"""profile_server.py - a server of profiles that fails in several ways, for tests of captures
SPDX-License-Identifier: Apache-2.0

profile_server.py FOLDER: serves files of testdata at 127.0.0.1 and prints its port. heap has another file after the first
request; block redirects within the server, mutex to another one; goroutine is an error; the server exits during allocs.
"""
import http.server
import os
import sys
import threading
import time

folder = sys.argv[1]
requests = {}


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def send(self, status, body, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except ConnectionError:  # a capture was stopped
            pass

    def do_GET(self):
        kind = self.path.split("?")[0].rpartition("/")[2]
        requests[kind] = requests.get(kind, 0) + 1
        if kind == "heap":
            self.send_file("go-heap1.pb.gz" if requests[kind] == 1 else "go-heap2.pb.gz")
        elif kind == "profile":
            seconds = int(self.path.partition("seconds=")[2].partition("&")[0] or 0)
            time.sleep(0.2 * seconds)
            self.send_file("go-cpu.pb.gz")
        elif kind == "block":
            self.send(302, b"", Location="/debug/pprof/heap")
        elif kind == "mutex":
            self.send(302, b"", Location=f"http://localhost:{self.server.server_port}/debug/pprof/heap")
        elif kind == "allocs":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"x" * 100)
            self.wfile.flush()
            os._exit(1)
        else:
            self.send(500, b"broken <b>\n", Content_Type="text/plain", X_Go_Pprof="1")

    def send_file(self, name):
        with open(os.path.join(folder, name), "rb") as file:
            self.send(200, file.read(), Content_Type="application/octet-stream")


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
server.serve_forever()
