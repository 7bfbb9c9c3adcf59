#!/usr/bin/env python3
# retime.py - give a profile another time, and optionally another duration
# SPDX-License-Identifier: Apache-2.0
# usage: retime.py FROM TO TIME_NS [DURATION_NS]
# Replaces the fields time_nanos (9) and duration_nanos (10) of profile.proto.
import gzip
import sys

TIME, DURATION = 9, 10


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


source, target, time, *duration = sys.argv[1:]
data = open(source, "rb").read()
if data[:2] == b"\x1f\x8b":
    data = gzip.decompress(data)
new = {TIME: int(time)}
if duration:
    new[DURATION] = int(duration[0])
out = b"".join(raw for number, raw in fields(data) if number not in new)
out += b"".join(varint(number << 3) + varint(value) for number, value in new.items())
with open(target, "wb") as f:
    f.write(gzip.compress(out, 1, mtime=0))
