#!/usr/bin/python3
# random_profiles.py - profiles of random stacks, with recursion, inlined calls, labels and equal names in several files
# SPDX-License-Identifier: Apache-2.0
"""usage: random_profiles.py FOLDER SEED START N [negative]

Writes FOLDER/000.pb.gz ... : N profiles that start at START (seconds since 1970) and then every minute. Equal seeds give equal
profiles. negative: some values are below 0.
"""
import gzip
import os
import random
import sys

from make_profile import Ids
from wire import message, number, packed

FUNCTIONS, LOCATIONS = 24, 40


def lines_of(loc):
    """Functions of a location, innermost first; one program for all seeds."""
    own = random.Random(loc)
    return [own.randrange(FUNCTIONS) for _ in range(own.choice([1, 1, 1, 2, 3]))]


def stack(r, shared):
    """Locations, leaf first. Most stacks begin like an earlier one."""
    path = list(r.choice(shared))[: r.randrange(12)] if shared and r.random() < 0.8 else []
    path += [r.randrange(LOCATIONS) for _ in range(r.randrange(0 if path else 1, 5))]
    if r.random() < 0.1:
        path += path[-2:] * r.randrange(1, 4)
    shared.append(path)
    return path[::-1] if r.random() < 0.98 else []


def name_of(function, seed):
    """Seeds that are odd have other names for two functions. The last four share a name with the first."""
    return f"pkg.renamed{function}" if seed % 2 and function in (4, 7) else f"pkg.f{function % 20}"


def profile(r, seed, start, shared, negative):
    strings, out, used = Ids(0, ""), b"", set()
    for name, unit in [("samples", "count"), ("cpu", "nanoseconds")]:
        out += message(1, number(1, strings(name)) + number(2, strings(unit)))
    for _ in range(r.randrange(1, 60)):
        path = stack(r, shared)
        used.update(path)
        count = r.randrange(5)
        value = count * 10_000_000 if r.random() < 0.9 else r.randrange(99)
        if negative and r.random() < 0.2:
            count, value = -count, -value
        data = packed(1, (loc + 1 for loc in path)) + packed(2, [count, value])
        if r.random() < 0.3:
            data += message(3, number(1, strings("route")) + number(2, strings(r.choice(["/a", "/b"]))))
            data += message(3, number(1, strings("host")) + number(2, strings(f"db{seed % 2}")))
            data += message(3, number(1, strings("load")) + number(3, r.randrange(9)) + number(4, strings("widgets")))
        out += message(2, data)
    for n, file in ((1, "/usr/bin/shop"), (2, "/usr/lib/libshop.so")):
        out += message(3, number(1, n) + number(2, n << 24) + number(3, (n << 24) + 0x100000) + number(5, strings(file)))
    for loc in sorted(used):
        lines = b"".join(message(4, number(1, f + 1) + number(2, loc % 7 + 1)) for f in lines_of(loc))
        map_id = 1 + loc % 2
        out += message(4, number(1, loc + 1) + number(2, map_id) + number(3, (map_id << 24) + 16 * loc) + lines)
    for f in sorted({f for loc in used for f in lines_of(loc)}):
        name = strings(name_of(f, seed))
        out += message(5, number(1, f + 1) + number(2, name) + number(3, name) + number(4, strings(f"/src/{f // 9}.go")))
    out += number(9, start * 1_000_000_000) + number(10, 1_000_000_000)
    out += message(11, number(1, strings("cpu")) + number(2, strings("nanoseconds"))) + number(12, 10_000_000)
    return out + b"".join(message(6, text.encode()) for text in strings.ids)


def main():
    folder, seed, start, n = sys.argv[1], *map(int, sys.argv[2:5])
    r, shared = random.Random(seed), []
    os.makedirs(folder, exist_ok=True)
    for i in range(n):
        with gzip.open(f"{folder}/{i:03}.pb.gz", "wb") as f:
            f.write(profile(r, seed, start + i * 60, shared, "negative" in sys.argv))


if __name__ == "__main__":
    main()
