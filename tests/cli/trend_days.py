#!/usr/bin/python3
# trend_days.py - CPU profiles over days, with a cycle of a day and known changes
# SPDX-License-Identifier: Apache-2.0
"""usage: trend_days.py FOLDER DAYS EVERY CHANGE

Writes a profile of a minute every EVERY hours, from 2026-11-02T00:00:00Z (a Monday) on. At night all functions take a third
of the time. CHANGE DAY: from that day on, main;work takes 1.3 times as long. CHANGE steady: it grows to 1.6 times as long.
"""
import gzip
import math
import os
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stored_profiles  # noqa: E402

START = 1793577600
folder, days, every, change = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
noise = random.Random(1)


def samples(kind, i, scale):
    day, hour = divmod(i * every, 24)
    grown = 1 + 0.6 * i * every / (24 * days) if change == "steady" else 1.3 if change != "none" and day >= int(change) else 1
    load = (2 - math.cos(2 * math.pi * hour / 24)) / 3

    def count(n):
        return round(n * load * math.exp(noise.gauss(0, 0.03)))
    n, m = count(600 * grown), count(400)
    return [(["work", "main"], [n, n * 10_000_000], {}), (["wait", "main"], [m, m * 10_000_000], {})]


stored_profiles.samples = samples
os.makedirs(folder, exist_ok=True)
for i in range(days * 24 // every):
    with gzip.open(f"{folder}/{i:04}.pb.gz", "wb", 1) as f:
        f.write(stored_profiles.profile("cpu", i, START + i * every * 3600, 1))
