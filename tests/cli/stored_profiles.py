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

from wire import message, number, packed


class Strings:
    def __init__(self):
        self.all = [b""]

    def id(self, text):
        text = text.encode()
        if text not in self.all:
            self.all.append(text)
        return self.all.index(text)


TYPES = {
    "cpu": [("samples", "count"), ("cpu", "nanoseconds")],
    "heap": [("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_objects", "count"), ("inuse_space", "bytes")],
    "mutex": [("contentions", "count"), ("delay", "nanoseconds")],
}


def samples(kind, i, scale):
    if kind == "cpu":
        n, m = 10 + i % 5, 5 * scale
        return [(["work", "main"], [n, n * 10_000_000], {"route": "/a"}),
                (["wait", "main"], [m, m * 10_000_000], {"route": "/b"})]
    if kind == "heap":
        return [(["hold", "main"], [5 * (i + 1), 5000 * (i + 1), i + 1, 1000 * (i + 1)], {})]
    return [(["lock", "main"], [7 * (i + 1), 7000 * (i + 1)], {})]


def profile(kind, i, start, scale):
    strings, functions, out = Strings(), {}, b""
    types = TYPES[kind]
    for name, unit in types:
        out += message(1, number(1, strings.id(name)) + number(2, strings.id(unit)))
    body = b""
    for stack, values, labels in samples(kind, i, scale):
        ids = [functions.setdefault(name, len(functions) + 1) for name in stack]
        data = packed(1, ids) + packed(2, values)
        for key, value in labels.items():
            data += message(3, number(1, strings.id(key)) + number(2, strings.id(value)))
        body += message(2, data)
    out += body
    out += message(3, number(1, 1) + number(2, 0x400000) + number(3, 0x500000) + number(5, strings.id("/usr/bin/shop")))
    for name, n in functions.items():
        out += message(4, number(1, n) + number(2, 1) + number(3, 0x400000 + 16 * n) + message(4, number(1, n)))
        out += message(5, number(1, n) + number(2, strings.id(name)) + number(3, strings.id(name)))
    period = strings.id(types[-1][0]), strings.id(types[-1][1])
    out += number(9, start * 1_000_000_000)
    if kind == "cpu":
        out += number(10, 1_000_000_000)
    out += message(11, number(1, period[0]) + number(2, period[1])) + number(12, 10_000_000 if kind == "cpu" else 1)
    return out + b"".join(message(6, text) for text in strings.all)


def main():
    folder, kind, start, every, n = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6])
    scale = int(sys.argv[6]) if len(sys.argv) > 6 else 1
    os.makedirs(folder, exist_ok=True)
    for i in range(n):
        with gzip.open(f"{folder}/{i:03}.pb.gz", "wb") as f:
            f.write(profile(kind, i, start + i * every, scale))


if __name__ == "__main__":
    main()
