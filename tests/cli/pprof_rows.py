# pprof_rows.py - profiles for tests: written and read without the code under test
#
# SPDX-License-Identifier: Apache-2.0
import gzip

from wire import fields, integers, message, number, packed, signed


def make(types, rows, time_ns, duration_ns=0):
    """A profile: types [(name, unit)], rows [((function, ...) leaf first, (value, ...))]."""
    strings = {"": 0}

    def text(s):
        return strings.setdefault(s, len(strings))

    out = b"".join(message(1, number(1, text(n)) + number(2, text(u))) for n, u in types)
    names = {name: i for i, name in enumerate(sorted({name for stack, _ in rows for name in stack}), 1)}
    for stack, values in rows:
        out += message(2, packed(1, (names[name] for name in stack)) + packed(2, values))
    for name, i in names.items():
        out += message(4, number(1, i) + message(4, number(1, i))) + message(5, number(1, i) + number(2, text(name)))
    out += number(9, time_ns) + (number(10, duration_ns) if duration_ns else b"")
    return out + b"".join(message(6, s.encode()) for s in strings)


def read(data):
    """A profile as {types, rows: {stack: values}, time, duration, n_samples, has_period, size}."""
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    strings, types, samples, lines, names = [], [], [], {}, {}
    p = {"time": 0, "duration": 0, "has_period": False, "size": len(data)}
    for field, value in fields(data):
        inner = list(fields(value)) if field in (1, 2, 4, 5, 11) else []
        if field == 1:
            types.append(dict(inner))
        elif field == 2:
            samples.append(inner)
        elif field == 4:
            lines[dict(inner)[1]] = [dict(fields(v))[1] for n, v in inner if n == 4]
        elif field == 5:
            names[dict(inner)[1]] = dict(inner).get(2, 0)
        elif field == 6:
            strings.append(value.decode())
        elif field == 9:
            p["time"] = value
        elif field == 10:
            p["duration"] = value
        elif field == 11:
            p["has_period"] = True
    p["types"] = [[strings[t.get(1, 0)], strings[t.get(2, 0)]] for t in types]
    p["rows"], p["n_samples"] = {}, len(samples)
    for sample in samples:
        stack = [i for n, v in sample if n == 1 for i in integers(v)]
        values = [signed(i) for n, v in sample if n == 2 for i in integers(v)]
        key = ";".join(strings[names[f]] for i in stack for f in lines[i])
        before = p["rows"].get(key, [0] * len(values))
        p["rows"][key] = [a + b for a, b in zip(before, values)]
    return p
