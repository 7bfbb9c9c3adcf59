#!/usr/bin/env python3
# retime.py - give profiles other times
# SPDX-License-Identifier: Apache-2.0
# usage: retime.py [FROM TO TIME_S]...
# Replaces the field time_nanos of profile.proto.
import gzip
import sys

TIME = 9


def varint(n):
    out = bytearray()
    while n >= 128:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def read_varint(data, at):
    n = shift = 0
    while True:
        byte = data[at]
        at += 1
        n |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return n, at


def fields(data):
    """Yields the number and the bytes of each field of a message."""
    at = 0
    while at < len(data):
        start = at
        key, at = read_varint(data, at)
        if key & 7 == 0:
            _, at = read_varint(data, at)
        elif key & 7 == 2:
            n, at = read_varint(data, at)
            at += n
        else:
            at += 8 if key & 7 == 1 else 4
        yield key >> 3, data[start:at]


def retime(source, target, seconds):
    data = open(source, "rb").read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    out = b"".join(raw for number, raw in fields(data) if number != TIME)
    out += varint(TIME << 3) + varint(int(seconds) * 10**9)
    with open(target, "wb") as f:
        f.write(gzip.compress(out, 1, mtime=0))


for i in range(1, len(sys.argv), 3):
    retime(*sys.argv[i : i + 3])
