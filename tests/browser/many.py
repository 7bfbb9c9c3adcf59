#!/usr/bin/env python3
# many.py - write a legacy CPU profile with more than 100,000 boxes
# SPDX-License-Identifier: Apache-2.0
"""usage: many.py OUT     the profile is always the same"""
import struct
import sys

WORD = "<Q"
seed = 1


def draw(n):
    """A number below n from a fixed sequence (Knuth's MMIX)."""
    global seed
    seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
    return (seed >> 33) % n


def main():
    words = [0, 3, 0, 10000, 0]
    for _ in range(9000):
        depth = 12 + draw(30)
        stack = [0x400000]
        for level in range(depth):
            stack.append(0x400100 + 16 * (level * 40 + min(draw(40), draw(40))))
        words += [1 + draw(50), len(stack), *reversed(stack)]
    words += [0, 1, 0]
    with open(sys.argv[1], "wb") as f:
        f.write(b"".join(struct.pack(WORD, w) for w in words))


main()
