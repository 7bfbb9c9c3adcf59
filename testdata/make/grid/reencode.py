#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""reencode.py - write a 64-bit little-endian gperftools CPU profile for other machines.

usage: reencode.py IN.cpu BITS ENDIAN OUT.cpu      BITS 32 or 64, ENDIAN little or big

64-bit output: the same words in the other byte order, the mappings text untouched.

32-bit output: words are 4 bytes, and every mapping moves to a place below 4 GiB. The k-th
distinct file of the mappings text (counting from 0; nameless neighbours count as a file of
their own) moves by one offset, so that its first mapping starts at
0x08000000 + k * 0x04000000; the order of the mappings within the file and all distances inside it
are unchanged. Mappings that do not fit into 64 MiB or lie above
0x7fffffffffff (vsyscall) are left out of the text; a sampled address in none
becomes 0xf0000000 + (its low 24 bits).
"""
import re
import struct
import sys

BASE, STEP = 0x08000000, 0x04000000
LINE = re.compile(rb'^([0-9a-f]+)-([0-9a-f]+)( .*)$')


def records_end(words):
    """Index of the first word after the record (0, 1, 0) that ends the samples."""
    i = 5
    while words[i:i + 3] != (0, 1, 0):
        i += 2 + words[i + 1]
    return i + 3


def plan(text):
    """Lists (start, limit, offset to add) and the moved mappings text."""
    moves, first, out = [], {}, []
    for line in text.split(b'\n'):
        m = LINE.match(line)
        if not m:
            out.append(line)
            continue
        lo, hi = int(m[1], 16), int(m[2], 16)
        fields = m[3].split(None, 4)
        key = fields[4] if len(fields) > 4 else b'nameless at %x' % lo
        if hi - lo > STEP or hi > 1 << 47:
            continue
        if key not in first:
            first[key] = BASE + len(first) * STEP - lo
        if hi + first[key] > 0xf0000000 or lo + first[key] < BASE:
            continue
        moves.append((lo, hi, first[key]))
        out.append(b'%08x-%08x%s' % (lo + first[key], hi + first[key], m[3]))
    return moves, b'\n'.join(out)


def move(moves, addr):
    for lo, hi, add in moves:
        if lo <= addr <= hi:
            return addr + add
    return 0xf0000000 + (addr & 0xffffff)


def main(src, bits, endian, dst):
    data = open(src, 'rb').read()
    words = struct.unpack('<%dQ' % (len(data) // 8), data[:len(data) // 8 * 8])
    end = records_end(words)
    words, text = list(words[:end]), data[end * 8:]
    if bits == '32':
        moves, text = plan(text)
        i = 5
        while i < end - 3:
            for k in range(i + 2, i + 2 + words[i + 1]):
                words[k] = move(moves, words[k])
            i += 2 + words[i + 1]
    order = {'little': '<', 'big': '>'}[endian]
    packed = struct.pack('%s%d%s' % (order, end, {'32': 'I', '64': 'Q'}[bits]), *words)
    open(dst, 'wb').write(packed + text)


if __name__ == '__main__':
    main(*sys.argv[1:])
