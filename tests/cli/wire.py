# wire.py - protobuf messages, written and read for tests that must not depend on our own reader and writer
# SPDX-License-Identifier: Apache-2.0
from collections import defaultdict

VARINT, I64, LEN, I32 = 0, 1, 2, 5  # wire types, as the documentation of protobuf names them


def varint(n):
    """The bytes of an integer; a negative one is written modulo 2^64."""
    if 0 <= n < 128:
        return bytes((n,))
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def number(field, n):
    return varint(field << 3) + varint(n)


def message(field, data):
    """A field of bytes: a message or a string."""
    return varint(field << 3 | LEN) + varint(len(data)) + data


def packed(field, integers):
    return message(field, b"".join(map(varint, integers)))


def read_varint(data, at):
    """The unsigned integer at a position, and the position after it."""
    n = shift = 0
    while True:
        byte = data[at]
        at += 1
        n |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return n, at


def signed(n):
    """The value of an int64 that was read as an unsigned integer."""
    return n - (1 << 64) if n >> 63 else n


def raw_fields(data):
    """Yield each field of a message: number, wire type, value (an unsigned integer of a varint, else bytes), all its bytes."""
    at = 0
    while at < len(data):
        start = at
        key, at = read_varint(data, at)
        kind = key & 7
        if kind == VARINT:
            value, at = read_varint(data, at)
        else:
            if kind not in (I64, LEN, I32):
                raise ValueError("wire type %d" % kind)
            size, at = read_varint(data, at) if kind == LEN else (8 if kind == I64 else 4, at)
            value = data[at:at + size]
            if len(value) != size:
                raise ValueError("a field is cut")
            at += size
        yield key >> 3, kind, value, data[start:at]


def fields(data):
    """Yield number and value of each field of a message that has only varints and bytes."""
    for field, kind, value, _ in raw_fields(data):
        if kind not in (VARINT, LEN):
            raise ValueError("wire type %d" % kind)
        yield field, value


def repeated(data):
    """The fields of a message by number: lists of values."""
    out = defaultdict(list)
    for field, value in fields(data):
        out[field].append(value)
    return out


def one(m, field, default=0):
    """The value of a field of repeated() that is not repeated."""
    return m[field][-1] if field in m else default


def integers(*values):
    """The unsigned integers of the values of a repeated field, packed or not."""
    out = []
    for value in values:
        at = 0
        if isinstance(value, int):
            out.append(value)
            continue
        while at < len(value):
            n, at = read_varint(value, at)
            out.append(n)
    return out
