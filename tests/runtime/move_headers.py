# move_headers.py - move the program headers of an ELF file to its end, as llvm-bolt does
# SPDX-License-Identifier: Apache-2.0
"""usage: move_headers.py FROM TO     64-bit little-endian files; TO is executable"""
import os
import struct
import sys

PAGE, LOAD, PHDR, READ = 4096, 1, 6, 4
HEADER = struct.Struct('<IIQQQQQQ')  # type, flags, offset, vaddr, paddr, filesz, memsz, align


def main():
    with open(sys.argv[1], 'rb') as f:
        file = bytearray(f.read())
    at, = struct.unpack_from('<Q', file, 32)
    size, n = struct.unpack_from('<HH', file, 54)
    headers = [list(HEADER.unpack_from(file, at + i * size)) for i in range(n)]
    last = max(i for i in range(n) if headers[i][0] == LOAD)
    offset = (len(file) + PAGE - 1) // PAGE * PAGE
    vaddr = (headers[last][3] + headers[last][6] + PAGE - 1) // PAGE * PAGE
    length = (n + 1) * size
    headers.insert(last + 1, [LOAD, READ, offset, vaddr, vaddr, length, length, PAGE])
    for h in headers:
        if h[0] == PHDR:
            h[2:7] = [offset, vaddr, vaddr, length, length]
    file += bytes(offset - len(file)) + b''.join(HEADER.pack(*h) for h in headers)
    struct.pack_into('<Q', file, 32, offset)
    struct.pack_into('<H', file, 56, n + 1)
    with open(sys.argv[2], 'wb') as f:
        f.write(file)
    os.chmod(sys.argv[2], 0o755)


main()
