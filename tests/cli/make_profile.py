# make_profile.py - write profiles with files, lines, inlined calls and labels
# SPDX-License-Identifier: Apache-2.0
"""
usage: make_profile.py FILE FOLDER STACK=VALUE[=KEY:TEXT]...     a stack is a list of names separated by ;, leaf first; a
function NAME is in FOLDER/NAME.c; KEY:TEXT is a label

encode(samples, types) does the same for other scripts; Ids numbers strings.
"""
import sys

from wire import message, number, packed

__all__ = ["CPU", "PERIOD", "Ids", "encode"]

CPU = (("samples", "count"), ("cpu", "nanoseconds"))
PERIOD = 10_000_000


class Ids:
    """Numbers the keys that it is asked for."""

    def __init__(self, first, *keys):
        self.first, self.ids = first, {}
        for key in keys:
            self(key)

    def __call__(self, key):
        return self.ids.setdefault(key, len(self.ids) + self.first)


def encode(samples, types=CPU, binary="/usr/bin/shop", time_ns=0, duration_ns=0, period=PERIOD):
    """
    The bytes of a profile. A sample is (stack, values, labels). A stack is a list of locations, leaf first. A location is
    a tuple of lines (function, file, line), innermost inlined call first, or the name of a function.
    """
    strings, functions, locations, out = Ids(0, ""), Ids(1), Ids(1), bytearray()
    for name, unit in types:
        out += message(1, number(1, strings(name)) + number(2, strings(unit)))
    for stack, values, labels in samples:
        ids = [locations(((x, "", 0),) if isinstance(x, str) else tuple(x)) for x in stack]
        data = packed(1, ids) + packed(2, values)
        for key, value in labels.items():
            text = isinstance(value, str)
            data += message(3, number(1, strings(key)) + number(2 if text else 3, strings(value) if text else value))
        out += message(2, data)
    out += message(3, number(1, 1) + number(2, 0x400000) + number(3, 0x500000) + number(5, strings(binary)))
    for lines, n in locations.ids.items():
        text = b"".join(message(4, number(1, functions(line[:2])) + number(2, line[2])) for line in lines)
        out += message(4, number(1, n) + number(2, 1) + number(3, 0x400000 + 16 * n) + text)
    for (name, file), n in functions.ids.items():
        out += message(5, number(1, n) + number(2, strings(name)) + number(3, strings(name)) + number(4, strings(file)))
    out += number(9, time_ns) + number(10, duration_ns)
    out += message(11, number(1, strings(types[-1][0])) + number(2, strings(types[-1][1]))) + number(12, period)
    return bytes(out + b"".join(message(6, s.encode()) for s in strings.ids))


def main():
    path, folder = sys.argv[1:3]
    samples = []
    for text in sys.argv[3:]:
        stack, value, *labels = text.split("=")
        samples.append(([((name, f"{folder}/{name}.c", 10),) for name in stack.split(";")],
                        [int(value), int(value) * PERIOD], dict(label.split(":") for label in labels)))
    with open(path, "wb") as f:
        f.write(encode(samples))


if __name__ == "__main__":
    main()
