# server.py - a server that sends valid profiles and many kinds of broken responses
#
# SPDX-License-Identifier: Apache-2.0
#
# usage: python3 server.py FOLDER PROFILE [CERT KEY CLIENT_CA]
# Listens on 127.0.0.1, on the socket FOLDER/sock and, with a certificate, on a second port. Writes its ports
# to FOLDER/ports and each request to FOLDER/log. Exits at the end of its standard input.
import gzip
import http.server
import os
import socketserver
import ssl
import sys
import threading
import time

folder, profile_path = sys.argv[1:3]
with open(profile_path, "rb") as file:
    profile = file.read()
log_lock = threading.Lock()
ports = {}
turns = {}
three_requests = threading.Barrier(3, timeout=20)
TRACE = b"go 1.23 trace\0\0\0" + bytes(100)
PAGE = b"<!DOCTYPE html>\n<html><head><title>Please log in</title></head></html>\n"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def address_string(self):
        return "client"

    def log_message(self, *_):
        pass

    def note(self):
        """Logs a request with its headers for authentication and content."""
        keys = ("X-Secret", "Authorization", "Accept-Encoding", "Content-Type")
        words = [f"{key}={self.headers[key]}" for key in keys if self.headers[key]]
        with log_lock, open(os.path.join(folder, "log"), "a", encoding="utf-8") as log:
            log.write(" ".join([self.command, self.server.label, self.path] + words) + "\n")

    def answer(self, body, status=200, kind="application/octet-stream", **headers):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for key, value in headers.items():
            self.send_header(key.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def turn(self):
        """Sends FOLDER/turnN for request N of a path; later requests get the last file."""
        with log_lock:
            turns[self.path] = turn = turns.get(self.path, 0) + 1
        while not os.path.exists(os.path.join(folder, f"turn{turn}")):
            turn -= 1
        with open(os.path.join(folder, f"turn{turn}"), "rb") as file:
            self.answer(file.read())

    def hang_up(self):
        self.close_connection = True
        self.wfile.flush()

    def endless(self, length):
        self.send_response(200)
        if length:
            self.send_header("Content-Length", str(length))
        self.send_header("Connection", "close")
        self.end_headers()
        block = bytes(1 << 20)
        for _ in range(4096):
            self.wfile.write(block)
        self.hang_up()

    def drip(self):
        self.send_response(200)
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        for _ in range(60):
            self.wfile.write(b"\x1f")
            self.wfile.flush()
            time.sleep(0.5)

    def redirect(self, url, status=302):
        self.send_response(status)
        self.send_header("Location", url)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def guarded(self):
        wanted = {"X-Secret": "open sesame", "Authorization": "Bearer tok-123"}
        if any(self.headers[key] != value for key, value in wanted.items()):
            self.answer(b"who are you\n", 403, "text/plain", X_Go_Pprof="1")
        else:
            self.answer(profile)

    def together(self):
        """Answers when three requests are waiting."""
        three_requests.wait()
        self.answer(profile)

    def do_GET(self):
        self.note()
        path = self.path.split("?")[0]
        if path.startswith("http://"):  # as a proxy
            path = path[path.index("/", 7) :]
        other = "localhost" if self.server.label == "plain" else "127.0.0.1"
        port = ports.get("plain")
        responses = {
            "/ok": lambda: self.answer(profile),
            "/debug/pprof/heap": lambda: self.answer(profile),
            "/debug/pprof/profile": lambda: self.answer(profile),
            "/gzip": lambda: self.answer(gzip.compress(profile), Content_Encoding="gzip"),
            "/empty": lambda: self.answer(b""),
            "/html": lambda: self.answer(PAGE, kind="text/html"),
            "/trace": lambda: self.answer(TRACE),
            "/garbage": lambda: self.answer(bytes(range(1, 256)) * 9),
            "/go500": lambda: self.answer(b"could not: \x1b[31mbusy\n", 500, "text/plain; charset=utf-8", X_Go_Pprof="1"),
            "/html500": lambda: self.answer(PAGE, 500, "text/html"),
            "/login": lambda: self.answer(PAGE, 401, "text/html"),
            "/tlsonly": lambda: self.answer(b"Client sent an HTTP request to an HTTPS server.\n", 400, "text/plain"),
            "/noanswer": self.hang_up,
            "/short": lambda: (self.send_response(200), self.send_header("Content-Length", str(len(profile))),
                               self.end_headers(), self.wfile.write(profile[:100]), self.hang_up()),
            "/hang": lambda: time.sleep(30),
            "/drip": self.drip,
            "/endless": lambda: self.endless(0),
            "/gigabyte": lambda: self.endless(1 << 32),
            "/bomb": lambda: self.answer(gzip.compress(bytes(1 << 24)), Content_Encoding="gzip"),
            "/redirect": lambda: self.redirect("/ok"),
            "/elsewhere": lambda: self.redirect(f"http://{other}:{port}/ok"),
            "/loop": lambda: self.redirect("/loop"),
            "/tofile": lambda: self.redirect("file:///etc/passwd"),
            "/guarded": self.guarded,
            "/together": self.together,
        }
        if path.startswith("/turns/"):
            responses[path] = self.turn
        responses.get(path, lambda: self.answer(b"no such page\n", 404, "text/plain"))()

    def do_POST(self):
        self.note()
        body = self.rfile.read(int(self.headers["Content-Length"]))
        names = [f"{a} function_{int(a, 16):x}" for a in body.decode().split("+")]
        if self.path.startswith("/refused/"):
            self.answer(b"no\n", 404, "text/plain")
        else:
            self.answer(("num_symbols: 1\n" + "\n".join(names) + "\n").encode(), kind="text/plain")


class TCP(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 256
    label = "plain"

    def handle_error(self, *_):
        pass


class Unix(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 256
    label = "socket"

    def handle_error(self, *_):
        pass


def serve(server):
    threading.Thread(target=server.serve_forever, daemon=True).start()


def main():
    plain = TCP(("127.0.0.1", 0), Handler)
    ports["plain"] = plain.server_address[1]
    servers = [plain, Unix(os.path.join(folder, "sock"), Handler)]
    if len(sys.argv) > 3:
        secure = TCP(("127.0.0.1", 0), Handler)
        secure.label = "secure"
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[3], sys.argv[4])
        context.load_verify_locations(sys.argv[5])
        context.verify_mode = ssl.CERT_REQUIRED
        secure.socket = context.wrap_socket(secure.socket, server_side=True)
        ports["secure"] = secure.server_address[1]
        servers.append(secure)
    for server in servers:
        serve(server)
    path = os.path.join(folder, "ports")
    with open(path + ".new", "w", encoding="utf-8") as out:
        print(ports["plain"], ports.get("secure", 0), file=out)
    os.rename(path + ".new", path)
    sys.stdin.read()


main()
