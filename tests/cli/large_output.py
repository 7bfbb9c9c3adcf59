# large_output.py - write small profiles whose reports could be large
# SPDX-License-Identifier: Apache-2.0
#
# large_output.py FILE inline N            one location with N inlined lines, each on a line of its own
# large_output.py FILE names N BYTES       N stacks of 20 of 40 functions, whose names have BYTES bytes
# large_output.py FILE labels N BYTES      N samples, each with 20 labels of BYTES bytes
# large_output.py FILE lines N BYTES       N lines of a function, 100 apart, in a file whose name has BYTES bytes
import gzip
import sys

from wire import message, number, packed


class Profile:
    def __init__(self):
        self.strings, self.out = [b"", b"samples", b"count"], [message(1, number(1, 1) + number(2, 2))]

    def string(self, text):
        self.strings.append(text)
        return len(self.strings) - 1

    def function(self, i, name, file):
        self.out.append(message(5, number(1, i) + number(2, name) + number(4, file)))

    def location(self, i, lines):
        body = b"".join(message(4, number(1, function) + number(2, line)) for function, line in lines)
        self.out.append(message(4, number(1, i) + number(3, 4096 * i) + body))

    def sample(self, locations, value, labels=()):
        body = packed(1, locations) + packed(2, [value])
        self.out.append(message(2, body + b"".join(message(3, number(1, k) + number(2, v)) for k, v in labels)))

    def write(self, path):
        with open(path, "wb") as out:
            out.write(gzip.compress(b"".join(self.out) + b"".join(message(6, s) for s in self.strings)))


def main():
    path, kind, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
    size = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    p = Profile()
    file = p.string(b"d" * (size if kind == "lines" else 0) + b"a.c")
    if kind == "inline":
        for i in range(1, n + 1):
            p.function(i, p.string(b"f%d" % i), file)
        p.location(1, [(i, i) for i in range(1, n + 1)])
        p.sample([1], 1)
    elif kind == "lines":
        p.function(1, p.string(b"main"), file)
        for i in range(1, n + 1):
            p.location(i, [(1, 100 * i)])
            p.sample([i], 1)
    else:
        for i in range(1, 41):
            p.function(i, p.string(b"%d" % i + b"n" * (size if kind == "names" else 0)), file)
            p.location(i, [(i, 1)])
        labels = [(p.string(b"key%d" % i), p.string(b"%d" % i + b"v" * size)) for i in range(20)]
        for i in range(n):
            stack = [(i * 7 + k * (1 + i // 40 % 39)) % 40 + 1 for k in range(20)]
            p.sample(stack, i + 1, labels if kind == "labels" else ())
    p.write(path)


main()
