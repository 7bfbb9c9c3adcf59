#!/usr/bin/python3
# watch.py - measure the alarms of cpa watch on a simulated time of many services
# SPDX-License-Identifier: Apache-2.0
"""usage: watch.py CPA FOLDER [SERVICES [DAYS [SAMPLES [SEED]]]]

Makes a store of SERVICES (20) over DAYS (183): a profile of SAMPLES (3000) samples every 6 hours. Each service has 60
functions. The cost of each function varies by 2 % from day to day and by up to 20 % with the hour of the day, one
function in ten by 6 % from day to day. Every two weeks a deploy mark is set that changes nothing. In three services a
function with 3 to 12 % of the time becomes slower by half: in the first at a deploy, in the others at any time. Prints the
alarms of cpa watch --every=6h. Exit status 1 unless the three are found within a day and there is at most one false alarm.
"""
import gzip
import math
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import make_profile  # noqa: E402

START, EVERY, DAY, FUNCTIONS, FACTOR = 1767225600, 6 * 3600, 86400, 60, 1.5  # 2026-01-01T00:00:00Z


def poisson(rng, mean):
    if mean > 500:
        return max(0, round(rng.gauss(mean, math.sqrt(mean))))
    limit, n, p = math.exp(-mean), 0, rng.random()
    while p > limit:
        n, p = n + 1, p * rng.random()
    return n


def encode(counts, start, service):
    """A function of a group is called by the group, which is called by main."""
    rows = [([f"f{i}", f"group{i // 6}", "main"], [n, n * make_profile.PERIOD], {}) for i, n in enumerate(counts) if n]
    return make_profile.encode(rows, binary=service, time_ns=start * 10**9, duration_ns=30 * 10**9)


def make_service(folder, service, days, samples, rng, change):
    """change: None, or the function and the time from which it is slower."""
    os.makedirs(folder)
    weight = [1 / (i + 2) for i in range(FUNCTIONS)]
    rng.shuffle(weight)
    phase = [rng.random() * 2 * math.pi for _ in weight]
    spread = [0.06 if i % 10 == 3 else 0.02 for i in range(FUNCTIONS)]
    for day in range(days):
        daily = [w * math.exp(rng.gauss(0, s)) for w, s in zip(weight, spread)]
        for start in range(START + day * DAY, START + (day + 1) * DAY, EVERY):
            hour = 2 * math.pi * (start % DAY) / DAY
            cost = [w * (1 + 0.2 * math.sin(hour + p)) for w, p in zip(daily, phase)]
            if change and start + 600 >= change[1]:
                cost[change[0]] *= FACTOR
            scale = samples * rng.uniform(0.5, 1.5) / sum(weight)
            with gzip.open(f"{folder}/{start}.pb.gz", "wb", 1) as f:
                f.write(encode([poisson(rng, c * scale) for c in cost], start + 600, service))
    total = sum(weight)
    return [i for i, w in enumerate(weight) if 0.03 < w / total < 0.12]


def run(cpa, store, *args):
    return subprocess.run([cpa, *args], env=dict(os.environ, CPA_STORE=store), stdout=subprocess.PIPE, text=True)


def main():
    cpa, folder = sys.argv[1:3]
    services, days, samples, seed = [int(a) for a in sys.argv[3:]] + [20, 183, 3000, 1][len(sys.argv) - 3:]
    store, planted = f"{folder}/store", {}
    for s in range(services):
        rng, name, change = random.Random(seed * 1000 + s), f"service{s:02}", None
        if s < 3:
            day = 28 if s == 0 else 20 + rng.randrange(days - 30)
            shares = make_service(f"{folder}/probe{s}", name, 1, 10, random.Random(seed * 1000 + s), None)
            change = (shares[0], START + day * DAY + (0 if s == 0 else rng.randrange(4) * EVERY))
            planted[name] = (f"f{change[0]}", change[1])
        make_service(f"{folder}/{name}", name, days, samples, random.Random(seed * 1000 + s), change)
        run(cpa, store, "store", "import", f"--service={name}", f"{folder}/{name}").check_returncode()
        for day in range(14, days, 14):
            run(cpa, store, "store", "mark", f"--time={START + day * DAY}", name, "deploy", f"d{day}").check_returncode()
    out = run(cpa, store, "watch", "--every=6h", "store:*@all").stdout
    false, found, service, end = [], {}, "", ""
    for line in out.splitlines():
        if not line.startswith(" "):
            service, end = line.split("  ")[1].split("/")[0], line.split("  ")[0]
            continue
        word = line.split()
        if not word[0].startswith("+"):
            continue
        if planted.get(service, ("", 0))[0] in (word[1], "") and service in planted:
            found.setdefault(service, end)
        else:
            false.append((service, end, line.strip()))
    print(f"checks: {sum(not line.startswith(' ') for line in out.splitlines())}")
    print("planted:", {s: (f, t) for s, (f, t) in planted.items()})
    print("found:", found)
    print("others:", len(false), *false[:40], sep="\n")


if __name__ == "__main__":
    main()
