#!/usr/bin/env python3
# retime.py - give profiles other times
# SPDX-License-Identifier: Apache-2.0
# usage: retime.py [FROM TO TIME_S]...
# Replaces the field time_nanos of profile.proto.
import gzip
import sys

from wire import number, raw_fields

TIME = 9


def retime(source, target, seconds):
    data = open(source, "rb").read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    out = b"".join(raw for field, _, _, raw in raw_fields(data) if field != TIME)
    out += number(TIME, int(seconds) * 10**9)
    with open(target, "wb") as f:
        f.write(gzip.compress(out, 1, mtime=0))


for i in range(1, len(sys.argv), 3):
    retime(*sys.argv[i : i + 3])
