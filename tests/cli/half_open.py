#!/usr/bin/env python3
# half_open.py - connections that hold a server up, and how long pushes of another client take beside them
#
# SPDX-License-Identifier: Apache-2.0
#
# usage: half_open.py HOST:PORT PROFILE N ADDRESSES PUSHES [MODE...]
#
# For each mode, keeps N connections from this number of addresses of 127.0.0.0/8 in that state, opens them again when the server
# closes them, and pushes PROFILE from 127.0.0.1 meanwhile, on a new connection each. Prints a line per mode: the median and the
# longest time in ms, pushes that failed, and connections that were open on average.
#   silent  sends nothing            head  half of a request line      body  half of a body
#   drip    a byte of the head every 20 ms                             ooze  a byte of the body every 20 ms
#   idle    waits after a request    flood  new connections without end, each a part of a head
import os
import selectors
import socket
import sys
import threading
import time

HEAD = b"POST /v1/profiles?service=slow HTTP/1.1\r\nHost: localhost\r\n"
STARTS = {"silent": b"", "head": HEAD[:20], "body": HEAD + b"Content-Length: 1000\r\n\r\nabc", "drip": HEAD,
          "ooze": HEAD + b"Content-Length: 100000\r\n\r\n", "idle": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", "flood": HEAD}


class Crowd(threading.Thread):
    """Keeps connections in a state."""
    def __init__(self, at, mode, n, n_addresses):
        super().__init__(daemon=True)
        self.at, self.mode, self.n, self.n_addresses = at, mode, n, n_addresses
        self.ended, self.full = threading.Event(), threading.Event()
        self.open, self.count, self.sum, self.rounds = {}, 0, 0, 0

    def connect(self, poll):
        s = socket.socket()
        s.setblocking(False)
        self.count += 1
        s.bind((f"127.0.1.{1 + self.count % self.n_addresses}", 0))
        s.connect_ex(self.at)
        poll.register(s, selectors.EVENT_READ | selectors.EVENT_WRITE)
        self.open[s] = time.monotonic()

    def close(self, poll, s):
        poll.unregister(s)
        s.close()
        del self.open[s]

    def serve(self, poll, s, events):
        try:
            if events & selectors.EVENT_WRITE:
                poll.modify(s, selectors.EVENT_READ)
                s.send(STARTS[self.mode])
            if events & selectors.EVENT_READ and not s.recv(65536):
                self.close(poll, s)
        except OSError:
            self.close(poll, s)

    def run(self):
        poll, fed = selectors.DefaultSelector(), 0
        while not self.ended.is_set():
            now = time.monotonic()
            if self.mode == "flood":
                for s, opened in list(self.open.items()):
                    if now - opened > 0.5:
                        self.close(poll, s)
            for _ in range(min(50, self.n - len(self.open))):
                self.connect(poll)
            if len(self.open) >= self.n:
                self.full.set()
            if self.mode in ("drip", "ooze") and now - fed > 0.02:
                fed = now
                for s in list(self.open):
                    try:
                        s.send(b"x")
                    except OSError:
                        pass
            for key, events in poll.select(0.01):
                self.serve(poll, key.fileobj, events)
            self.sum += len(self.open)
            self.rounds += 1
        for s in list(self.open):
            self.close(poll, s)


def push(at, profile, i):
    """Push once. Returns the seconds, and why it was not stored."""
    start, answer = time.monotonic(), b""
    now = int(time.time()) - 60
    try:
        with socket.create_connection(at, 60) as s:
            s.sendall(b"POST /v1/profiles?service=shop&n=%d&from=%d&until=%d HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                      b"Content-Length: %d\r\n\r\n" % (i, now, now + 10, len(profile)) + profile)
            answer = s.recv(4096)
    except OSError as e:
        answer = str(e).encode()
    return time.monotonic() - start, "" if answer.startswith(b"HTTP/1.1 204") else answer.split(b"\r")[0].decode() or "no answer"


def main():
    host, _, port = sys.argv[1].rpartition(":")
    at, n, n_addresses, n_pushes = (host, int(port)), *map(int, sys.argv[3:6])
    with open(sys.argv[2], "rb") as file:
        profile = file.read()
    for mode in sys.argv[6:] or ["none", *STARTS]:
        crowd = Crowd(at, mode, n if mode != "none" else 0, n_addresses)
        crowd.start()
        crowd.full.wait(10)
        time.sleep(0.3)
        results = [push(at, profile, os.getpid() * 1000 + i) for i in range(n_pushes)]
        crowd.ended.set()
        crowd.join()
        times = sorted(1000 * seconds for seconds, _ in results)
        print(f"{mode:7} median {times[len(times) // 2]:.0f} longest {times[-1]:.0f} failed {sum(1 for _, why in results if why)} "
              f"open {crowd.sum / max(1, crowd.rounds):.0f} opened {crowd.count}", *{why for _, why in results if why}, flush=True)


main()
