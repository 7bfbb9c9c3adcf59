#!/usr/bin/python3
# stored_profiles.py - profiles of a service over time, with exact values
# SPDX-License-Identifier: Apache-2.0
"""usage: stored_profiles.py FOLDER KIND START EVERY N [SCALE]

Writes FOLDER/000.pb.gz ... : N profiles that start at START (seconds since 1970) and then every EVERY seconds.

KIND cpu: profile i has 10 + i % 5 samples of main;work with label route=/a, and 5 * SCALE of main;wait with route=/b, of
10 ms each. KIND heap: inuse_space is 1000 * (i + 1) in main;hold, alloc_space 5000 * (i + 1). KIND mutex: contentions of
main;lock are 7 * (i + 1), delay 1000 times as many, cumulative.
"""
import gzip
import os
import sys

from make_profile import PERIOD, encode

TYPES = {
    "cpu": [("samples", "count"), ("cpu", "nanoseconds")],
    "heap": [("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_objects", "count"), ("inuse_space", "bytes")],
    "mutex": [("contentions", "count"), ("delay", "nanoseconds")],
}


def samples(kind, i, scale):
    if kind == "cpu":
        n, m = 10 + i % 5, 5 * scale
        return [(["work", "main"], [n, n * PERIOD], {"route": "/a"}),
                (["wait", "main"], [m, m * PERIOD], {"route": "/b"})]
    if kind == "heap":
        return [(["hold", "main"], [5 * (i + 1), 5000 * (i + 1), i + 1, 1000 * (i + 1)], {})]
    return [(["lock", "main"], [7 * (i + 1), 7000 * (i + 1)], {})]


def profile(kind, i, start, scale):
    duration_ns, period = (10**9, PERIOD) if kind == "cpu" else (0, 1)
    return encode(samples(kind, i, scale), TYPES[kind], time_ns=start * 10**9, duration_ns=duration_ns, period=period)


def main():
    folder, kind, start, every, n = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6])
    scale = int(sys.argv[6]) if len(sys.argv) > 6 else 1
    os.makedirs(folder, exist_ok=True)
    for i in range(n):
        with gzip.open(f"{folder}/{i:03}.pb.gz", "wb") as f:
            f.write(profile(kind, i, start + i * every, scale))


if __name__ == "__main__":
    main()
