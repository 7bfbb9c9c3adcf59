#!/usr/bin/python3
# webhook.py - a server that answers each POST with a status, and writes its body to a file
# SPDX-License-Identifier: Apache-2.0
"""usage: webhook.py FOLDER STATUS     writes FOLDER/port, then FOLDER/1, FOLDER/2 ..., each with the content type first"""
import http.server
import sys

folder, status = sys.argv[1], int(sys.argv[2])
n = 0


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        global n
        n += 1
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with open(f"{folder}/{n}", "wb") as f:
            f.write(self.headers["Content-Type"].encode() + b"\n" + body)
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
with open(f"{folder}/port.new", "w") as f:
    f.write(str(server.server_port))
import os  # noqa: E402

os.rename(f"{folder}/port.new", f"{folder}/port")
server.serve_forever()
