#!/usr/bin/python3
# labels_profile.py - profiles with labels that cpa labels finds something in
# SPDX-License-Identifier: Apache-2.0
"""usage: labels_profile.py FILE SECONDS [VALUES]

Writes a CPU profile that starts SECONDS after 1970. VALUES: so many values of the label tenant.
"""
import gzip
import sys

from make_profile import PERIOD, encode

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


def main():
    rows = list(ROWS)
    for i in range(int(sys.argv[3]) if len(sys.argv) > 3 else 0):
        rows.append((['shop.price', 'http.serve'], {'tenant': 't%d' % i}, 1))
    with open(sys.argv[1], 'wb') as f:
        samples = [(stack, [n, n * PERIOD], labels) for stack, labels, n in rows]
        f.write(gzip.compress(encode(samples, time_ns=int(sys.argv[2]) * 10**9, duration_ns=10**9), 1))


if __name__ == '__main__':
    main()
