#!/usr/bin/env python3
# retime.py - give a profile another time, and optionally a duration
# SPDX-License-Identifier: Apache-2.0
# usage: retime.py FROM TO TIME_NS [DURATION_NS]
# Fields are appended, and the last one counts in protocol buffers: time_nanos is field 9, duration_nanos field 10.
import gzip
import sys


def varint(n):
    out = bytearray()
    while n >= 128:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


source, target, time, *duration = sys.argv[1:]
data = open(source, "rb").read()
if data[:2] == b"\x1f\x8b":
    data = gzip.decompress(data)
data += b"\x48" + varint(int(time))
if duration:
    data += b"\x50" + varint(int(duration[0]))
with open(target, "wb") as out:
    out.write(gzip.compress(data, 1, mtime=0))
