#!/usr/bin/env python3
# large.py - write a profile with values, in bytes, that a double cannot represent
# SPDX-License-Identifier: Apache-2.0
"""usage: large.py OUT"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from wire import message, number, packed  # noqa: E402


def main():
    n = 60
    strings = [b"", b"space", b"bytes"] + [b"f%d" % i for i in range(n)]
    out = message(1, number(1, 1) + number(2, 2))
    for i in range(n):
        out += message(2, packed(1, (1 + k for k in (i, i // 2, i // 4, 0))) + number(2, 3**i % 2**57 + i if i > 30 else 2**i + 1))
    for i in range(n):
        out += message(4, number(1, i + 1) + message(4, number(1, i + 1)))
        out += message(5, number(1, i + 1) + number(2, i + 3))
    with open(sys.argv[1], "wb") as f:
        f.write(out + b"".join(message(6, s) for s in strings))


main()
