#!/usr/bin/python3
# labels_profile.py - profiles with labels that cpa labels finds something in
# SPDX-License-Identifier: Apache-2.0
"""usage: labels_profile.py FILE SECONDS [VALUES]

Writes a CPU profile that starts SECONDS after 1970. VALUES: so many values of the label tenant.
"""
import gzip
import sys

from wire import message, number, packed

ROWS = [  # stack, leaf first; labels; samples
    (['shop.price', 'shop.quote', 'http.serve'], {'route': '/orders/17/items/4', 'Route': 'x'}, 30),
    (['shop.price', 'shop.quote', 'http.serve'], {'route': '/orders/18/items/9', 'env': 'prod'}, 20),
    (['shop.price', 'shop.quote', 'http.serve'], {'route': '/v/1', 'svc': 'shop'}, 10),
    (['http.read', 'http.serve'], {}, 5),
    (['shop.price', 'shop.quote', 'shop.worker'], {}, 20),
    (['runtime.gc', 'shop.timer'], {}, 5),
    (['shop.price', 'http.serve'], {'tenant': '0b5e4fd2-11aa-4c6e-9d6f-5a0f1e2d3c4b'}, 4),
    (['shop.price', 'http.serve'], {'tenant': 'other'}, 6),
]


def encode(rows, seconds):
    texts, functions, out, tables = {'': 0}, {}, b'', b''

    def text(s):
        return texts.setdefault(s, len(texts))

    for name, unit in (('samples', 'count'), ('cpu', 'nanoseconds')):
        out += message(1, number(1, text(name)) + number(2, text(unit)))
    for stack, labels, n in rows:
        for f in stack:
            if f not in functions:
                i = functions[f] = len(functions) + 1
                tables += message(5, number(1, i) + number(2, text(f)))
                tables += message(4, number(1, i) + message(4, number(1, i)))
        out += message(2, packed(1, (functions[f] for f in stack)) +
                       packed(2, [n, n * 10**7]) +
                       b''.join(message(3, number(1, text(k)) + number(2, text(v))) for k, v in labels.items()))
    out += tables + number(9, seconds * 10**9) + number(10, 10**9)
    return gzip.compress(out + b''.join(message(6, t.encode()) for t in texts), 1)


def main():
    rows = list(ROWS)
    for i in range(int(sys.argv[3]) if len(sys.argv) > 3 else 0):
        rows.append((['shop.price', 'http.serve'], {'tenant': 't%d' % i}, 1))
    with open(sys.argv[1], 'wb') as f:
        f.write(encode(rows, int(sys.argv[2])))


if __name__ == '__main__':
    main()
