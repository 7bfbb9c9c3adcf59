# snapshot_server.py - profile servers that are valid, broken or slow, each below its own path
#
# SPDX-License-Identifier: Apache-2.0
#
# usage: python3 snapshot_server.py FOLDER TESTDATA
# Listens on 127.0.0.1 and on the socket FOLDER/sock. /SERVER/debug/pprof/NAME is the profile NAME of SERVER.
# Writes its port to FOLDER/ports and each request to FOLDER/log. Exits at the end of its standard input.
import gzip
import http.server
import os
import socketserver
import sys
import threading
import time
import urllib.parse

folder, testdata = sys.argv[1:3]
log_lock = threading.Lock()
six_requests = threading.Barrier(6, timeout=20)


def read(name):
    with open(os.path.join(testdata, name), "rb") as file:
        return file.read()


STACKS = b"goroutine 1 [select, 12 minutes]:\nmain.main()\n\t/src/main.go:12 +0x1d\n"
THREADS = b'thread 4711 "worker" [futex, 12 minutes, cpu 3.2s]:\nmain\n\t/src/main.c:12\n'
GO = {
    "cmdline": b"/bin/prog\0-addr\0:80 80",
    "profile": read("go-cpu.pb.gz"),
    "heap": read("go-heap1.pb.gz"),
    "allocs": read("go-allocs.pb.gz"),
    "goroutine": read("go-goroutine.pb.gz"),
    "block": read("go-block.pb.gz"),
    "mutex": read("go-mutex.pb.gz"),
    "threadcreate": read("go-threadcreate.pb.gz"),
    "fds": read("edge/unit-count.pb.gz"),
}
THREADED = dict(GO, threads=GO["goroutine"])
SERVERS = {
    "go": GO,
    "threaded": THREADED,
    "later": dict(GO, heap=read("go-heap2.pb.gz")),
    "bare": {name: GO[name] for name in ("profile", "heap", "allocs", "goroutine")},
    "noheap": {name: GO[name] for name in GO if name != "heap"},
    "nothing": {"cmdline": b"x"},
    "broken": dict(
        GO,
        heap=GO["heap"][:-200],
        allocs=b"<!DOCTYPE html>\n<html><head><title>Please \x1b[31mlog in</title></head></html>\n",
        block=b"",
        mutex=GO["heap"],
    ),
    "empty": dict(GO, profile=read("edge/no-samples.pb.gz")),
    "legacy": dict(GO, heap=read("go-heap.txt"), goroutine=read("go-goroutine.txt")),
    "hostile": dict(GO, cmdline=b"\x1b[31mprog\0-p\0\xff\xfe\n"),
    "shapes": {
        "unknown": read("edge/unknown-fields.pb.gz"),
        "comments": read("edge/comments.pb.gz"),
        "names": read("edge/names-hostile.pb.gz"),
        "packed": read("edge/packed-and-unpacked.pb.gz"),
        "bare": read("edge/bare.pb"),
        "zstd": read("edge/zstd.pb.zst"),
    },
    "bomb": dict(GO, heap=gzip.compress(bytes(1 << 26))),
}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def address_string(self):
        return "client"

    def log_message(self, *_):
        pass

    def answer(self, body, status=200, kind="application/octet-stream", length=None, **headers):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length or len(body)))
        for key, value in headers.items():
            self.send_header(key.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def fail(self, status, text):
        self.answer(text, status, "text/plain; charset=utf-8", X_Go_Pprof="1")

    def note(self):
        keys = ("X-Secret", "Authorization")
        words = [f"{key}={self.headers[key]}" for key in keys if self.headers[key]]
        with log_lock, open(os.path.join(folder, "log"), "a", encoding="utf-8") as log:
            log.write(" ".join([self.command, self.path] + words) + "\n")

    def do_GET(self):
        self.note()
        path, _, query = self.path.partition("?")
        options = urllib.parse.parse_qs(query)
        words = path.strip("/").split("/")
        server = words[0] if words[0] != "debug" else "go"
        name = urllib.parse.unquote(words[-1])
        if server == "secret" and self.headers["Authorization"] != "Bearer tok-123":
            self.fail(401, b"who are you\n")
        elif server == "down":
            self.close_connection = True
        elif server == "busy" and name == "profile":
            self.fail(500, b"Could not enable CPU profiling: \x1b[31mcpu profiling already in use\n")
        elif server == "short" and name == "heap":
            self.answer(GO["heap"], length=len(GO["heap"]) + 1000)
            self.close_connection = True
        elif server == "slow" and name == "profile":
            time.sleep(60)
        elif server == "slow" and name == "cmdline":
            self.answer(GO["cmdline"])
        elif server == "together" and name not in ("cmdline", "threads"):
            six_requests.wait()
            self.answer(GO[name])
        elif options.get("debug") == ["2"] and name == "threads" and server == "threaded":
            self.answer(THREADS, kind="text/plain; charset=utf-8")
        elif options.get("debug") == ["2"] and name == "goroutine" and server != "dumpless":
            self.answer(STACKS, kind="text/plain; charset=utf-8")
        elif name in SERVERS.get(server, GO):
            self.answer(SERVERS.get(server, GO)[name])
        else:
            self.fail(404, b"Unknown profile\n")


class TCP(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, *_):
        pass


class Unix(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, *_):
        pass


def main():
    plain = TCP(("127.0.0.1", 0), Handler)
    for server in (plain, Unix(os.path.join(folder, "sock"), Handler)):
        threading.Thread(target=server.serve_forever, daemon=True).start()
    path = os.path.join(folder, "ports")
    with open(path + ".new", "w", encoding="utf-8") as out:
        print(plain.server_address[1], 0, file=out)
    os.rename(path + ".new", path)
    sys.stdin.read()


main()
