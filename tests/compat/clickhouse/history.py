#!/usr/bin/python3
# history.py - profiles of services with instances, versions, restarts and labels, for comparisons of stores
# SPDX-License-Identifier: Apache-2.0
"""usage: history.py FOLDER SEED START EVERY N

Writes FOLDER/SERVICE/KIND/INSTANCE/VERSION/NNN.pb.gz: N profiles of each series from START on (seconds since 1970), every EVERY seconds.
The second half has another version. Counters restart from time to time; some profiles are missing.
"""
import gzip
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../cli"))
import make_profile  # noqa: E402

TYPES = {
    "cpu": [("samples", "count"), ("cpu", "nanoseconds")],
    "heap": [("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_objects", "count"), ("inuse_space", "bytes")],
    "mutex": [("contentions", "count"), ("delay", "nanoseconds")],
    "goroutine": [("goroutine", "count")],
}
SERVICES = ["cart", "shop", "shop-eu"]
INSTANCES = ["a:1", "b:1", "c:1"]


def make_stacks(rng, kind):
    """Stacks with shared callers, some of them with labels."""
    stacks = []
    for i in range(12):
        names = ["main"] + [f"f{rng.randrange(6)}" for _ in range(rng.randrange(1, 6))] + [f"{kind}{i}"]
        frames = [((name, f"/src/{name}.c", 10 + len(name)),) for name in reversed(names)]
        if rng.random() < 0.2:
            frames[0] = (("inlined", "/src/inlined.c", 3),) + frames[0]
        labels = {}
        if kind == "cpu" and rng.random() < 0.7:
            labels["route"] = rng.choice(["/a", "/b", "/c"])
        if kind == "cpu" and rng.random() < 0.3:
            labels["tenant"] = rng.choice(["north", "south"])
        if kind == "heap":
            labels["bytes"] = rng.choice([16, 512, 4096])
        stacks.append((frames, labels))
    return stacks


def make_values(rng, kind, counts, i):
    if kind == "cpu":
        n = rng.randrange(0, 9)
        return [n, n * 10_000_000]
    if kind == "goroutine":
        return [rng.randrange(0, 50)]
    counts[i] = counts.get(i, 0) + rng.randrange(0, 20)
    if kind == "mutex":
        return [counts[i], counts[i] * 977]
    held = rng.randrange(0, counts[i] + 1)
    return [counts[i], counts[i] * 512, held, held * 512]


def write_series(folder, rng, kind, start, every, n):
    stacks, counts, versions = make_stacks(rng, kind), {}, ["1.0", "1.1"]
    for i in range(n):
        version = versions[i >= n // 2]
        if i == n // 2 or rng.random() < 0.03:
            counts = {}
        if rng.random() < 0.02:
            continue
        samples = [(frames, make_values(rng, kind, counts, k), labels)
                   for k, (frames, labels) in enumerate(stacks) if rng.random() < 0.8 or kind in ("heap", "mutex")]
        time = start + i * every + rng.randrange(0, every // 4)
        data = make_profile.encode(samples, TYPES[kind], time_ns=time * 10**9, duration_ns=10**10 if kind == "cpu" else 0)
        path = os.path.join(folder, version)
        os.makedirs(path, exist_ok=True)
        with gzip.open(f"{path}/{i:03}.pb.gz", "wb", 1) as f:
            f.write(data)


def main():
    folder, seed, start, every, n = sys.argv[1], *map(int, sys.argv[2:6])
    for service in SERVICES:
        for kind in TYPES:
            for instance in INSTANCES:
                rng = random.Random(f"{seed} {service} {kind} {instance}")
                write_series(os.path.join(folder, service, kind, instance), rng, kind, start, every, n)


if __name__ == "__main__":
    main()
