# gate_profile.py - write a small profile.proto with the given stacks
# SPDX-License-Identifier: Apache-2.0
#
# gate_profile.py FILE TIME_NANOS TYPE UNIT [STACK=VALUE ...]: a stack is a list of names separated by ;, leaf first.
# A profile in bytes has a sampling rate of 1, so that its values are exact.
import sys


def number(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def field(tag, body):
    return bytes([tag << 3 | 2]) + number(len(body)) + body


def fields(*pairs):
    return b"".join(bytes([tag << 3]) + number(n) for tag, n in pairs)


def main():
    path, time, kind, unit = sys.argv[1:5]
    strings, ids = ["", kind, unit], {}
    out = field(1, fields((1, 1), (2, 2))) + fields((9, int(time)))
    if unit == "bytes":
        out += field(11, fields((1, 1), (2, 2))) + fields((12, 1))
    for text in sys.argv[5:]:
        stack, _, value = text.rpartition("=")
        for name in stack.split(";"):
            if name in ids:
                continue
            ids[name] = len(ids) + 1
            strings.append(name)
            function, string = ids[name], len(strings) - 1
            out += field(5, fields((1, function), (2, string), (3, string))) + field(
                4, fields((1, function)) + field(4, fields((1, function)))
            )
        out += field(2, b"".join(fields((1, ids[name])) for name in stack.split(";")) + fields((2, int(value))))
    with open(path, "wb") as file:
        file.write(out + b"".join(field(6, text.encode()) for text in strings))


main()
