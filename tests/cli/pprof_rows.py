# pprof_rows.py - profiles for tests: written and read without the code under test
#
# SPDX-License-Identifier: Apache-2.0
import gzip


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def fields(data):
    """(number, value) of a message; a value is an int or bytes."""
    at = 0

    def number():
        nonlocal at
        n = shift = 0
        while True:
            byte = data[at]
            at += 1
            n |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return n

    while at < len(data):
        key = number()
        if key & 7 == 2:
            n = number()
            yield key >> 3, data[at:at + n]
            if at + n > len(data):
                raise ValueError("a field is cut off")
            at += n
        elif key & 7 == 0:
            yield key >> 3, number()
        else:
            raise ValueError("a wire type that profiles do not have")


def make(types, rows, time_ns, duration_ns=0, period_type=None, comments=()):
    """A profile: types [(name, unit)], rows [((function, ...) leaf first, (value, ...))]."""
    strings = {"": 0}

    def text(s):
        return strings.setdefault(s, len(strings))

    out = b"".join(field(1, field(1, text(n)) + field(2, text(u))) for n, u in types)
    names = {name: i for i, name in enumerate(sorted({name for stack, _ in rows for name in stack}), 1)}
    for stack, values in rows:
        ids = b"".join(varint(names[name]) for name in stack)
        out += field(2, field(1, ids) + field(2, b"".join(varint(v) for v in values)))
    for name, i in names.items():
        out += field(4, field(1, i) + field(4, field(1, i))) + field(5, field(1, i) + field(2, text(name)))
    out += field(9, time_ns) + (field(10, duration_ns) if duration_ns else b"")
    if period_type:
        out += field(11, field(1, text(period_type[0])) + field(2, text(period_type[1]))) + field(12, 1)
    out += b"".join(field(13, text(c)) for c in comments)
    return out + b"".join(field(6, s.encode()) for s in strings)


def packed(value):
    """Numbers of a packed field, or of one that is not packed."""
    if isinstance(value, int):
        return [value]
    return [n for _, n in fields(b"".join(b"\0" + bytes(part) for part in split(value)))]


def split(data):
    part = bytearray()
    for byte in data:
        part.append(byte)
        if byte < 128:
            yield part
            part = bytearray()


def signed(n):
    return n - (1 << 64) if n >> 63 else n


def read(data):
    """A profile as {types, rows: {stack: values}, time, duration, n_samples, has_period, size}."""
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    strings, types, samples, lines, names = [], [], [], {}, {}
    p = {"time": 0, "duration": 0, "has_period": False, "size": len(data)}
    for number, value in fields(data):
        inner = list(fields(value)) if number in (1, 2, 4, 5, 11) else []
        if number == 1:
            types.append(dict(inner))
        elif number == 2:
            samples.append(inner)
        elif number == 4:
            lines[dict(inner)[1]] = [dict(fields(v))[1] for n, v in inner if n == 4]
        elif number == 5:
            names[dict(inner)[1]] = dict(inner).get(2, 0)
        elif number == 6:
            strings.append(value.decode())
        elif number == 9:
            p["time"] = value
        elif number == 10:
            p["duration"] = value
        elif number == 11:
            p["has_period"] = True
    p["types"] = [[strings[t.get(1, 0)], strings[t.get(2, 0)]] for t in types]
    p["rows"], p["n_samples"], p["depth"] = {}, len(samples), 0
    for sample in samples:
        stack = [i for n, v in sample if n == 1 for i in packed(v)]
        values = [signed(i) for n, v in sample if n == 2 for i in packed(v)]
        key = ";".join(strings[names[f]] for i in stack for f in lines[i])
        before = p["rows"].get(key, [0] * len(values))
        p["rows"][key] = [a + b for a, b in zip(before, values)]
        p["depth"] = max(p["depth"], len(stack))
    return p
