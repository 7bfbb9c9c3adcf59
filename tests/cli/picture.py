# picture.py - print facts about a PNG or PDF, for the tests of flame graphs
# SPDX-License-Identifier: Apache-2.0
#
# usage: picture.py png FILE            prints width and height
#        picture.py png FILE X Y...     prints the colours of pixels, as RRGGBB
#        picture.py pdf FILE            checks the offsets in the cross-reference table
import re
import struct
import sys
import zlib


def read_png(data):
    """Returns width, height and rows of an RGB image."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(data):
        (n,), kind = struct.unpack(">I", data[at:at + 4]), data[at + 4:at + 8]
        body = data[at + 8:at + 8 + n]
        assert struct.unpack(">I", data[at + 8 + n:at + 12 + n])[0] == zlib.crc32(kind + body)
        if kind == b"IHDR":
            width, height, *rest = struct.unpack(">IIBBBBB", body)
            assert rest == [8, 2, 0, 0, 0]
        elif kind == b"IDAT":
            packed += body
        at += 12 + n
    raw, size = zlib.decompress(packed), 3 * width
    rows, above = [], bytes(size)
    for y in range(height):
        line = raw[y * (size + 1):(y + 1) * (size + 1)]
        above = unfilter(line[0], bytearray(line[1:]), above)
        rows.append(above)
    return width, height, rows


def unfilter(kind, line, above):
    for i in range(len(line) if kind else 0):
        a, b, c = (line[i - 3], above[i], above[i - 3]) if i >= 3 else (0, above[i], 0)
        nearest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
        line[i] = (line[i] + [0, a, b, (a + b) // 2, nearest][kind]) & 255
    return line


def check_pdf(data):
    at = int(re.search(rb"startxref\s+(\d+)\s+%%EOF\s*$", data).group(1))
    table = re.match(rb"xref\s+0 (\d+)\s+", data[at:])
    if not table:
        return  # a newer cairo writes the table as a compressed stream
    rows = data[at + table.end():].split(b"trailer")[0].splitlines()
    assert len(rows) == int(table.group(1)), "rows"
    for number, row in enumerate(rows[1:], 1):
        offset = int(row.split()[0])
        assert data[offset:].startswith(b"%d 0 obj" % number), f"object {number}"


with open(sys.argv[2], "rb") as f:
    content = f.read()
if sys.argv[1] == "pdf":
    check_pdf(content)
else:
    points = list(map(int, sys.argv[3:]))
    if points:
        _, _, rows = read_png(content)
        for x, y in zip(points[::2], points[1::2]):
            print(rows[y][3 * x:3 * x + 3].hex())
    else:
        print(*struct.unpack(">II", content[16:24]))
