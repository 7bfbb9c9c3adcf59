"""dns_server.py - a name server on 127.0.0.1, port 53, for a network namespace of a test

SPDX-License-Identifier: Apache-2.0

usage: dns_server.py READY; creates the file READY when it answers

two.test has two addresses, six.test one of IPv6, _pprof._tcp.shop.test two SRV records; down.test fails; all other names do
not exist.
"""
import socket
import struct
import sys

A, AAAA, SRV = 1, 28, 33


def name(text):
    return b"".join(bytes([len(p)]) + p.encode() for p in text.split(".") if p) + b"\0"


RECORDS = {
    ("two.test", A): [bytes([10, 0, 0, 2]), bytes([10, 0, 0, 1])],
    ("six.test", AAAA): [bytes([0xfd] + [0] * 14 + [1])],
    ("_pprof._tcp.shop.test", SRV): [struct.pack(">HHH", 10, 5, 6061) + name("h2.shop.test"),
                                     struct.pack(">HHH", 10, 5, 6060) + name("h1.shop.test")],
}


def answer(query):
    at, labels = 12, []
    while query[at]:
        labels.append(query[at + 1:at + 1 + query[at]].decode())
        at += 1 + query[at]
    asked, kind = ".".join(labels).lower(), struct.unpack(">H", query[at + 1:at + 3])[0]
    found = RECORDS.get((asked, kind), [])
    exists = any(n == asked for n, _ in RECORDS)
    code = 2 if asked == "down.test" else 0 if exists else 3
    records = b"".join(b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 30, len(d)) + d for d in found)
    return (query[:2] + struct.pack(">HHHHH", 0x8180 | code, 1, len(found), 0, 0) + query[12:at + 5] + records)


server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.0.0.1", 53))
with open(sys.argv[1], "w", encoding="utf-8"):
    pass
while True:
    data, peer = server.recvfrom(4096)
    server.sendto(answer(data), peer)
