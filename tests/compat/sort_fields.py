# sort_fields.py - the fields of a compressed profile.proto, sorted by number as pprof writes them
# SPDX-License-Identifier: Apache-2.0
# usage: sort_fields.py FILE     writes the uncompressed profile to standard output; nothing if FILE is not one
import gzip
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'runtime'))
from proto import varint  # noqa: E402


def parts(data):
    """Yield the number and the bytes of each field of the top level."""
    at = 0
    while at < len(data):
        start = at
        key, at = varint(data, at)
        size, at = varint(data, at)
        if key & 7 == 2:
            at += size
        yield key >> 3, data[start:at]


def sorted_fields(packed):
    return b''.join(v for _, v in sorted(parts(gzip.decompress(packed)), key=lambda p: p[0]))


if __name__ == '__main__':
    with open(sys.argv[1], 'rb') as f:
        packed = f.read()
    sys.stdout.buffer.write(sorted_fields(packed) if packed[:2] == b'\x1f\x8b' else b'')
