# sort_fields.py - the fields of a compressed profile.proto, sorted by number as pprof writes them
# SPDX-License-Identifier: Apache-2.0
# usage: sort_fields.py FILE     writes the uncompressed profile to standard output; nothing if FILE is not one
import gzip
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
from wire import raw_fields  # noqa: E402


def sorted_fields(packed):
    return b''.join(raw for _, _, _, raw in sorted(raw_fields(gzip.decompress(packed)), key=lambda f: f[0]))


if __name__ == '__main__':
    with open(sys.argv[1], 'rb') as f:
        packed = f.read()
    sys.stdout.buffer.write(sorted_fields(packed) if packed[:2] == b'\x1f\x8b' else b'')
